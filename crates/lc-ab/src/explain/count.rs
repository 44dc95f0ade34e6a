//! Sizes, terms and allocations, as the counting probe of a variant reports them.

use std::{path::Path, process::Command};

use serde::{Deserialize, Serialize};

use super::{Histogram, Look, Reading};

/// What `lc-count` prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Count {
    pub combination_bytes: usize,
    /// Of a key with its coefficient.
    pub term_bytes: usize,
    /// Terms that a combination holds before it allocates.
    pub inline_terms: usize,
    /// 2 where inputs and auxiliaries have a list each, 1 where they share one.
    pub lists: usize,
    pub constraints: u64,
    /// Terms of the combinations that reach `enforce`.
    pub a: Histogram,
    pub b: Histogram,
    pub c: Histogram,
    /// Bytes of the three combinations alive in an `enforce`, terms outside of them included.
    pub live_bytes: Histogram,
    /// Within the closures of `enforce`.
    pub enforce: Allocations,
    /// In the whole synthesis.
    pub synthesis: Allocations,
    /// Terms of all combinations that were dropped, in a build that counts them.
    pub dropped: Option<Histogram>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Allocations {
    pub calls: u64,
    pub bytes: u64,
}

impl Count {
    /// Of all three combinations.
    pub fn terms(&self) -> Histogram {
        let mut all = self.a.clone();
        for histogram in [&self.b, &self.c] {
            for (&terms, &count) in histogram {
                *all.entry(terms).or_default() += count;
            }
        }
        all
    }

    /// Bytes of the list of one kind of variables, or of both where they share it.
    pub fn indexer_bytes(&self) -> usize {
        self.combination_bytes / self.lists
    }

    pub fn a_constraint(&self, total: u64) -> f64 {
        total as f64 / self.constraints as f64
    }
}

/// Counts the whole circuit.
pub fn count(look: &Look, program: &Path) -> Reading<Count> {
    let mut command = Command::new(program);
    command.args(["--layers", &look.plan.scenarios[0].layers.to_string()]);
    let finished = look.run(command)?;
    serde_json::from_str(&finished.stdout)
        .map_err(|error| format!("lc-count printed something else than expected: {error}"))
}
