//! Drawings for the page. Places along an axis are percentages and heights are pixels, so that a
//! drawing fills a phone and a screen alike with text of the same size. Colours are those of the
//! style sheet, which knows about the dark; each mark has one of its own as well, since a page's
//! security policy can take the style sheet away.

use maud::{html, Markup};

use super::tables;
use crate::{
    analysis::{self, Comparison, ScenarioAnalysis},
    caches::Caches,
    explanation::{self, Count, Histogram},
    plan::Plan,
    session::Session,
};

const QUIET: &str = "#57606a";
const BAND: &str = "#e6edf3";
const DOT: &str = "#0969da";
const MEAN: &str = "#b4310a";
const MOST: &str = "#9ec5f4";

/// A stretch of numbers laid along the width.
struct Axis {
    low: f64,
    high: f64,
}

/// Left and right of the numbers, so that labels at the ends stay inside.
const MARGIN_PERCENT: f64 = 6.0;

impl Axis {
    /// Around all `values`, with some room.
    fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = values
            .into_iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let room = ((high - low) * 0.05).max(high.abs() * 1e-3);
        Self {
            low: low - room,
            high: high + room,
        }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        MARGIN_PERCENT + share * (100.0 - 2.0 * MARGIN_PERCENT)
    }

    fn percent(&self, value: f64) -> String {
        format!("{:.3}%", self.place(value))
    }

    /// Three to six round numbers.
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 4.0;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * magnitude)
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * magnitude);
        let first = (self.low / step).ceil() as i64;
        (first..)
            .map(|index| index as f64 * step)
            .take_while(|tick| *tick <= self.high)
            .collect()
    }

    fn scale(&self, unit: &str) -> Markup {
        let ticks = self.ticks();
        let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).next();
        let digits = step.map_or(3, |step| (-step.log10().floor()).max(0.0) as usize);
        html! {
            svg.scale width="100%" height="22" aria-hidden="true" {
                @for tick in ticks {
                    line x1=(self.percent(tick)) x2=(self.percent(tick)) y1="0" y2="5"
                        stroke=(QUIET) {}
                    text x=(self.percent(tick)) y="18" fill=(QUIET) font-size="12"
                        text-anchor="middle" { (format!("{tick:.digits$}")) (unit) }
                }
            }
        }
    }
}

/// The ratio of every pair of every variant, and what they come to.
pub fn ratios(plan: &Plan, scenario: &ScenarioAnalysis) -> Markup {
    let rows: Vec<&Comparison> = scenario
        .comparisons
        .iter()
        .chain([&scenario.control])
        .collect();
    let band = [(-plan.margin).exp(), plan.margin.exp()];
    let values = rows.iter().flat_map(|row| {
        let pairs = row.log_ratios.iter().map(|log_ratio| log_ratio.exp());
        let interval = row.interval.iter().flat_map(|(low, high)| [*low, *high]);
        pairs.chain(interval)
    });
    let axis = Axis::around(values.chain(band));
    html! {
        figure {
            figcaption {
                "Seconds of " (plan.name(0)) " over seconds of the variant, each pair a dot, the \
                mean with its 95% interval a bar; "
                "the band is the margin. Right of 1 is faster."
            }
            @for row in rows {
                div.label { (plan.name(row.subject)) " " span.quiet { (estimate_text(row)) } }
                (ratio_strip(&axis, band, row))
            }
            (axis.scale("×"))
        }
    }
}

fn estimate_text(row: &Comparison) -> String {
    match (&row.estimate, row.interval) {
        (Some(e), Some((low, high))) => format!("{:.3} ({low:.3} to {high:.3})", e.ratio),
        _ => "too few pairs".to_owned(),
    }
}

fn ratio_strip(axis: &Axis, band: [f64; 2], row: &Comparison) -> Markup {
    let width = format!("{:.3}%", axis.place(band[1]) - axis.place(band[0]));
    html! {
        svg.strip width="100%" height="36" role="img" aria-label=(estimate_text(row)) {
            rect.band x=(axis.percent(band[0])) width=(width) y="0" height="36" fill=(BAND) {}
            line.one x1=(axis.percent(1.0)) x2=(axis.percent(1.0)) y1="0" y2="36" stroke=(QUIET) {}
            @for (index, log_ratio) in row.log_ratios.iter().enumerate() {
                circle.dot cx=(axis.percent(log_ratio.exp())) cy=(spread(index)) r="3"
                    fill=(DOT) fill-opacity="0.55" {}
            }
            @if let (Some(e), Some((low, high))) = (&row.estimate, row.interval) {
                line.interval x1=(axis.percent(low)) x2=(axis.percent(high)) y1="18" y2="18"
                    stroke=(MEAN) stroke-width="4" {}
                line.mean x1=(axis.percent(e.ratio)) x2=(axis.percent(e.ratio)) y1="8" y2="28"
                    stroke=(MEAN) stroke-width="2" {}
            }
        }
    }
}

/// Heights that keep dots of neighbouring rounds apart.
fn spread(index: usize) -> usize {
    8 + (index * 7) % 21
}

