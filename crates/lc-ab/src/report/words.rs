//! What there is to say in sentences.

use crate::{
    analysis::{Analysis, Comparison, Decision, ScenarioAnalysis, Summary, Verdict},
    explanation::{Explanation, VariantExplanation},
    plan::Plan,
    report::tables::percent,
    session::Session,
};

/// What was compared, in one sentence.
pub fn setting(session: &Session, scenario: &ScenarioAnalysis) -> String {
    let plan = &session.plan;
    let program = plan.command.as_deref().unwrap_or("porep-synth");
    format!(
        "{program}: {}; {} of {} rounds, median of {} a process{}.",
        scenario.name,
        scenario.rounds,
        plan.rounds,
        plan.repeats,
        if plan.layouts > 1 {
            format!(", {} code layouts", plan.layouts)
        } else {
            String::new()
        }
    )
}

/// The verdict on one variant, in one sentence.
pub fn verdict(plan: &Plan, comparison: &Comparison) -> String {
    let name = plan.name(comparison.subject);
    let baseline = plan.name(0);
    let Some(estimate) = &comparison.estimate else {
        return format!(
            "{name}: {}, as there are fewer than two pairs.",
            comparison.verdict
        );
    };
    let interval = format!(
        "{:.3} times as fast, 95% interval {:.3} to {:.3}",
        estimate.ratio, estimate.low, estimate.high
    );
    match comparison.verdict {
        Verdict::Faster => format!("{name} is faster than {baseline}: {interval}."),
        Verdict::Slower => format!("{name} is slower than {baseline}: {interval}."),
        Verdict::Equivalent => format!(
            "{name} is equivalent to {baseline}, within {}: {interval}.",
            percent(plan.margin)
        ),
        Verdict::Unresolved => format!(
            "{name} against {baseline} is unresolved: {interval}; {}.",
            match comparison.still_needed {
                Some(0) => format!(
                    "a difference of {} would have been found",
                    percent(plan.margin)
                ),
                Some(pairs) => format!(
                    "{pairs} more {} would find a difference of {} four times in five",
                    if plan.layouts > 1 { "layouts" } else { "pairs" },
                    percent(plan.margin)
                ),
                None => "no reasonable number of pairs would settle it in this noise".to_owned(),
            }
        ),
        Verdict::Failed => format!("{name} failed; what it did before is not judged."),
    }
}

/// What casts doubt on a scenario, or frees it of doubt.
pub fn notes(plan: &Plan, scenario: &ScenarioAnalysis) -> Vec<String> {
    let mut notes = Vec::new();
    match &scenario.control.estimate {
        Some(control) => {
            notes.push(format!(
                "Noise floor: the baseline against its own copy gives {:.3} (95% interval {:.3} to {:.3}); \
                 one pair scatters by {}.",
                control.ratio,
                control.low,
                control.high,
                percent(control.deviation)
            ));
            if control.p_value < 0.01 {
                notes.push(
                    "The copy differs from the baseline by more than chance explains: \
                     the machine was not quiet, and small differences here are not to be trusted."
                        .to_owned(),
                );
            }
        }
        None => notes
            .push("There is no noise floor: the baseline's copy gave too few pairs.".to_owned()),
    }
    let effects = &scenario.place_effects;
    if let (Some(most), Some(least)) = (
        effects.iter().copied().reduce(f64::max),
        effects.iter().copied().reduce(f64::min),
    ) {
        notes.push(format!(
            "Between places in a round, processes differ by up to {}; every variant took every place equally often.",
            percent(most - least)
        ));
    }
    for comparison in &scenario.comparisons {
        if let Some(deviation) = comparison.layout_deviation {
            notes.push(format!(
                "Code layout: {} against {} differs between layouts by {} (standard deviation).",
                plan.name(comparison.subject),
                plan.name(0),
                percent(deviation)
            ));
        }
    }
    if !scenario
        .rounds
        .is_multiple_of(crate::schedule::rounds_in_a_design(plan.subjects()))
    {
        notes.push(
            "The rounds end within a balanced design, so places are not quite balanced.".to_owned(),
        );
    }
    notes
}

/// What concerns the whole session.
pub fn remarks(session: &Session, analysis: &Analysis) -> Vec<String> {
    let plan = &session.plan;
    let mut remarks = Vec::new();
    if session.interrupted {
        remarks.push("Interrupted: only the rounds that were complete are reported.".to_owned());
    }
    for failure in &session.failures {
        let when = match failure.round {
            Some(round) => format!("in round {}", round + 1),
            None => "before the timing".to_owned(),
        };
        remarks.push(format!(
            "{} failed {when}: {}.",
            plan.name(failure.subject),
            failure.reason.trim_end_matches('.')
        ));
    }
    if let (Some(limit), Some(decision)) = (plan.fail_if_slower, analysis.decision) {
        let limit = percent(limit);
        remarks.push(match decision {
            Decision::TooSlow => format!("Decision: something is slower by more than {limit}."),
            Decision::Allowed => format!("Decision: nothing is slower by more than {limit}."),
            Decision::Open => {
                format!("Decision: open whether anything is slower by more than {limit}; more --rounds would tell.")
            }
        });
    }
    remarks
}

