//! What there is to say about the variants beside their times: the part of the record that
//! `explain` fills in and reports show.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::caches::Caches;

/// Something that was looked at, or why it could not be.
pub type Reading<T> = Result<T, String>;

/// How often each number was seen.
pub type Histogram = BTreeMap<usize, u64>;

/// What there is to say about the variants of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explanation {
    /// Whose caches are simulated and compared with.
    pub caches: Reading<Caches>,
    /// In the order of the plan.
    pub variants: Vec<VariantExplanation>,
    /// Terms of all combinations, temporaries included, on the registry's crate.
    pub census: Reading<Histogram>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VariantExplanation {
    pub count: Reading<Count>,
    pub simulated: Reading<Simulated>,
    pub counters: Reading<Counters>,
}

/// All figures are per constraint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    pub constraints: usize,
    pub instructions: f64,
    pub data_accesses: f64,
    pub l1d_misses: f64,
    /// Of the last level.
    pub ll_misses: f64,
}

/// Counts per constraint, in user space, by name; or why this one cannot be had.
pub type Counters = BTreeMap<String, Reading<f64>>;

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
    /// Bytes of the three combinations alive in an `enforce`, with what they hold on the heap; of a
    /// sample of the constraints.
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

    pub fn per_constraint(&self, total: u64) -> f64 {
        total as f64 / self.constraints as f64
    }
}

/// The smallest number that `share` of what was seen does not exceed; `None` if nothing was.
pub fn quantile(histogram: &Histogram, share: f64) -> Option<usize> {
    let total: u64 = histogram.values().sum();
    let wanted = (share * total as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    histogram.iter().find_map(|(&number, &count)| {
        seen += count;
        (seen >= wanted).then_some(number)
    })
}

/// The share of what was seen that does not exceed `number`.
pub fn share_up_to(histogram: &Histogram, number: usize) -> f64 {
    let total: u64 = histogram.values().sum();
    let up_to: u64 = histogram.range(..=number).map(|(_, count)| count).sum();
    up_to as f64 / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_histogram() {
        let histogram = Histogram::from([(0, 10), (1, 80), (3, 9), (30, 1)]);
        assert_eq!(quantile(&histogram, 0.5), Some(1));
        assert_eq!(quantile(&histogram, 0.9), Some(1));
        assert_eq!(quantile(&histogram, 0.91), Some(3));
        assert_eq!(quantile(&histogram, 1.0), Some(30));
        assert_eq!(quantile(&Histogram::new(), 0.5), None);
        assert_eq!(share_up_to(&histogram, 1), 0.9);
    }
}
