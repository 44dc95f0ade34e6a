//! The tables that all reports show, as rows of text.

use crate::{
    analysis::{Comparison, ScenarioAnalysis, Summary},
    explanation::{self, Count, Explanation, Histogram, Reading},
    plan::Plan,
    session::Session,
};

/// Headings and rows; the first column names what the row is of.
pub struct Table {
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Self {
        Self {
            headings: headings.iter().map(|heading| heading.to_string()).collect(),
            rows: Vec::new(),
        }
    }
}

/// The verdicts, the baseline first and the control last.
pub fn verdicts(plan: &Plan, scenario: &ScenarioAnalysis) -> Table {
    let mut table = Table::new(&[
        "variant",
        "times as fast",
        if plan.layouts == 1 {
            "95% interval, one layout"
        } else {
            "95% interval"
        },
        "median",
        "p (Holm)",
        "verdict",
        "detectable",
        "pairs",
        "more pairs",
    ]);
    let dash = || "–".to_owned();
    let mut baseline = vec![plan.name(0), "1".to_owned()];
    baseline.extend([dash(), dash(), dash(), "baseline".to_owned()]);
    baseline.extend([dash(), dash(), dash()]);
    table.rows.push(baseline);
    for comparison in &scenario.comparisons {
        let mut row = vec![plan.name(comparison.subject)];
        row.extend(figures(comparison));
        row.push(
            comparison
                .adjusted
                .map_or_else(dash, |a| p_value(a.p_value)),
        );
        row.push(comparison.verdict.to_string());
        row.extend(sensitivity(comparison));
        table.rows.push(row);
    }
    if scenario.control.estimate.is_some() {
        let mut row = vec![plan.name(plan.control())];
        row.extend(figures(&scenario.control));
        row.extend([dash(), "noise floor".to_owned()]);
        row.extend(sensitivity(&scenario.control));
        table.rows.push(row);
    }
    table
}

/// How many times as fast, the interval, and the median pair.
pub fn figures(comparison: &Comparison) -> [String; 3] {
    match (&comparison.estimate, comparison.interval) {
        (Some(estimate), Some((low, high))) => [
            format!("{:.3}", estimate.ratio),
            format!("{low:.3}–{high:.3}"),
            format!("{:.3}", estimate.median_ratio),
        ],
        _ => ["–".to_owned(), "–".to_owned(), "–".to_owned()],
    }
}

fn sensitivity(comparison: &Comparison) -> [String; 3] {
    let dash = || "–".to_owned();
    [
        comparison.detectable.map_or_else(dash, percent),
        comparison.log_ratios.len().to_string(),
        match comparison.still_needed {
            Some(pairs) => pairs.to_string(),
            None => dash(),
        },
    ]
}

/// Where the time of a process goes, and what else it costs.
pub fn costs(plan: &Plan, scenario: &ScenarioAnalysis) -> Table {
    let mut table = Table::new(&[
        "variant",
        match plan.command {
            None => "synthesis, s",
            Some(_) => "by the program, s",
        },
        "rest of the process, s",
        "ns per constraint",
        "peak resident, MiB",
        "page faults (major)",
    ]);
    let optional = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
    };
    for summary in &scenario.summaries {
        let Summary {
            subject,
            synthesis_seconds,
            rest_seconds,
            ns_per_constraint,
            peak_rss_bytes,
            minor_faults,
            major_faults,
            ..
        } = summary;
        table.rows.push(vec![
            plan.name(*subject),
            format!("{synthesis_seconds:.3}"),
            format!("{rest_seconds:.3}"),
            optional(*ns_per_constraint, 1),
            optional(peak_rss_bytes.map(|bytes| bytes / (1 << 20) as f64), 1),
            format!("{minor_faults:.0} ({major_faults:.0})"),
        ]);
    }
    table
}

/// What the combinations of each variant are and cost, per constraint.
pub fn explanation(plan: &Plan, explanation: &Explanation) -> Table {
    let mut table = Table::new(&[
        "variant",
        "combination, bytes (lines)",
        "indexer, bytes (lines)",
        "term, bytes (lines)",
        "terms inline",
        "live in an enforce, bytes (p50, p99, max)",
        "allocations (in enforce)",
        "allocated bytes",
        "instructions",
        "L1d misses",
        "last-level misses",
    ]);
    let unavailable = || "not available".to_owned();
    for (subject, variant) in explanation.variants.iter().enumerate() {
        let mut row = vec![plan.name(subject)];
        match &variant.count {
            Ok(count) => row.extend(counted(count)),
            Err(_) => row.extend(std::iter::repeat_with(unavailable).take(7)),
        }
        match &variant.simulated {
            Ok(simulated) => row.extend([
                format!("{:.0}", simulated.instructions),
                format!("{:.3}", simulated.l1d_misses),
                format!("{:.4}", simulated.ll_misses),
            ]),
            Err(_) => row.extend(std::iter::repeat_with(unavailable).take(3)),
        }
        table.rows.push(row);
    }
    table
}

