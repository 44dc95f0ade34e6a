//! Paired statistics: what a list of log-ratios says about one ratio.
//!
//! Everything here is a function of numbers; what the numbers are, and what is concluded from
//! them, is `analysis`'s business. A pair is the log of (seconds of the baseline / seconds of the
//! variant) in one round, so that a positive mean says that the variant is faster.
//!
//! Means are trimmed by a fifth at each end, and their intervals are Yuen's (Biometrika 61,
//! 1974), which hold for heavy tails: on a shared machine an episode of other load can outlast
//! a round, and a few such pairs would move a plain mean (1.630 in place of 1.609, once) and
//! widen its interval fourfold. On a quiet machine the interval of 12 pairs is wider for it: an
//! eighth in theory, a quarter as measured.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Two-sided error rate of every interval, test and family of tests.
pub const ALPHA: f64 = 0.05;
/// Chance of seeing an effect of the detectable size.
pub const POWER: f64 = 0.8;

/// One in so many log-ratios is trimmed at each end.
const TRIMMED: usize = 5;

/// What a list of paired log-ratios says. Ratios are seconds of the baseline over seconds of the
/// variant: 1.04 is 4% faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub pairs: usize,
    /// Geometric mean of the ratios that are not trimmed.
    pub ratio: f64,
    /// 95% interval of `ratio`.
    pub low: f64,
    pub high: f64,
    pub median_ratio: f64,
    /// Trimmed mean of the log-ratios and its standard error, from which the tests are made.
    pub mean_log: f64,
    pub standard_error: f64,
    /// Standard deviation of one log-ratio, as the standard error has it.
    pub deviation: f64,
    /// Two-sided p-value of "there is no difference".
    pub p_value: f64,
}

impl Estimate {
    /// `None` for fewer than two pairs: they say nothing about noise. Fewer than five are
    /// not trimmed.
    pub fn of(log_ratios: &[f64]) -> Option<Self> {
        let pairs = log_ratios.len();
        if pairs < 2 {
            return None;
        }
        let mut sorted = log_ratios.to_vec();
        sorted.sort_by(f64::total_cmp);
        let kept = kept(pairs);
        let mean_log = mean(&sorted[kept.clone()]);
        let (least, most) = (sorted[kept.start], sorted[kept.end - 1]);
        let winsorized: Vec<f64> = sorted.iter().map(|x| x.clamp(least, most)).collect();
        let standard_error = deviation(&winsorized)
            * ((pairs - 1) as f64 / (kept.len() * (kept.len() - 1)) as f64).sqrt();
        let deviation = standard_error * (pairs as f64).sqrt();
        let mut estimate = Self {
            pairs,
            ratio: mean_log.exp(),
            low: 0.0,
            high: 0.0,
            median_ratio: median(log_ratios).exp(),
            mean_log,
            standard_error,
            deviation,
            p_value: 0.0,
        };
        (estimate.low, estimate.high) = estimate.interval(ALPHA);
        estimate.p_value = (2.0 * estimate.p_below(0.0).min(estimate.p_above(0.0))).clamp(0.0, 1.0);
        Some(estimate)
    }

    /// The interval of `ratio` that misses the true one with the probability `alpha`.
    pub fn interval(&self, alpha: f64) -> (f64, f64) {
        let half_width = quantile(self.pairs, 1.0 - alpha / 2.0) * self.standard_error;
        (
            (self.mean_log - half_width).exp(),
            (self.mean_log + half_width).exp(),
        )
    }

    /// The smallest log-ratio that this many pairs, this noisy, find at the error rate
    /// `alpha` with a chance of [`POWER`].
    pub fn detectable(&self, alpha: f64) -> f64 {
        detectable(self.pairs, self.deviation, alpha)
    }

    /// One-sided p-value of "the true log-ratio is `log_ratio` or more"; small when the data lie
    /// clearly below.
    pub fn p_below(&self, log_ratio: f64) -> f64 {
        let distance = self.mean_log - log_ratio;
        if self.standard_error == 0.0 {
            return if distance < 0.0 { 0.0 } else { 1.0 };
        }
        students_t(self.pairs).cdf(distance / self.standard_error)
    }

    /// One-sided p-value of "the true log-ratio is `log_ratio` or less".
    pub fn p_above(&self, log_ratio: f64) -> f64 {
        let distance = self.mean_log - log_ratio;
        if self.standard_error == 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        students_t(self.pairs).sf(distance / self.standard_error)
    }
}

