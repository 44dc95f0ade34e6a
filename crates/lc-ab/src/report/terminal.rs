//! The tables and sentences for a terminal.

use std::fmt::Write;

use comfy_table::{presets, ContentArrangement, TableComponent};

use super::{
    tables::{self, Table},
    words,
};
use crate::{analysis::Analysis, session::Session};

pub fn table(session: &Session, analysis: &Analysis) -> String {
    let mut text = scenarios(session, analysis);
    let mut line = |line: &str| writeln!(text, "{line}").expect("a string takes everything");
    if let (Some(Ok(session)), Some(analysis)) = (&session.in_bellperson, &analysis.in_bellperson) {
        line(words::IN_BELLPERSON);
        line(&scenarios(session, analysis));
    }
    if let Some(savings) = words::savings(session, analysis) {
        line(&savings);
    }
    for remark in words::remarks(session, analysis) {
        line(&remark);
    }
    text
}

fn scenarios(session: &Session, analysis: &Analysis) -> String {
    let plan = &session.plan;
    let mut text = String::new();
    let mut line = |line: &str| writeln!(text, "{line}").expect("a string takes everything");
    for scenario in &analysis.scenarios {
        line(&words::setting(session, scenario));
        line(&laid_out(&tables::verdicts(plan, scenario)));
        line(&laid_out(&tables::costs(plan, scenario)));
        for comparison in &scenario.comparisons {
            line(&words::verdict(plan, scenario, comparison));
        }
        for note in words::notes(plan, scenario) {
            line(&note);
        }
        line("");
    }
    text
}

/// Narrower than this, a terminal does not know its width (some say 0): then no line is broken.
const NARROWEST: u16 = 40;

fn laid_out(table: &Table) -> String {
    let mut laid_out = comfy_table::Table::new();
    laid_out
        .load_preset(presets::UTF8_HORIZONTAL_ONLY)
        .remove_style(TableComponent::HorizontalLines)
        .remove_style(TableComponent::MiddleIntersections)
        .set_header(&table.headings)
        .add_rows(&table.rows);
    if laid_out.width().is_some_and(|width| width >= NARROWEST) {
        laid_out.set_content_arrangement(ContentArrangement::Dynamic);
    }
    laid_out.to_string()
}
