//! What the PoRep circuit does with combinations, and their worst cases, as [`shapes`]: each written
//! once, run on every storage and on the registry's crate in one process.
//!
//! The storages are compiled in side by side, by including the fork's sources; the gadgets, which come
//! with one storage, are those of the crates themselves. How a shape is measured is left to
//! `benches/shapes.rs` (time) and `scripts/instructions.sh` (instructions).

#![deny(unsafe_code)]

#[allow(dead_code, unused_imports)] // The public face is not used here.
#[clippy::msrv = "1.64.0"] // the rust-version of the fork, whose sources these are
#[path = "../../crates/bellpepper-core/src/lc/mod.rs"]
mod lc;
use lc::storage; // where `program`, which `subjects` includes, looks for it

#[path = "../../crates/bellpepper-core/fuzz/src/subjects.rs"]
mod subjects;

mod circuit;
mod worst;

#[path = "."]
mod fork {
    pub use bellpepper_core as bp;
    #[path = "gadgets.rs"]
    pub mod gadgets;
}

#[allow(clippy::duplicate_mod)] // which is the point
#[path = "."]
mod registry {
    pub use upstream as bp;
    #[path = "gadgets.rs"]
    pub mod gadgets;
}

use blstrs::Scalar as Fr;

use lc::storage::pooled::{self, Pooled};
use lc::storage::smallvec::{self, SmallVec1, SmallVec4};
use lc::storage::vec::{self, Vector};
use lc::terms::Terms;

/// The name of the registry's crate beside those of the storages.
pub const UPSTREAM: &str = "upstream";

/// One iteration, its operands made before.
pub type Body = Box<dyn FnMut()>;

/// What to do it on (upstream, or a storage by the name of its feature), and what makes it ready.
pub type Subject = (&'static str, fn() -> Body);

/// Something that is done with combinations, over and over.
pub struct Shape {
    pub name: &'static str,
    /// How often to do it where one iteration is too short to be counted alone.
    pub iterations: u32,
    pub subjects: Vec<Subject>,
}

macro_rules! on_storages {
    ($($shape:ident)::+) => {
        vec![
            (vec::NAME, $($shape)::+::<Terms<Vector<Fr>>> as fn() -> Body),
            (smallvec::NAME_1, $($shape)::+::<Terms<SmallVec1<Fr>>>),
            (smallvec::NAME_4, $($shape)::+::<Terms<SmallVec4<Fr>>>),
            (pooled::NAME, $($shape)::+::<Terms<Pooled<Fr>>>),
        ]
    };
}

macro_rules! on_all {
    ($($shape:ident)::+) => {{
        let mut subjects = on_storages!($($shape)::+);
        let registry = $($shape)::+::<upstream::LinearCombination<Fr>> as fn() -> Body;
        subjects.insert(0, (UPSTREAM, registry));
        subjects
    }};
}

macro_rules! on_crates {
    ($shape:ident) => {
        vec![
            (UPSTREAM, registry::gadgets::$shape as fn() -> Body),
            (bellpepper_core::LC_STORAGE, fork::gadgets::$shape),
        ]
    };
}

/// All shapes, the commonest first.
pub fn shapes() -> Vec<Shape> {
    let shape = |name, iterations, subjects| Shape {
        name,
        iterations,
        subjects,
    };
    vec![
        shape("one_term", 1000, on_all!(circuit::one_term)),
        shape("two_terms", 1000, on_all!(circuit::two_terms)),
        shape("three_terms", 1000, on_all!(circuit::three_terms)),
        shape("evaluate", 1000, on_all!(circuit::evaluate)),
        shape("evaluate_words", 1000, on_all!(circuit::evaluate_words)),
        shape("addmany", 20, on_all!(circuit::addmany)),
        shape("multieq_sums", 10, on_all!(circuit::multieq_sums)),
        shape("multieq_operands", 10, on_all!(circuit::multieq_operands)),
        shape("poseidon_30", 20, on_all!(circuit::poseidon_30)),
        shape("poseidon_66", 20, on_all!(circuit::poseidon_66)),
        shape("gadget_xor", 1000, on_crates!(xor)),
        shape("gadget_sha256_ch", 1000, on_crates!(sha256_ch)),
        shape("gadget_sha256_maj", 1000, on_crates!(sha256_maj)),
        shape("ascending_50k", 1, on_all!(worst::ascending_50k)),
        shape("ascending_100k", 1, on_all!(worst::ascending_100k)),
        // Upstream takes seconds for one of these.
        shape("descending_50k", 1, on_storages!(worst::descending_50k)),
        shape("descending_100k", 1, on_storages!(worst::descending_100k)),
        shape("strided_50k", 1, on_storages!(worst::strided_50k)),
        shape("strided_100k", 1, on_storages!(worst::strided_100k)),
        shape("random_50k", 1, on_storages!(worst::random_50k)),
        shape("random_100k", 1, on_storages!(worst::random_100k)),
        shape("sum_50k", 1, on_storages!(worst::sum_50k)),
        shape("sum_100k", 1, on_storages!(worst::sum_100k)),
    ]
}