/// The number of pairs from `pairs` on, this noisy, that find a log-ratio of `effect` at the error
/// rate `alpha` with a chance of [`POWER`]; `None` if more than a million.
pub fn pairs_needed(pairs: usize, deviation: f64, effect: f64, alpha: f64) -> Option<usize> {
    // Student's t has wider tails than the normal distribution, so fewer pairs never do. From there
    // on it is not far; and as every fifth pair is trimmed, a pair more can do less than before.
    let normal = Normal::standard();
    let quantiles = normal.inverse_cdf(1.0 - alpha / 2.0) + normal.inverse_cdf(POWER);
    let least = (quantiles * deviation / effect).powi(2);
    if least > (1 << 20) as f64 {
        return None;
    }
    (pairs.max(2).max(least as usize)..)
        .find(|&pairs| detectable(pairs, deviation, alpha) <= effect)
}

/// Holm's step-down procedure, which keeps the chance of any false rejection in the family at
/// [`ALPHA`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjusted {
    /// Rejected if below [`ALPHA`].
    pub p_value: f64,
    /// The error rate at which an interval leaves out what is rejected, and nothing else.
    pub level: f64,
}

/// In the order of `p_values`.
pub fn holm(p_values: &[f64]) -> Vec<Adjusted> {
    let mut ascending: Vec<usize> = (0..p_values.len()).collect();
    ascending.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![
        Adjusted {
            p_value: 0.0,
            level: 0.0
        };
        p_values.len()
    ];
    let mut running = 0.0_f64;
    let mut level = 0.0;
    for (rank, &index) in ascending.iter().enumerate() {
        let factor = (p_values.len() - rank) as f64;
        // The first that is not rejected sets the level of all that follow.
        if running < ALPHA {
            level = ALPHA / factor;
        }
        running = running.max((factor * p_values[index]).min(1.0));
        adjusted[index] = Adjusted {
            p_value: running,
            level,
        };
    }
    adjusted
}

/// The part of the deviation that groups have in common (one-way random effects, groups of equal
/// size), zero when there is none to be seen. `None` for fewer than two groups or values a group.
pub fn deviation_between(groups: &[Vec<f64>]) -> Option<f64> {
    let size = groups.iter().map(Vec::len).min()?;
    if groups.len() < 2 || size < 2 {
        return None;
    }
    let means: Vec<f64> = groups.iter().map(|group| mean(group)).collect();
    let within = mean(
        &groups
            .iter()
            .map(|group| deviation(group).powi(2))
            .collect::<Vec<_>>(),
    );
    Some(
        (deviation(&means).powi(2) - within / size as f64)
            .max(0.0)
            .sqrt(),
    )
}

/// Panics on an empty list.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    }
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

fn detectable(pairs: usize, deviation: f64, alpha: f64) -> f64 {
    (quantile(pairs, 1.0 - alpha / 2.0) + quantile(pairs, POWER)) * deviation
        / (pairs as f64).sqrt()
}

fn quantile(pairs: usize, probability: f64) -> f64 {
    students_t(pairs).inverse_cdf(probability)
}

/// On one degree of freedom less than there are pairs that are not trimmed.
fn students_t(pairs: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, (kept(pairs).len() - 1) as f64).expect("at least two pairs")
}

