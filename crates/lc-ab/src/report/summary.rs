//! Several sessions in one: `summary.md` with their tables, and `scaling.svg` with the
//! time per constraint over the size of the circuit.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use maud::{html, Markup};

use super::{
    markdown,
    tables::{self, Table},
    words,
};
use crate::{analysis::Analysis, session::Session};

/// A session, what was made of it, and how it is called.
pub struct Named {
    pub name: String,
    pub session: Session,
    pub analysis: Analysis,
}

/// Writes `summary.md` into `dir`, and `scaling.svg` if the sessions have circuits of several
/// sizes.
pub fn draw(dir: &Path, sessions: &[Named]) -> Result<()> {
    let all = with_inner(sessions);
    super::write(&dir.join("summary.md"), &text(&all))?;
    let lines = lines(&all);
    let first_and_last = |points: &Vec<(f64, f64)>| Some((points.first()?.0, points.last()?.0));
    let mut spans = lines.values().filter_map(first_and_last);
    if spans.any(|(least, most)| least < most) {
        super::write(&dir.join("scaling.svg"), &plot(&lines).into_string())?;
    }
    Ok(())
}

pub fn text_of(sessions: &[Named]) -> String {
    text(&with_inner(sessions))
}

/// The sessions, each with the one in bellperson itself that belongs to it.
fn with_inner(sessions: &[Named]) -> Vec<(String, &Session, &Analysis)> {
    sessions
        .iter()
        .flat_map(|named| {
            let outer = (named.name.clone(), &named.session, &named.analysis);
            let inner = match (&named.session.in_bellperson, &named.analysis.in_bellperson) {
                (Some(Ok(session)), Some(analysis)) => Some((
                    format!("{}, in bellperson", named.name),
                    &**session,
                    &**analysis,
                )),
                _ => None,
            };
            std::iter::once(outer).chain(inner)
        })
        .collect()
}

fn text(sessions: &[(String, &Session, &Analysis)]) -> String {
    let mut ratios = Table::new(&[
        "session",
        "scenario",
        "variant",
        "against",
        "times as fast",
        "layouts",
        "interval",
        "median pair",
        "pairs",
        "verdict",
    ]);
    let mut costs = Table::new(&[
        "session",
        "variant",
        "million constraints per partition",
        "threads",
        "ns per constraint",
        "peak bytes per constraint",
        "instructions per constraint",
        "allocations in enforce per thousand constraints",
    ]);
    for (name, session, analysis) in sessions {
        let plan = &session.plan;
        for (index, scenario) in analysis.scenarios.iter().enumerate() {
            for comparison in &scenario.comparisons {
                let mut row = vec![name.clone(), scenario.name.clone()];
                row.extend([plan.name(comparison.subject), plan.name(0)]);
                let [ratio, interval, median] = tables::figures(comparison);
                row.extend([ratio, plan.layouts.to_string(), interval, median]);
                row.push(comparison.log_ratios.len().to_string());
                row.push(comparison.verdict.to_string());
                ratios.rows.push(row);
            }
            for summary in &scenario.summaries {
                let circuit = &plan.scenarios[index];
                let dash = || "–".to_owned();
                let constraints = summary.constraints.map(|c| c as f64);
                let millions = constraints.map(|c| c / circuit.partitions as f64 / 1e6);
                let bytes = summary.peak_rss_bytes.zip(constraints);
                // Only the first scenario is looked into.
                let explained = session.explanation.as_ref().filter(|_| index == 0);
                let why = explained.and_then(|e| e.variants.get(summary.subject));
                let simulated = why.and_then(|why| why.simulated.as_ref().ok());
                let count = why.and_then(|why| why.count.as_ref().ok());
                costs.rows.push(vec![
                    name.clone(),
                    plan.name(summary.subject),
                    millions.map_or_else(dash, |m| format!("{m:.2}")),
                    circuit.threads.to_string(),
                    summary
                        .ns_per_constraint
                        .map_or_else(dash, |ns| format!("{ns:.0}")),
                    bytes.map_or_else(dash, |(b, c)| format!("{:.0}", b / c)),
                    simulated.map_or_else(dash, |s| format!("{:.0}", s.instructions)),
                    count.map_or_else(dash, |count| {
                        let thousand = 1000 * count.enforce.calls;
                        format!("{:.2}", count.per_constraint(thousand))
                    }),
                ]);
            }
        }
    }
    let (ratios, costs) = (markdown::laid_out(&ratios), markdown::laid_out(&costs));
    let one_layout = sessions
        .iter()
        .any(|(_, session, _)| session.plan.layouts == 1);
    let note = one_layout.then(|| format!("{}\n\n", words::ONE_LAYOUT));
    format!("{ratios}\n\n{}{costs}\n", note.unwrap_or_default())
}

