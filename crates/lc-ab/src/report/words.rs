//! What there is to say in sentences.

use crate::{
    analysis::{Analysis, Comparison, Decision, ScenarioAnalysis, Summary, Verdict},
    environment::Environment,
    explanation::{Explanation, VariantExplanation},
    plan::Plan,
    report::tables::percent,
    session::Session,
};

/// What an interval leaves out where each program was linked once.
pub const ONE_LAYOUT: &str = "Intervals of one layout are of these programs as they were linked: \
    the same sources can be about 1% faster or slower by where the linker puts their functions, \
    and only --layouts N has that in the intervals.";

pub const IN_BELLPERSON: &str = "In bellperson itself, as published";

/// What was compared, in one sentence.
pub fn setting(session: &Session, scenario: &ScenarioAnalysis) -> String {
    let plan = &session.plan;
    let program = plan.command.as_deref().unwrap_or(plan.name_of_program());
    let repeats = match &plan.command {
        Some(command) if !command.contains("{repeats}") => String::new(),
        _ => format!(", median of {} per process", plan.repeats),
    };
    format!(
        "{program}: {}; {} of {} rounds{repeats}{}.",
        scenario.name,
        scenario.rounds,
        plan.rounds,
        if plan.layouts > 1 {
            format!(", {} code layouts", plan.layouts)
        } else {
            String::new()
        }
    )
}

/// The verdict on one variant, in one sentence; and if it is open, in another, what would help.
pub fn verdict(plan: &Plan, scenario: &ScenarioAnalysis, comparison: &Comparison) -> String {
    let name = plan.name(comparison.subject);
    let baseline = plan.name(0);
    let (Some(estimate), Some((low, high))) = (&comparison.estimate, comparison.interval) else {
        return format!(
            "{name}: {}, as there are fewer than two pairs.",
            comparison.verdict
        );
    };
    let interval = format!(
        "{:.3} times as fast, interval{} {low:.3} to {high:.3}",
        estimate.ratio,
        if plan.layouts == 1 {
            " of one layout"
        } else {
            ""
        }
    );
    match comparison.verdict {
        Verdict::Faster => format!("{name} is faster than {baseline}: {interval}."),
        Verdict::Slower => format!("{name} is slower than {baseline}: {interval}."),
        Verdict::Equivalent => format!(
            "{name} is equivalent to {baseline}, within {}: {interval}.",
            percent(plan.margin)
        ),
        Verdict::Unresolved => format!(
            "{name} against {baseline} is unresolved: {interval}. {}",
            remedy(plan, scenario, comparison)
        ),
        Verdict::Failed => format!("{name} failed; what it did before is not judged."),
    }
}

/// What would settle an open comparison, and how long that takes.
fn remedy(plan: &Plan, scenario: &ScenarioAnalysis, comparison: &Comparison) -> String {
    let margin = percent(plan.margin);
    let found = match comparison.detectable {
        Some(detectable) => format!(
            "So many pairs, scattered like these, find a difference of {} four times in five",
            percent(detectable)
        ),
        None => return String::new(),
    };
    let pairs = comparison.log_ratios.len();
    match comparison.still_needed {
        Some(0) => format!("{found}; the true one lies near the margin of {margin}."),
        Some(more) if plan.layouts > 1 => {
            format!(
                "{found}; for one of {margin}, it takes --layouts {}.",
                plan.layouts + more
            )
        }
        Some(more) => {
            let minutes = ((pairs + more) as f64 * scenario.round_seconds / 60.0).ceil();
            format!(
                "{found}; for one of {margin}, it takes {more} more: --rounds {}, about \
                 {minutes:.0} minutes for this scenario. A machine that does nothing else takes \
                 fewer.",
                pairs + more
            )
        }
        None => format!(
            "{found}; no reasonable number finds one of {margin}: measure on a machine that does \
             nothing else, or be content with a wider --margin."
        ),
    }
}