/// The seconds of every process of every variant.
pub fn distributions(session: &Session, scenario_index: usize) -> Markup {
    let plan = &session.plan;
    let of = |subject: usize| -> Vec<f64> {
        let samples = session.samples.iter();
        samples
            .filter(|sample| sample.scenario == scenario_index && sample.subject == subject)
            .map(analysis::seconds)
            .collect()
    };
    let rows: Vec<(String, Vec<f64>)> = (0..plan.subjects())
        .map(|subject| (plan.name(subject), of(subject)))
        .filter(|(_, seconds)| !seconds.is_empty())
        .collect();
    if rows.is_empty() {
        return html! {};
    }
    let axis = Axis::around(rows.iter().flat_map(|(_, seconds)| seconds.iter().copied()));
    html! {
        figure {
            figcaption { "Seconds of one synthesis, each process a dot, their median a bar." }
            @for (name, seconds) in rows {
                @let median = crate::statistics::median(&seconds);
                div.label { (name) " " span.quiet { (format!("{median:.3} s")) } }
                svg.strip width="100%" height="36"
                    role="img" aria-label=(format!("median {median:.3} seconds")) {
                    @for (index, value) in seconds.iter().enumerate() {
                        circle.dot cx=(axis.percent(*value)) cy=(spread(index)) r="3"
                            fill=(DOT) fill-opacity="0.55" {}
                    }
                    line.mean x1=(axis.percent(median)) x2=(axis.percent(median)) y1="4" y2="32"
                        stroke=(MEAN) stroke-width="2" {}
                }
            }
            (axis.scale(" s"))
        }
    }
}

/// The bytes of a combination in cache lines, and those of an `enforce` in the first-level cache.
pub fn sizes(plan: &Plan, counts: &[(usize, &Count)], caches: Option<&Caches>) -> Markup {
    html! {
        figure {
            figcaption {
                "A combination as it is moved about, in cache lines of 64 bytes (aligned to one). "
                @if let Some(caches) = caches {
                    "Below it, the three combinations of an enforce with their terms, of the "
                    (caches.l1d.bytes / 1024) " KiB first-level cache of " (caches.processor)
                    ": in half of all cases, and in all but one of a hundred."
                }
            }
            @for (subject, count) in counts {
                div.label {
                    (plan.name(*subject)) " "
                    span.quiet { (count.combination_bytes) " bytes, " (count.inline_terms) " \
                    terms inline" }
                }
                (cache_lines(count.combination_bytes))
                @if let Some(caches) = caches {
                    @let shares = [(0.5, "full", DOT, "p50"), (0.99, "most", MOST, "p99")];
                    @for (share, class, colour, name) in shares {
                        @let bytes = explanation::quantile(&count.live_bytes, share).unwrap_or(0);
                        @let percent = (100.0 * bytes as f64 / caches.l1d.bytes as f64).min(100.0);
                        svg.cache width="100%" height="18" {
                            rect class=(class) width=(format!("{percent:.2}%")) height="18"
                                fill=(colour) {}
                            text x="99%" y="13" fill=(QUIET) font-size="12" text-anchor="end" {
                                (name) ": " (bytes) " bytes"
                            }
                        }
                    }
                }
            }
        }
    }
}

/// As many boxes as lines, filled as far as they are used.
fn cache_lines(bytes: usize) -> Markup {
    let lines = tables::lines(bytes);
    html! {
        svg.lines width=(47 * lines) height="18" aria-hidden="true" {
            @for line in 0..lines {
                @let used = (bytes - 64 * line).min(64) as f64;
                rect.full x=(47 * line + 1) y="1" width=(format!("{:.1}", used / 64.0 * 44.0))
                    height="16" fill=(DOT) {}
                rect.line x=(47 * line + 1) y="1" width="44" height="16" fill="none"
                    stroke=(QUIET) {}
            }
        }
    }
}

/// Numbers of terms, in classes that get wider.
const CLASSES: [(usize, usize); 12] = [
    (0, 0),
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (5, 8),
    (9, 16),
    (17, 32),
    (33, 64),
    (65, 128),
    (129, 256),
    (257, usize::MAX),
];

/// The share of combinations by their number of terms.
pub fn terms(name: &str, histogram: &Histogram) -> Markup {
    let total: u64 = histogram.values().sum();
    html! {
        figure.terms {
            figcaption { (name) ": " (total) " combinations by number of terms" }
            @for (from, to) in CLASSES {
                @let count: u64 = histogram.range(from..=to).map(|(_, count)| count).sum();
                @let percent = 100.0 * count as f64 / total.max(1) as f64;
                div.bar {
                    span.class { (class_name(from, to)) }
                    svg.track width="100%" height="12" aria-hidden="true" {
                        rect.band width="100%" height="12" fill=(BAND) {}
                        rect.full width=(format!("{percent:.3}%")) height="12" fill=(DOT) {}
                    }
                    span.share {
                        @if count == 0 { "–" }
                        @else if percent < 0.1 { (count) "×" }
                        @else { (format!("{percent:.1}%")) }
                    }
                }
            }
        }
    }
}

fn class_name(from: usize, to: usize) -> String {
    match (from, to) {
        (from, to) if from == to => from.to_string(),
        (from, usize::MAX) => format!("{from}+"),
        (from, to) => format!("{from}–{to}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for (low, high) in [(0.99, 1.61), (0.9995, 1.0005), (0.35, 0.36), (10.0, 70.0)] {
            let axis = Axis { low, high };
            let ticks = axis.ticks();
            assert!((2..=6).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|tick| (low..=high).contains(tick)));
        }
    }

    #[test]
    fn places_stay_within_the_width() {
        let axis = Axis::around([0.98, 1.0, 1.57]);
        assert!(axis.place(0.98) > MARGIN_PERCENT);
        assert!(axis.place(1.57) < 100.0 - MARGIN_PERCENT);
        let point = Axis::around([1.0]);
        assert!((point.place(1.0) - 50.0).abs() < 1e-6);
    }

    #[test]
    fn classes_cover_every_number_once() {
        let everything: Histogram = (0..2000).map(|terms| (terms, 1)).collect();
        let counted: u64 = CLASSES
            .iter()
            .map(|&(from, to)| everything.range(from..=to).count() as u64)
            .sum();
        assert_eq!(counted, 2000);
    }
}
