//! The drop-in and the registry's crate run the same programs in one process, and must be seen to
//! do the same: the same calls on the constraint system in the same order, the same names, terms,
//! values, errors and panics. Nothing here says what is right; upstream does.
//!
//! `subject/` is compiled once for each of the two crates. All else is shared: the language of the
//! programs, and what is compared. The storages of linear combinations have tests of their own,
//! beside their sources.

#![allow(clippy::duplicate_mod)] // which is the point

mod combinations;
mod fields;
mod observation;
mod program;

#[path = "."]
mod ours {
    pub use bellpepper_core as bp;
    #[path = "subject/mod.rs"]
    pub mod subject;
}

#[path = "."]
mod theirs {
    pub use upstream as bp;
    #[path = "subject/mod.rs"]
    pub mod subject;
}

mod constraint_systems;
mod gadgets;
mod test_constraint_system;
mod types;