/// What casts doubt on a scenario, or frees it of doubt.
pub fn notes(plan: &Plan, scenario: &ScenarioAnalysis) -> Vec<String> {
    let mut notes = Vec::new();
    match &scenario.control.estimate {
        Some(control) => {
            notes.push(format!(
                "Noise floor: the baseline against its own copy gives {:.3} (95% interval {:.3} \
                 to {:.3}); one pair scatters by {}.",
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
    let whole_designs = scenario
        .rounds
        .is_multiple_of(crate::schedule::rounds_in_a_design(plan.subjects()));
    let mut pairs = scenario.comparisons.iter().chain([&scenario.control]);
    let nobody_is_missing = pairs.all(|comparison| comparison.log_ratios.len() == scenario.rounds);
    if let (Some(most), Some(least)) = (
        effects.iter().copied().reduce(f64::max),
        effects.iter().copied().reduce(f64::min),
    ) {
        notes.push(format!(
            "Between places in a round, processes differ by up to {}; {}.",
            percent(most - least),
            if whole_designs && nobody_is_missing {
                "every variant took every place equally often"
            } else {
                "not every variant took every place equally often, as rounds or processes are \
                missing"
            }
        ));
    }
    if plan.layouts == 1 {
        notes.push(ONE_LAYOUT.to_owned());
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
    notes
}

/// What concerns the whole session.
pub fn remarks(session: &Session, analysis: &Analysis) -> Vec<String> {
    let plan = &session.plan;
    let mut remarks = session.remarks.clone();
    if Environment::throttled_between(&session.environment_before, &session.environment_after) {
        remarks.push(
            "The control group used up its processor time meanwhile: times are longer by the waits."
                .to_owned(),
        );
    }
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
    if let Some(Err(reason)) = &session.in_bellperson {
        remarks.push(format!("The row of bellperson itself is missing: {reason}"));
    }
    if let (Some(limit), Some(decision)) = (plan.fail_if_slower, analysis.decision) {
        let limit = percent(limit);
        remarks.push(match decision {
            Decision::TooSlow => format!("Decision: something is slower by more than {limit}."),
            Decision::Allowed => format!("Decision: nothing is slower by more than {limit}."),
            Decision::Open => {
                format!("Decision: open whether anything is slower by more than {limit}.")
            }
        });
    }
    remarks
}

/// What the winner saves, per constraint, in one paragraph; `None` if nothing is faster than the
/// baseline or nothing was looked into.
pub fn savings(session: &Session, analysis: &Analysis) -> Option<String> {
    let explanation = session.explanation.as_ref()?;
    let scenario = analysis.scenarios.first()?;
    let (&winner, ties) = scenario.fastest.split_first()?;
    let plan = &session.plan;
    let name = plan.name(winner);
    let comparison = scenario.comparisons.iter().find(|c| c.subject == winner)?;
    let ratio = comparison.estimate.as_ref()?.ratio;
    let names: Vec<String> = ties.iter().map(|&subject| plan.name(subject)).collect();
    let mut paragraph = match names.as_slice() {
        [] => format!(
            "{name} is the fastest, {ratio:.2} times as fast as {}.",
            plan.name(0)
        ),
        several => format!(
            "{name} did best, {ratio:.2} times as fast as {}, but is not shown to be faster than \
            {}.",
            plan.name(0),
            several.join(" or ")
        ),
    };
    if let (Some(baseline), Some(summary)) = (summary(scenario, 0), summary(scenario, winner)) {
        if let (Some(before), Some(after)) = (baseline.ns_per_constraint, summary.ns_per_constraint)
        {
            paragraph +=
                &format!(" It takes {after:.0} ns per constraint in place of {before:.0} ns.");
        }
    }
    let of = |subject: usize| explanation.variants.get(subject);
    if let (Some(baseline), Some(winner)) = (of(0), of(winner)) {
        paragraph += &saved(explanation, baseline, winner);
    }
    Some(paragraph)
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
        let calls = |count: &crate::explanation::Count| count.per_constraint(count.synthesis.calls);
        let bytes = |count: &crate::explanation::Count| count.per_constraint(count.synthesis.bytes);
        text += &format!(
            " It asks the allocator {:.2} times in place of {:.2}, for {:.0} bytes in place of \
            {:.0}.\
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
                " In 99 of 100 enforcements the three live combinations take up at most {live} \
                 bytes, which is {:.1}% of the first-level cache.",
                100.0 * live as f64 / caches.l1d.bytes as f64
            );
        }
    }
    if let (Ok(before), Ok(after)) = (&baseline.simulated, &winner.simulated) {
        text += &format!(
            " It executes {:.0} instructions in place of {:.0}, touches data {:.0} times in place \
             of {:.0}, and misses the first-level cache {:.2} times in place of {:.2}, the last \
             level {:.3} times in place of {:.3} (simulated, the first {} constraints).",
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
            " Instructions and misses are simulated, with the caches of {}, for the first {} \
             constraints of a circuit with one challenge, one thread.",
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
