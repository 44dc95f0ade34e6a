//! From samples to verdicts.
//!
//! In each round, a variant and the baseline make a pair, whose log-ratio of seconds is what
//! counts: what slows a whole round cancels. The verdicts on all variants in all scenarios are one
//! family (Holm), so that the chance of calling anything faster or slower in a session of equals
//! is at most 5%. Where programs were linked in several layouts, the layouts are the independent
//! observations, and not the rounds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    plan::Plan,
    session::{Sample, Session},
    statistics::{self, Adjusted, Estimate, ALPHA},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Analysis {
    pub scenarios: Vec<ScenarioAnalysis>,
    /// What `--fail-if-slower` comes to.
    pub decision: Option<Decision>,
    /// Of the session in bellperson itself, a family of its own.
    pub in_bellperson: Option<Box<Analysis>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScenarioAnalysis {
    pub name: String,
    pub rounds: usize,
    /// The second copy of the baseline against the first: what no difference looks like here.
    /// Not part of the family, and never judged.
    pub control: Comparison,
    /// By place in the round, the log of how much slower a process is there than on average.
    pub place_effects: Vec<f64>,
    /// Of every variant but the baseline.
    pub comparisons: Vec<Comparison>,
    /// The fastest of those that are faster than the baseline, with those that are not shown to be
    /// slower than it; best first.
    pub fastest: Vec<usize>,
    /// Of every variant.
    pub summaries: Vec<Summary>,
    /// Of a whole round, the median, in seconds; zero if there was none.
    pub round_seconds: f64,
}

/// A variant against the baseline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    pub subject: usize,
    /// By round.
    pub log_ratios: Vec<f64>,
    /// `None` if there are fewer than two pairs.
    pub estimate: Option<Estimate>,
    /// After Holm's adjustment; `None` for what is not judged.
    pub adjusted: Option<Adjusted>,
    /// 95% for the whole family, and 95% alone for what is not judged. Leaves out 1 where
    /// the verdict is that there is a difference.
    pub interval: Option<(f64, f64)>,
    pub verdict: Verdict,
    /// The log-ratio that so many pairs find four times in five, in this family.
    pub detectable: Option<f64>,
    /// How many more pairs (or layouts, where there are several) it takes to find a difference as
    /// small as the margin, zero if there are enough; `None` if too many, or if nothing is open.
    pub still_needed: Option<usize>,
    /// Standard deviation of the log-ratio between code layouts, where there are several.
    pub layout_deviation: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Faster,
    Slower,
    /// Within the margin.
    Equivalent,
    Unresolved,
    /// The variant did not run to the end.
    Failed,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.pad(match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Equivalent => "equivalent",
            Verdict::Unresolved => "unresolved",
            Verdict::Failed => "failed",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Something is slower than allowed.
    TooSlow,
    /// Nothing is.
    Allowed,
    Open,
}

/// Medians over the processes of a variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub subject: usize,
    pub processes: usize,
    /// Of one synthesis.
    pub synthesis_seconds: f64,
    /// Of all that a process does beside its syntheses.
    pub rest_seconds: f64,
    /// Of all partitions together.
    pub constraints: Option<u64>,
    pub ns_per_constraint: Option<f64>,
    pub peak_rss_bytes: Option<f64>,
    pub minor_faults: f64,
    pub major_faults: f64,
}

/// The seconds that a process stands for.
pub fn seconds(sample: &Sample) -> f64 {
    statistics::median(&sample.output.seconds)
}

pub fn analyse(session: &Session) -> Analysis {
    let plan = &session.plan;
    let mut scenarios: Vec<ScenarioAnalysis> = (0..plan.scenarios.len())
        .map(|scenario| analyse_scenario(session, scenario))
        .collect();
    judge(plan, &mut scenarios);
    for (index, scenario) in scenarios.iter_mut().enumerate() {
        scenario.fastest = fastest(&of_scenario(session, index), &scenario.comparisons);
    }
    let decision = plan
        .fail_if_slower
        .map(|limit| decide(limit, session, &scenarios));
    let in_bellperson = match &session.in_bellperson {
        Some(Ok(session)) => Some(Box::new(analyse(session))),
        Some(Err(_)) | None => None,
    };
    Analysis {
        scenarios,
        decision,
        in_bellperson,
    }
}

/// As documented in `--help`.
pub fn exit_code(session: &Session, analysis: &Analysis) -> u8 {
    match analysis.decision {
        Some(Decision::TooSlow) => 1,
        _ if session.interrupted => 5,
        _ if has_failures(session) => 3,
        Some(Decision::Open) => 4,
        Some(Decision::Allowed) | None => 0,
    }
}

fn has_failures(session: &Session) -> bool {
    let failed_in_bellperson = match &session.in_bellperson {
        Some(Ok(session)) => has_failures(session),
        Some(Err(_)) => true,
        None => false,
    };
    !session.failures.is_empty() || failed_in_bellperson
}

