//! From samples to verdicts.
//!
//! In each round, a variant and the baseline make a pair, whose log-ratio of seconds is what
//! counts: what slows a whole round cancels. The verdicts on all variants in all scenarios are one
//! family (Holm), so that the chance of calling anything faster or slower in a session of equals
//! is at most 5%. Where programs were linked in several layouts, the layouts are the independent
//! observations, and not the rounds.

use serde::{Deserialize, Serialize};

use crate::{
    plan::Plan,
    session::{Sample, Session},
    statistics::{self, Estimate, ALPHA},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Analysis {
    pub scenarios: Vec<ScenarioAnalysis>,
    /// What `--fail-if-slower` comes to.
    pub decision: Option<Decision>,
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
    /// Of every variant.
    pub summaries: Vec<Summary>,
}

/// A variant against the baseline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    pub subject: usize,
    /// By round.
    pub log_ratios: Vec<f64>,
    /// `None` if there are fewer than two pairs.
    pub estimate: Option<Estimate>,
    /// The p-value after Holm's adjustment.
    pub adjusted_p: Option<f64>,
    pub verdict: Verdict,
    /// How many more pairs (or layouts, where there are several) it would take to find a
    /// difference as small as the margin; zero when there are enough.
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
    /// Of the witness, which is the part of a synthesis that is not linear combinations.
    pub witness_seconds: Option<f64>,
    /// Of all that a process does beside its syntheses.
    pub rest_seconds: f64,
    pub ns_per_constraint: Option<f64>,
    pub peak_rss_bytes: Option<f64>,
    pub minor_faults: f64,
    pub major_faults: f64,
}

impl Summary {
    /// Of building, evaluating and dropping the linear combinations.
    pub fn combinations_seconds(&self) -> Option<f64> {
        self.witness_seconds
            .map(|witness| self.synthesis_seconds - witness)
    }
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
    let decision = plan.fail_if_slower.map(|limit| decide(limit, &scenarios));
    Analysis {
        scenarios,
        decision,
    }
}

/// As documented in `--help`.
pub fn exit_code(session: &Session, analysis: &Analysis) -> u8 {
    match analysis.decision {
        Some(Decision::TooSlow) => 1,
        _ if !session.failures.is_empty() => 3,
        Some(Decision::Open) => 4,
        Some(Decision::Allowed) | None => 0,
    }
}

fn analyse_scenario(session: &Session, scenario: usize) -> ScenarioAnalysis {
    let plan = &session.plan;
    let of_scenario = |samples: &[Sample]| -> Vec<Sample> {
        let of_it = samples.iter().filter(|sample| sample.scenario == scenario);
        of_it.cloned().collect()
    };
    let samples = of_scenario(&session.samples);
    let witness_samples = of_scenario(&session.witness_samples);
    let compare = |subject: usize| compare(session, &samples, subject);
    ScenarioAnalysis {
        name: plan.scenarios[scenario].to_string(),
        rounds: samples
            .iter()
            .map(|sample| sample.round + 1)
            .max()
            .unwrap_or(0),
        control: compare(plan.control()),
        place_effects: place_effects(plan, &samples),
        comparisons: (1..plan.variants.len()).map(compare).collect(),
        summaries: (0..plan.variants.len())
            .filter_map(|subject| summarise(plan, &samples, &witness_samples, subject))
            .collect(),
    }
}

fn compare(session: &Session, samples: &[Sample], subject: usize) -> Comparison {
    let plan = &session.plan;
    let mut log_ratios = Vec::new();
    let mut by_layout: Vec<Vec<f64>> = vec![Vec::new(); plan.layouts];
    for sample in samples.iter().filter(|sample| sample.subject == subject) {
        let baseline = samples
            .iter()
            .find(|other| other.round == sample.round && other.subject == 0);
        if let Some(baseline) = baseline {
            let log_ratio = (seconds(baseline) / seconds(sample)).ln();
            log_ratios.push(log_ratio);
            by_layout[sample.layout].push(log_ratio);
        }
    }
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
        still_needed: estimate.as_ref().and_then(|estimate| {
            let needed = statistics::pairs_needed(estimate.deviation, plan.margin)?;
            Some(needed.saturating_sub(estimate.pairs))
        }),
        estimate,
        adjusted_p: None,
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
    for ((comparison, estimate), adjusted) in family.iter_mut().zip(statistics::holm(&p_values)) {
        comparison.adjusted_p = Some(adjusted);
        let within = estimate.low.ln() >= -plan.margin && estimate.high.ln() <= plan.margin;
        comparison.verdict = if within {
            Verdict::Equivalent
        } else if adjusted >= ALPHA {
            Verdict::Unresolved
        } else if estimate.mean_log > 0.0 {
            Verdict::Faster
        } else {
            Verdict::Slower
        };
    }
}

/// "Too slow" is said with a chance of error of 5% over all comparisons together. "Allowed" needs
/// every comparison to be clearly within the limit, so that no adjustment is called for.
fn decide(limit: f64, scenarios: &[ScenarioAnalysis]) -> Decision {
    let comparisons: Vec<&Comparison> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.comparisons)
        .filter(|comparison| comparison.verdict != Verdict::Failed)
        .collect();
    let estimates: Vec<&Estimate> = comparisons
        .iter()
        .filter_map(|comparison| comparison.estimate.as_ref())
        .collect();
    let too_slow: Vec<f64> = estimates.iter().map(|e| e.p_below(-limit)).collect();
    if statistics::holm(&too_slow).iter().any(|&p| p < ALPHA) {
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

fn summarise(
    plan: &Plan,
    samples: &[Sample],
    witness_samples: &[Sample],
    subject: usize,
) -> Option<Summary> {
    // The control is the same program.
    let of_subject = |samples: &[Sample]| -> Vec<Sample> {
        let own = samples
            .iter()
            .filter(|sample| plan.variant_of(sample.subject) == subject);
        own.cloned().collect()
    };
    let own = of_subject(samples);
    let median = |value: &dyn Fn(&Sample) -> f64| {
        statistics::median(&own.iter().map(value).collect::<Vec<_>>())
    };
    let first = own.first()?;
    let synthesis_seconds = median(&seconds);
    let witness: Vec<f64> = of_subject(witness_samples).iter().map(seconds).collect();
    Some(Summary {
        subject,
        processes: own.len(),
        synthesis_seconds,
        witness_seconds: (!witness.is_empty()).then(|| statistics::median(&witness)),
        rest_seconds: median(&|sample| {
            (sample.process_seconds - sample.output.seconds.iter().sum::<f64>()).max(0.0)
        }),
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