/// Which of so many sorted log-ratios are not trimmed.
fn kept(pairs: usize) -> Range<usize> {
    pairs / TRIMMED..pairs - pairs / TRIMMED
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not {right}");
    }

    /// Student's sleep data, the paired differences of Gosset's 1908 paper, two trimmed at
    /// each end. By hand: the six others sum up to 8; with 1.0 and 1.8 in the place of the
    /// trimmed ones, squares sum up to 1.004, so the standard error is the root of 1.004 /
    /// (6 * 5). On 5 degrees of freedom t = 7.2884, 97.5% of a table of Student's t is
    /// 2.5706, and SciPy's `ttest_ind` with `trim` 0.2 against ten zeros gives p =
    /// 0.00076086.
    #[test]
    fn gossets_sleep_data() {
        let differences = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let estimate = Estimate::of(&differences).unwrap();
        close(estimate.mean_log, 8.0 / 6.0, 1e-12);
        close(estimate.standard_error, 0.182939, 5e-7);
        close(estimate.p_value, 0.00076086, 5e-9);
        close(estimate.low.ln(), 1.33333 - 2.5706 * 0.182939, 5e-5);
        close(estimate.high.ln(), 1.33333 + 2.5706 * 0.182939, 5e-5);
        close(estimate.median_ratio.ln(), 1.3, 1e-12);
    }

    /// Four pairs, 0 to 3, are not trimmed: mean 1.5, standard deviation the root of 5/3,
    /// and 3.1824 by the table of Student's t on 3 degrees of freedom.
    #[test]
    fn few_pairs_are_not_trimmed() {
        let estimate = Estimate::of(&[3.0, 0.0, 2.0, 1.0]).unwrap();
        close(estimate.mean_log, 1.5, 1e-12);
        close(estimate.deviation, (5.0_f64 / 3.0).sqrt(), 1e-12);
        close(
            estimate.low.ln(),
            1.5 - 3.1824 * (5.0_f64 / 12.0).sqrt(),
            5e-5,
        );
    }

    /// However far off a trimmed pair is, it says the same.
    #[test]
    fn an_outlier_does_not_count() {
        let of_last = |last| Estimate::of(&[0.01, 0.02, 0.03, 0.04, last]).unwrap();
        let (near, far) = (of_last(0.05), of_last(5.0));
        assert_eq!((near.low, near.high), (far.low, far.high));
        assert_eq!(near.p_value, far.p_value);
    }

    #[test]
    fn an_estimate_needs_two_pairs() {
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[0.1]), None);
    }

    #[test]
    fn no_noise_at_all_is_certainty() {
        let same = Estimate::of(&[0.0; 4]).unwrap();
        assert_eq!((same.low, same.high, same.p_value), (1.0, 1.0, 1.0));
        let faster = Estimate::of(&[0.5; 4]).unwrap();
        assert_eq!(faster.p_value, 0.0);
        assert_eq!(faster.p_above(0.25), 0.0);
        assert_eq!(faster.p_below(0.25), 1.0);
    }

    /// The worked example of Holm (1979) as textbooks give it: 0.01, 0.04, 0.03, 0.005.
    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [(0.03, 3.0), (0.06, 2.0), (0.06, 2.0), (0.02, 4.0)];
        for (value, (p_value, of)) in adjusted.iter().zip(expected) {
            close(value.p_value, p_value, 1e-12);
            close(value.level, 0.05 / of, 1e-12);
        }
        let none = holm(&[0.6, 0.9]);
        assert!(none.iter().all(|a| (a.p_value, a.level) == (1.0, 0.025)));
        assert_eq!(holm(&[]), []);
    }

    /// The sample sizes of the usual tables for a paired t-test, 80% power at 5% two-sided,
    /// by size of the effect in standard deviations, for so many pairs that the trimmed
    /// ones hardly miss in the degrees of freedom. The tables use the noncentral t
    /// distribution. For few pairs, by a table of Student's t: (2.3646 + 0.8960) / sqrt(12)
    /// = 0.941 where 11 give 1.011, and (2.2622 + 0.8834) / sqrt(16) = 0.786 where 15 give
    /// 0.825.
    #[test]
    fn pairs_needed_agrees_with_published_tables() {
        let needed = |effect| pairs_needed(2, 1.0, effect, ALPHA);
        for (effect, table) in [(0.5, 34), (0.2, 199)] {
            let pairs = needed(effect).unwrap();
            assert!(pairs.abs_diff(table) <= 1, "{effect}: {pairs}, not {table}");
        }
        assert_eq!(needed(1.0), Some(12));
        assert_eq!(needed(0.8), Some(16));
        assert_eq!(pairs_needed(2, 0.0, 0.01, ALPHA), Some(2));
        assert_eq!(needed(1e-9), None);
    }

    /// By a table of Student's t: 14 pairs keep 10 and find (2.2622 + 0.8834) / sqrt(14) =
    /// 0.841 standard deviations; 15 keep 9 and find (2.3060 + 0.8889) / sqrt(15) = 0.825;
    /// 9 keep 7, (2.4469 + 0.9057) / 3 = 1.118; 10 keep 6, (2.5706 + 0.9195) / sqrt(10) =
    /// 1.104; 4 keep all, (3.1824 + 0.9785) / 2 = 2.080; and 5 keep 3, (4.3027 + 1.0607) /
    /// sqrt(5) = 2.399, which is more than with 4.
    #[test]
    fn one_pair_more_can_do_less() {
        assert_eq!(pairs_needed(2, 1.0, 2.1, ALPHA), Some(4));
        assert_eq!(pairs_needed(5, 1.0, 2.1, ALPHA), Some(6));
        assert_eq!(pairs_needed(2, 1.0, 0.83, ALPHA), Some(15));
    }

    #[test]
    fn groups_share_what_their_means_differ_by() {
        // Means 0, 2, 4: variance 4; within each group variance 2 over two values, so 4 - 2 / 2.
        let groups = vec![vec![-1.0, 1.0], vec![1.0, 3.0], vec![3.0, 5.0]];
        close(deviation_between(&groups).unwrap(), 3.0_f64.sqrt(), 1e-12);
        let no_difference = vec![vec![-1.0, 1.0], vec![-1.0, 1.0]];
        assert_eq!(deviation_between(&no_difference), Some(0.0));
        assert_eq!(deviation_between(&groups[..1]), None);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