/// What the winner saves, a constraint, in one paragraph; `None` if nothing is faster than the
/// baseline or nothing was looked into.
pub fn savings(session: &Session, analysis: &Analysis) -> Option<String> {
    let explanation = session.explanation.as_ref()?;
    let scenario = analysis.scenarios.first()?;
    let winner = winner(scenario)?;
    let plan = &session.plan;
    let name = plan.name(winner.subject);
    let mut paragraph = format!(
        "{name} is the fastest, {:.2} times as fast as {}.",
        winner.estimate.as_ref()?.ratio,
        plan.name(0)
    );
    if let (Some(baseline), Some(summary)) =
        (summary(scenario, 0), summary(scenario, winner.subject))
    {
        if let (Some(before), Some(after)) = (baseline.ns_per_constraint, summary.ns_per_constraint)
        {
            paragraph += &format!(" A constraint takes {after:.0} ns in place of {before:.0} ns.");
        }
    }
    let of = |subject: usize| explanation.variants.get(subject);
    if let (Some(baseline), Some(winner)) = (of(0), of(winner.subject)) {
        paragraph += &saved(explanation, baseline, winner);
    }
    Some(paragraph)
}

fn winner(scenario: &ScenarioAnalysis) -> Option<&Comparison> {
    let faster = scenario
        .comparisons
        .iter()
        .filter(|c| c.verdict == Verdict::Faster);
    faster.max_by(|a, b| {
        let ratio = |c: &Comparison| c.estimate.as_ref().map_or(0.0, |e| e.ratio);
        ratio(a).total_cmp(&ratio(b))
    })
}

fn summary(scenario: &ScenarioAnalysis, subject: usize) -> Option<&Summary> {
    scenario
        .summaries
        .iter()
        .find(|summary| summary.subject == subject)
}

fn saved(
    explanation: &Explanation,
    baseline: &VariantExplanation,
    winner: &VariantExplanation,
) -> String {
    let mut text = String::new();
    if let (Ok(before), Ok(after)) = (&baseline.count, &winner.count) {
        let calls = |count: &crate::explanation::Count| count.a_constraint(count.synthesis.calls);
        let bytes = |count: &crate::explanation::Count| count.a_constraint(count.synthesis.bytes);
        text += &format!(
            " It asks the allocator {:.2} times in place of {:.2}, for {:.0} bytes in place of {:.0}.\
             \u{20}A combination is {} bytes to move about, not {}.",
            calls(after),
            calls(before),
            bytes(after),
            bytes(before),
            after.combination_bytes,
            before.combination_bytes
        );
        if let Ok(caches) = &explanation.caches {
            let live = crate::explanation::quantile(&after.live_bytes, 0.99).unwrap_or(0);
            text += &format!(
                " In 99 of 100 enforcements the three live combinations take up at most {live} bytes, \
                 which is {:.1}% of the first-level cache.",
                100.0 * live as f64 / caches.l1d.bytes as f64
            );
        }
    }
    if let (Ok(before), Ok(after)) = (&baseline.simulated, &winner.simulated) {
        text += &format!(
            " It executes {:.0} instructions in place of {:.0}, touches data {:.0} times in place of {:.0}, and misses \
             the first-level cache {:.2} times in place of {:.2}, the last level {:.3} times in place of {:.3} \
             (simulated, the first {} constraints).",
            after.instructions,
            before.instructions,
            after.data_accesses,
            before.data_accesses,
            after.l1d_misses,
            before.l1d_misses,
            after.ll_misses,
            before.ll_misses,
            after.constraints
        );
    }
    text
}

/// What the figures of an explanation are figures of.
pub fn basis(explanation: &Explanation) -> String {
    let mut basis =
        "Looked at apart from the timed runs; figures are for one constraint.".to_owned();
    let mut simulated = explanation
        .variants
        .iter()
        .filter_map(|v| v.simulated.as_ref().ok());
    if let (Some(simulated), Ok(caches)) = (simulated.next(), &explanation.caches) {
        basis += &format!(
            " Instructions and misses are simulated, with the caches of {}, for the first {} constraints \
             of a circuit with one challenge, one thread.",
            caches.processor, simulated.constraints
        );
    }
    basis
}

/// Why parts of the explanation are missing.
pub fn unavailable(plan: &Plan, explanation: &Explanation) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut note = |what: &str, reason: &str| {
        let sentence = format!("{what}: {}.", reason.trim_end().trim_end_matches('.'));
        if !reasons.contains(&sentence) {
            reasons.push(sentence);
        }
    };
    if let Err(reason) = &explanation.caches {
        note("Caches", reason);
    }
    if let Err(reason) = &explanation.census {
        note("Temporaries", reason);
    }
    for (subject, variant) in explanation.variants.iter().enumerate() {
        let name = plan.name(subject);
        if let Err(reason) = &variant.count {
            note(&format!("Sizes and allocations of {name}"), reason);
        }
        if let Err(reason) = &variant.simulated {
            note(&format!("Simulated caches of {name}"), reason);
        }
        match &variant.counters {
            Err(reason) => note("Hardware counters", reason),
            Ok(counters) => {
                for (counter, reading) in counters {
                    if let Err(reason) = reading {
                        note(&format!("Hardware counter of {counter}"), reason);
                    }
                }
            }
        }
    }
    reasons
}