/// By variant and threads: constraints of a partition, and nanoseconds per constraint.
type Lines = BTreeMap<(String, usize), Vec<(f64, f64)>>;

fn lines(sessions: &[(String, &Session, &Analysis)]) -> Lines {
    let mut lines = Lines::new();
    for (_, session, analysis) in sessions {
        let plan = &session.plan;
        for (circuit, scenario) in plan.scenarios.iter().zip(&analysis.scenarios) {
            for summary in &scenario.summaries {
                if let (Some(constraints), Some(ns)) =
                    (summary.constraints, summary.ns_per_constraint)
                {
                    let size = constraints as f64 / circuit.partitions as f64;
                    let line = (plan.name(summary.subject), circuit.threads);
                    lines.entry(line).or_default().push((size, ns));
                }
            }
        }
    }
    for points in lines.values_mut() {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;

/// Sizes by their logarithm; a colour for each variant, dashes for more than one thread.
fn plot(lines: &Lines) -> Markup {
    let points = || lines.values().flatten();
    let least = points()
        .map(|(size, _)| size.ln())
        .fold(f64::INFINITY, f64::min);
    let most = points()
        .map(|(size, _)| size.ln())
        .fold(f64::NEG_INFINITY, f64::max);
    let highest = points().map(|(_, ns)| *ns).fold(0.0, f64::max) * 1.05;
    let x = |size: f64| LEFT + (size.ln() - least) / (most - least).max(1e-9) * WIDTH;
    let y = |ns: f64| TOP + HEIGHT * (1.0 - ns / highest);
    let mut sizes: Vec<f64> = points().map(|(size, _)| *size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup_by(|a, b| (*a / *b).ln().abs() < 0.1);
    let mut variants: Vec<&String> = lines.keys().map(|(variant, _)| variant).collect();
    variants.dedup();
    let colour = |variant: &String| {
        let place = variants.iter().position(|other| *other == variant);
        format!("hsl({},65%,35%)", 360 * place.unwrap_or(0) / variants.len())
    };
    let step = (highest / 5.0 / 50.0).ceil() * 50.0;
    let grid = (0..).map(|index| index as f64 * step);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 470"
            font-family="sans-serif" font-size="12" {
            rect width="900" height="470" fill="#ffffff" {}
            @for ns in grid.take_while(|ns| *ns <= highest) {
                line x1=(LEFT) x2=(LEFT + WIDTH) y1=(y(ns)) y2=(y(ns)) stroke="#d0d7de" {}
                text x=(LEFT - 6.0) y=(y(ns) + 4.0) text-anchor="end" { (format!("{ns:.0}")) }
            }
            @for size in sizes {
                text x=(x(size)) y=(TOP + HEIGHT + 18.0)
                    text-anchor="middle" { (format!("{:.1}", size / 1e6)) }
            }
            text x=(LEFT + WIDTH / 2.0) y=(TOP + HEIGHT + 38.0) text-anchor="middle" { "million \
            constraints per partition" }
            text x=(LEFT) y="12" { "ns per constraint" }
            @for (row, ((variant, threads), points)) in lines.iter().enumerate() {
                @let dashes = if *threads > 1 { "6 4" } else { "none" };
                @let at = |(size, ns): &(f64, f64)| format!("{:.1},{:.1}", x(*size), y(*ns));
                polyline points=(points.iter().map(at).collect::<Vec<_>>().join(" ")) fill="none"
                    stroke=(colour(variant)) stroke-width="2" stroke-dasharray=(dashes) {}
                @for (size, ns) in points { circle cx=(x(*size)) cy=(y(*ns)) r="3"
                    fill=(colour(variant)) {} }
                text x=(LEFT + WIDTH + 16.0) y=(TOP + 16.0 * (row + 1) as f64)
                    fill=(colour(variant)) {
                    (variant) ", threads: " (threads)
                }
            }
        }
    }
}