fn of_scenario(session: &Session, scenario: usize) -> Vec<Sample> {
    let of_it = session
        .samples
        .iter()
        .filter(|sample| sample.scenario == scenario);
    of_it.cloned().collect()
}

fn analyse_scenario(session: &Session, scenario: usize) -> ScenarioAnalysis {
    let plan = &session.plan;
    let samples = of_scenario(session, scenario);
    let compare = |subject: usize| compare(session, &samples, subject);
    ScenarioAnalysis {
        name: plan.circumstances(scenario),
        rounds: samples
            .iter()
            .map(|sample| sample.round + 1)
            .max()
            .unwrap_or(0),
        control: compare(plan.control()),
        place_effects: place_effects(plan, &samples),
        comparisons: (1..plan.variants.len()).map(compare).collect(),
        fastest: Vec::new(),
        summaries: (0..plan.variants.len())
            .filter_map(|subject| summarise(plan, &samples, subject))
            .collect(),
        round_seconds: round_seconds(&samples),
    }
}

fn compare(session: &Session, samples: &[Sample], subject: usize) -> Comparison {
    let plan = &session.plan;
    let pairs = log_ratios(samples, 0, subject);
    let mut by_layout: Vec<Vec<f64>> = vec![Vec::new(); plan.layouts];
    for (sample, log_ratio) in &pairs {
        by_layout[sample.layout].push(*log_ratio);
    }
    let log_ratios: Vec<f64> = pairs.into_iter().map(|(_, log_ratio)| log_ratio).collect();
    by_layout.retain(|of_layout| !of_layout.is_empty());
    let layout_means: Vec<f64> = by_layout
        .iter()
        .map(|of_layout| statistics::mean(of_layout))
        .collect();
    let several = plan.layouts > 1;
    let estimate = Estimate::of(if several { &layout_means } else { &log_ratios });
    let failed = session
        .failures
        .iter()
        .any(|failure| failure.subject == subject);
    Comparison {
        subject,
        still_needed: None,
        interval: estimate.as_ref().map(|e| (e.low, e.high)),
        detectable: estimate.as_ref().map(|e| e.detectable(ALPHA)),
        estimate,
        adjusted: None,
        verdict: if failed {
            Verdict::Failed
        } else {
            Verdict::Unresolved
        },
        layout_deviation: several
            .then(|| statistics::deviation_between(&by_layout))
            .flatten(),
        log_ratios,
    }
}

/// The samples of `subject`, each with the log of how much faster it was than `other` in its round.
fn log_ratios(samples: &[Sample], other: usize, subject: usize) -> Vec<(&Sample, f64)> {
    let own = samples.iter().filter(|sample| sample.subject == subject);
    own.filter_map(|sample| {
        let other = samples
            .iter()
            .find(|that| that.round == sample.round && that.subject == other)?;
        Some((sample, (seconds(other) / seconds(sample)).ln()))
    })
    .collect()
}

/// The verdicts, over the whole family. Equivalence goes first: a difference within the margin is
/// none, even one that is certain.
fn judge(plan: &Plan, scenarios: &mut [ScenarioAnalysis]) {
    let mut family: Vec<(&mut Comparison, Estimate)> = scenarios
        .iter_mut()
        .flat_map(|scenario| &mut scenario.comparisons)
        .filter(|comparison| comparison.verdict != Verdict::Failed)
        .filter_map(|comparison| {
            let estimate = comparison.estimate.clone()?;
            Some((comparison, estimate))
        })
        .collect();
    let p_values: Vec<f64> = family
        .iter()
        .map(|(_, estimate)| estimate.p_value)
        .collect();
    let strictest = ALPHA / p_values.len().max(1) as f64;
    for ((comparison, estimate), adjusted) in family.iter_mut().zip(statistics::holm(&p_values)) {
        let (low, high) = estimate.interval(adjusted.level);
        let within = low.ln() >= -plan.margin && high.ln() <= plan.margin;
        comparison.verdict = if within {
            Verdict::Equivalent
        } else if adjusted.p_value >= ALPHA {
            Verdict::Unresolved
        } else if estimate.mean_log > 0.0 {
            Verdict::Faster
        } else {
            Verdict::Slower
        };
        if comparison.verdict == Verdict::Unresolved {
            let (pairs, deviation) = (estimate.pairs, estimate.deviation);
            let needed = statistics::pairs_needed(pairs, deviation, plan.margin, strictest);
            comparison.still_needed = needed.map(|needed| needed - pairs);
        }
        comparison.adjusted = Some(adjusted);
        comparison.interval = Some((low, high));
        comparison.detectable = Some(estimate.detectable(strictest));
    }
}

