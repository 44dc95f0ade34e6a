//! `report.html`: one file that needs nothing else, for a phone and for the dark as well.

use maud::{html, Markup, PreEscaped, DOCTYPE};

use super::{
    charts,
    tables::{self, Table},
    words,
};
use crate::{
    analysis::{Analysis, ScenarioAnalysis},
    explanation::Explanation,
    session::Session,
};

const STYLE: &str = include_str!("style.css");

pub fn page(session: &Session, analysis: &Analysis) -> String {
    let plan = &session.plan;
    let title = format!("{} and others, {}", plan.name(0), session.started);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Storages of linear combinations against " (plan.name(0)) }
                p.quiet { (session.started) }
                @for remark in words::remarks(session, analysis) {
                    p.remark { (remark) }
                }
                @if let Some(savings) = words::savings(session, analysis) {
                    p { (savings) }
                }
                @for (index, scenario) in analysis.scenarios.iter().enumerate() {
                    (scenario_section(session, index, scenario))
                }
                @if let (Some(Ok(session)), Some(analysis)) =
                    (&session.in_bellperson, &analysis.in_bellperson)
                {
                    h2 { (words::IN_BELLPERSON) }
                    @for remark in words::remarks(session, analysis) { p.remark { (remark) } }
                    @for (index, scenario) in analysis.scenarios.iter().enumerate() {
                        (scenario_section(session, index, scenario))
                    }
                }
                @if let Some(explanation) = &session.explanation {
                    (explanation_section(session, explanation))
                }
                h2 { "Environment" }
                div.environment { (table(&tables::environment(session))) }
            }
        }
    };
    page.into_string()
}

fn scenario_section(session: &Session, index: usize, scenario: &ScenarioAnalysis) -> Markup {
    let plan = &session.plan;
    html! {
        h2 { (scenario.name) }
        p.quiet { (words::setting(session, scenario)) }
        ul.verdicts {
            @for comparison in &scenario.comparisons {
                li class=(comparison.verdict) {
                    b { (comparison.verdict) } " – " (words::verdict(plan, scenario, comparison))
                }
            }
        }
        (charts::ratios(plan, scenario))
        (table(&tables::verdicts(plan, scenario)))
        ul {
            @for note in words::notes(plan, scenario) { li { (note) } }
        }
        (charts::distributions(session, index))
        (table(&tables::costs(plan, scenario)))
    }
}

fn explanation_section(session: &Session, explanation: &Explanation) -> Markup {
    let plan = &session.plan;
    let counts: Vec<_> = explanation
        .variants
        .iter()
        .enumerate()
        .filter_map(|(subject, variant)| Some((subject, variant.count.as_ref().ok()?)))
        .collect();
    html! {
        h2 { "Why" }
        p.quiet { (words::basis(explanation)) }
        (table(&tables::explanation(plan, explanation)))
        (charts::sizes(plan, &counts, explanation.caches.as_ref().ok()))
        @if let Ok(counters) = tables::counters(plan, explanation) {
            h3 { "Hardware counters" }
            (table(&counters))
        }
        h3 { "What the circuit builds" }
        @if let Some(terms) = tables::terms(explanation) { (table(&terms)) }
        @if let Some((_, count)) = counts.first() {
            div.histograms {
                (charts::terms("A", &count.a))
                (charts::terms("B", &count.b))
                (charts::terms("C", &count.c))
                @if let Some(temporaries) = tables::temporaries(explanation, count) {
                    (charts::terms("Temporaries", &temporaries))
                }
            }
        }
        @let unavailable = words::unavailable(plan, explanation);
        @if !unavailable.is_empty() {
            ul { @for reason in unavailable { li.quiet { (reason) } } }
        }
    }
}

fn table(table: &Table) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for heading in &table.headings { th scope="col" { (heading) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