fn counted(count: &Count) -> [String; 7] {
    let sized = |bytes: usize| format!("{bytes} ({})", lines(bytes));
    let live = |share: f64| explanation::quantile(&count.live_bytes, share).unwrap_or(0);
    [
        sized(count.combination_bytes),
        sized(count.indexer_bytes()),
        sized(count.term_bytes),
        count.inline_terms.to_string(),
        format!("{}, {}, {}", live(0.5), live(0.99), live(1.0)),
        format!(
            "{:.3} ({:.3})",
            count.per_constraint(count.synthesis.calls),
            count.per_constraint(count.enforce.calls)
        ),
        format!("{:.1}", count.per_constraint(count.synthesis.bytes)),
    ]
}

/// Terms of the combinations of the circuit, and how many would fit which storage.
pub fn terms(explanation: &Explanation) -> Option<Table> {
    let count = explanation
        .variants
        .iter()
        .find_map(|variant| variant.count.as_ref().ok())?;
    let mut table = Table::new(&[
        "combinations",
        "number",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
        "empty",
        "fit 1 inline",
        "fit 4 inline",
    ]);
    let mut row = |name: &str, histogram: &Histogram| {
        let quantile = |share: f64| {
            explanation::quantile(histogram, share)
                .map_or_else(|| "–".to_owned(), |n| n.to_string())
        };
        let fit =
            |terms: usize| format!("{:.1}%", 100.0 * explanation::share_up_to(histogram, terms));
        table.rows.push(vec![
            name.to_owned(),
            histogram.values().sum::<u64>().to_string(),
            quantile(0.5),
            quantile(0.9),
            quantile(0.99),
            quantile(0.999),
            quantile(1.0),
            fit(0),
            fit(1),
            fit(4),
        ]);
    };
    row("A", &count.a);
    row("B", &count.b);
    row("C", &count.c);
    row("all final ones", &count.terms());
    if let Some(temporaries) = temporaries(explanation, count) {
        row("temporaries", &temporaries);
    }
    Some(table)
}

/// What was dropped and never reached `enforce`; `None` if nothing was, or it is not known.
pub fn temporaries(explanation: &Explanation, count: &Count) -> Option<Histogram> {
    let finals = count.terms();
    let census = explanation.census.as_ref().ok()?;
    let temporaries: Histogram = census
        .iter()
        .map(|(&terms, &dropped)| {
            let final_ones = finals.get(&terms).copied().unwrap_or(0);
            (terms, dropped.saturating_sub(final_ones))
        })
        .filter(|(_, dropped)| *dropped > 0)
        .collect();
    (!temporaries.is_empty()).then_some(temporaries)
}

/// Hardware counters, per constraint; `Err` says why there are none.
pub fn counters(plan: &Plan, explanation: &Explanation) -> Reading<Table> {
    let first = explanation
        .variants
        .first()
        .ok_or_else(|| "nothing was looked into".to_owned())?;
    let mut table = Table::new(&["variant"]);
    let names = first.counters.clone()?;
    table.headings.extend(names.keys().cloned());
    for (subject, variant) in explanation.variants.iter().enumerate() {
        let mut row = vec![plan.name(subject)];
        let counters = variant.counters.clone()?;
        row.extend(counters.values().map(|count| match count {
            Ok(count) => format!("{count:.2}"),
            Err(_) => "not available".to_owned(),
        }));
        table.rows.push(row);
    }
    Ok(table)
}

/// The machine before and after, and the programs.
pub fn environment(session: &Session) -> Table {
    let mut table = Table::new(&["fact", "before", "after"]);
    for (fact, before) in &session.environment_before.0 {
        let after = session.environment_after.0.get(fact);
        table.rows.push(vec![
            fact.clone(),
            before.clone(),
            match after {
                Some(after) if after == before => "the same".to_owned(),
                Some(after) => after.clone(),
                None => "–".to_owned(),
            },
        ]);
    }
    for program in &session.programs {
        let mut name = format!("program of {}", session.plan.name(program.subject));
        if session.plan.layouts > 1 {
            name += &format!(", layout {}", program.layout);
        }
        let features = program.core_features.join(", ");
        let variant = &session.plan.variants[session.plan.variant_of(program.subject)];
        let allocator = variant.allocator();
        let sources = match &program.core_sha256 {
            Some(sha256) => format!(", sources' SHA-256 {sha256}"),
            None => String::new(),
        };
        table.rows.push(vec![
            name,
            format!("SHA-256 {}", program.sha256),
            format!(
                "{} [{features}], allocator {allocator}{sources}",
                program.core
            ),
        ]);
    }
    table
}

/// Cache lines of 64 bytes, if it starts at one.
pub fn lines(bytes: usize) -> usize {
    bytes.div_ceil(64)
}

pub fn percent(log_ratio: f64) -> String {
    format!("{:.2}%", 100.0 * log_ratio.exp_m1())
}

fn p_value(p: f64) -> String {
    if p < 0.0001 {
        "<0.0001".to_owned()
    } else {
        format!("{p:.4}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_begun_ones() {
        assert_eq!((lines(8), lines(64), lines(65), lines(384)), (1, 1, 2, 6));
    }
}
