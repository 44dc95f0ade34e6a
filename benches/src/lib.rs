//! What is done with combinations: by the PoRep circuit, in their worst cases, and where a storage
//! once lost, as [`shapes`]; and at random, by the [`search`] for losers. Each is written once, and
//! run on every storage and on the registry's crate in one process.
//!
//! The storages are compiled in side by side, by including the fork's sources; the gadgets, which
//! come with one storage, are those of the crates themselves. How a shape is measured is left to
//! `benches/shapes.rs` (time) and `scripts/instructions.sh` (instructions).

#![deny(unsafe_code)]

#[allow(dead_code, unused_imports)] // The public face is not used here.
#[clippy::msrv = "1.64.0"] // the rust-version of the fork, whose sources these are
#[path = "../../crates/bellpepper-core/src/lc/mod.rs"]
mod lc;

mod storages;
mod subject;

pub mod search;

mod circuit;
mod lost;
mod secret;
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

use search::{Held, Program};
use storages::{OnPooled, OnSmallVec1, OnSmallVec4, OnVec, POOLED, SMALLVEC_1, SMALLVEC_4, VEC};

/// The name of the registry's crate beside those of the storages.
pub const UPSTREAM: &str = "upstream";

/// One iteration, its operands made before.
pub type Body = Box<dyn FnMut()>;

/// The registry's crate, or a storage by the name of its feature.
pub struct Subject {
    pub name: &'static str,
    /// Makes a program ready to be run.
    pub prepare: fn(&Program) -> Body,
    /// Runs a program, and counts the bytes of its result by those that are allocated.
    pub held: fn(&Program, fn() -> usize) -> Held,
}

/// The name of a subject, and what makes a shape ready on it.
pub type ShapeOn = (&'static str, fn() -> Body);

/// Something that is done with combinations, over and over.
pub struct Shape {
    pub name: &'static str,
    /// How often to do it where one iteration is too short to be counted alone.
    pub iterations: u32,
    pub subjects: Vec<ShapeOn>,
}

macro_rules! on_storages {
    ($($shape:ident)::+) => {
        vec![
            (VEC, $($shape)::+::<OnVec> as fn() -> Body),
            (SMALLVEC_1, $($shape)::+::<OnSmallVec1>),
            (SMALLVEC_4, $($shape)::+::<OnSmallVec4>),
            (POOLED, $($shape)::+::<OnPooled>),
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

/// The registry's crate, then the storages, to run programs on.
pub fn subjects() -> Vec<Subject> {
    fn subject<C: subject::Combination>(name: &'static str) -> Subject {
        Subject {
            name,
            prepare: search::prepare::<C>,
            held: search::held::<C>,
        }
    }
    vec![
        subject::<upstream::LinearCombination<Fr>>(UPSTREAM),
        subject::<OnVec>(VEC),
        subject::<OnSmallVec1>(SMALLVEC_1),
        subject::<OnSmallVec4>(SMALLVEC_4),
        subject::<OnPooled>(POOLED),
    ]
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
        shape("values_random", 100, on_all!(secret::values_random)),
        shape("values_mixed", 100, on_all!(secret::values_mixed)),
        shape("values_zero", 100, on_all!(secret::values_zero)),
        shape("evaluate_clones", 10, on_all!(lost::evaluate_clones)),
        shape("evaluate_sum", 10, on_all!(lost::evaluate_sum)),
        shape("onto_zero", 100, on_all!(lost::onto_zero)),
        shape("onto_clone", 10, on_all!(lost::onto_clone)),
        shape("read_scattered", 10, on_all!(lost::read_scattered)),
        shape("clone_scattered", 10, on_all!(lost::clone_scattered)),
        shape("compare_scattered", 10, on_all!(lost::compare_scattered)),
        shape("compare_inputs", 1000, on_all!(lost::compare_inputs)),
        shape("clone_inserted", 10, on_all!(lost::clone_inserted)),
        shape("kinds_in_turn", 5, on_all!(lost::kinds_in_turn)),
        shape("inputs_onto_clone", 10, on_all!(lost::inputs_onto_clone)),
        shape("inputs_again", 10, on_all!(lost::inputs_again)),
        shape("inputs_before", 10, on_all!(lost::inputs_before)),
        shape("inputs_before_clone", 1, on_all!(lost::inputs_before_clone)),
        shape("two_cursors", 5, on_all!(lost::two_cursors)),
        shape("keep_one_term", 1, on_all!(lost::keep_one_term)),
        shape("keep_clones", 1, on_all!(lost::keep_clones)),
        shape("iterate", 100, on_all!(lost::iterate)),
        shape("compare", 1000, on_all!(lost::compare)),
        shape("nothing", 1000, on_all!(lost::nothing)),
        shape("ascending_3k", 1, on_all!(worst::ascending)),
        shape("descending_3k", 1, on_all!(worst::descending)),
        shape("strided_3k", 1, on_all!(worst::strided)),
        shape("random_3k", 1, on_all!(worst::random)),
        shape("sum_3k", 1, on_all!(worst::sum)),
    ]
}
