//! The record of one session: everything that was measured, and under what. Verdicts are not in
//! it; `analysis` makes them from it, today or when the report is drawn again.

use serde::{Deserialize, Serialize};

use crate::{environment::Environment, explanation::Explanation, plan::Plan};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    pub plan: Plan,
    /// Start of the session, UTC.
    pub started: String,
    pub environment_before: Environment,
    pub environment_after: Environment,
    pub programs: Vec<Program>,
    /// Of whole rounds only, in the order in which they were taken.
    pub samples: Vec<Sample>,
    pub failures: Vec<Failure>,
    /// Whether the user stopped it before all was done.
    pub interrupted: bool,
    pub explanation: Option<Explanation>,
    /// What could not be had on this machine and is done without.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The same circuit in bellperson itself, judged for itself; or why it could not be measured.
    #[serde(default)]
    pub in_bellperson: Option<Result<Box<Session>, String>>,
}

/// A program that was built and checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    pub subject: usize,
    pub layout: usize,
    pub sha256: String,
    /// Where the `bellpepper-core` comes from that cargo compiled into it.
    pub core: String,
    pub core_features: Vec<String>,
    /// SHA-256 of that crate's sources; of the registry's, the registry vouches.
    #[serde(default)]
    pub core_sha256: Option<String>,
}

/// One process of one subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub scenario: usize,
    pub subject: usize,
    pub round: usize,
    /// Place in the round, from 0.
    pub place: usize,
    pub layout: usize,
    pub output: Output,
    /// Of the whole process, set-up included.
    pub process_seconds: f64,
    pub user_seconds: f64,
    pub system_seconds: f64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Times that the process was made to wait for another.
    pub involuntary_switches: u64,
}

/// The line of JSON that a program prints: what is read of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Of each repeat.
    #[serde(deserialize_with = "one_or_many")]
    pub seconds: Vec<f64>,
    /// Equal for all that compute the same.
    pub digest: String,
    #[serde(default)]
    pub storage: Option<String>,
    #[serde(default)]
    pub allocator: Option<String>,
    #[serde(default)]
    pub constraints: Option<u64>,
    #[serde(default)]
    pub peak_rss_bytes: Option<u64>,
    /// Constraints whose `A`, `B` and `C` came from compiled ones.
    #[serde(default)]
    pub compiled_rows: Option<u64>,
}

/// What went wrong with a subject, which is then left out of the rounds that follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub subject: usize,
    /// `None` before the rounds.
    pub round: Option<usize>,
    pub reason: String,
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(f64),
        Many(Vec<f64>),
    }
    let seconds = match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(seconds) => vec![seconds],
        OneOrMany::Many(seconds) => seconds,
    };
    if seconds.is_empty() || !seconds.iter().all(|&s| s > 0.0 && s.is_finite()) {
        return Err(serde::de::Error::custom(
            "`seconds` has to be a positive number or an array of them",
        ));
    }
    Ok(seconds)
}