/// The winner is compared with each other in pairs of the same rounds, in a family of their own.
fn fastest(samples: &[Sample], comparisons: &[Comparison]) -> Vec<usize> {
    let ratio = |c: &Comparison| c.estimate.as_ref().map_or(0.0, |e| e.ratio);
    let mut faster: Vec<&Comparison> = comparisons
        .iter()
        .filter(|comparison| comparison.verdict == Verdict::Faster)
        .collect();
    faster.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let Some((best, others)) = faster.split_first() else {
        return Vec::new();
    };
    let p_values: Vec<f64> = others
        .iter()
        .map(|other| {
            let pairs = log_ratios(samples, other.subject, best.subject);
            let logs: Vec<f64> = pairs.into_iter().map(|(_, log_ratio)| log_ratio).collect();
            Estimate::of(&logs).map_or(1.0, |estimate| estimate.p_value)
        })
        .collect();
    let open = others
        .iter()
        .zip(statistics::holm(&p_values))
        .filter(|(_, adjusted)| adjusted.p_value >= ALPHA)
        .map(|(other, _)| other.subject);
    std::iter::once(best.subject).chain(open).collect()
}

fn round_seconds(samples: &[Sample]) -> f64 {
    let mut rounds: BTreeMap<usize, f64> = BTreeMap::new();
    for sample in samples {
        *rounds.entry(sample.round).or_default() += sample.process_seconds;
    }
    let seconds: Vec<f64> = rounds.into_values().collect();
    if seconds.is_empty() {
        return 0.0;
    }
    statistics::median(&seconds)
}

/// "Too slow" is said with a chance of error of 5% over all comparisons together. "Allowed" needs
/// every comparison to be clearly within the limit, so that no adjustment is called for. A session
/// that was cut short decides nothing: when to stop must not depend on what was seen.
fn decide(limit: f64, session: &Session, scenarios: &[ScenarioAnalysis]) -> Decision {
    let has_baseline = session.failures.iter().all(|failure| failure.subject != 0);
    let is_whole = |scenario: &ScenarioAnalysis| scenario.rounds == session.plan.rounds;
    if !has_baseline || !scenarios.iter().all(is_whole) {
        return Decision::Open;
    }
    let comparisons: Vec<&Comparison> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.comparisons)
        .collect();
    let estimates: Vec<&Estimate> = comparisons
        .iter()
        .filter(|comparison| comparison.verdict != Verdict::Failed)
        .filter_map(|comparison| comparison.estimate.as_ref())
        .collect();
    let too_slow: Vec<f64> = estimates.iter().map(|e| e.p_below(-limit)).collect();
    if statistics::holm(&too_slow)
        .iter()
        .any(|adjusted| adjusted.p_value < ALPHA)
    {
        Decision::TooSlow
    } else if estimates.len() == comparisons.len()
        && estimates.iter().all(|e| e.p_above(-limit) < ALPHA)
    {
        Decision::Allowed
    } else {
        Decision::Open
    }
}

/// Rounds in which somebody is missing would not be balanced, and are left out.
fn place_effects(plan: &Plan, samples: &[Sample]) -> Vec<f64> {
    let log = |sample: &Sample| seconds(sample).ln();
    let mean_of = |belongs: &dyn Fn(&&Sample) -> bool| {
        let logs: Vec<f64> = samples.iter().filter(belongs).map(log).collect();
        statistics::mean(&logs)
    };
    let in_round = |round: usize| samples.iter().filter(move |sample| sample.round == round);
    let whole: Vec<&Sample> = samples
        .iter()
        .filter(|sample| in_round(sample.round).count() == plan.subjects())
        .collect();
    if whole.is_empty() {
        return Vec::new();
    }
    (0..plan.subjects())
        .map(|place| {
            let residuals: Vec<f64> = whole
                .iter()
                .filter(|sample| sample.place == place)
                .map(|sample| {
                    log(sample)
                        - mean_of(&|other| other.round == sample.round)
                        - mean_of(&|other| other.subject == sample.subject)
                        + mean_of(&|_| true)
                })
                .collect();
            statistics::mean(&residuals)
        })
        .collect()
}

fn summarise(plan: &Plan, samples: &[Sample], subject: usize) -> Option<Summary> {
    // The control is the same program.
    let of_subject = |sample: &&Sample| plan.variant_of(sample.subject) == subject;
    let own: Vec<&Sample> = samples.iter().filter(of_subject).collect();
    let median = |value: &dyn Fn(&Sample) -> f64| {
        statistics::median(&own.iter().map(|sample| value(sample)).collect::<Vec<_>>())
    };
    let first = own.first()?;
    let synthesis_seconds = median(&seconds);
    Some(Summary {
        subject,
        processes: own.len(),
        synthesis_seconds,
        rest_seconds: median(&|sample| {
            (sample.process_seconds - sample.output.seconds.iter().sum::<f64>()).max(0.0)
        }),
        constraints: first.output.constraints,
        ns_per_constraint: first
            .output
            .constraints
            .map(|constraints| synthesis_seconds * 1e9 / constraints as f64),
        peak_rss_bytes: first
            .output
            .peak_rss_bytes
            .map(|_| median(&|sample| sample.output.peak_rss_bytes.unwrap_or(0) as f64)),
        minor_faults: median(&|sample| sample.minor_faults as f64),
        major_faults: median(&|sample| sample.major_faults as f64),
    })
}
