//! Builds the variants of a linear-combination storage, runs them interleaved, judges, explains,
//! reports.
//!
//! Data flows one way: [`options`] become a [`plan`] over [`variant`]s; [`builds`] makes
//! checked programs of it, in a [`stage`]; [`measure`] takes samples through an [`executor`],
//! in the order of a [`schedule`]; [`explain`] looks into the programs and fills in an
//! [`explanation`]. All of that is the record, a [`session::Session`], with the [`environment`]
//! it was taken in. From the record alone, [`analysis`] makes verdicts with [`statistics`], and
//! [`report`] shows them. No file imports one that imports it.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod builds;
pub mod caches;
mod census;
pub mod environment;
pub mod executor;
pub mod explain;
pub mod explanation;
pub mod measure;
pub mod options;
pub mod plan;
pub mod process;
pub mod progress;
pub mod report;
pub mod schedule;
pub mod session;
pub mod stage;
pub mod statistics;
pub mod variant;
