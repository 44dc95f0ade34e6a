//! The tables and sentences for a terminal.

use std::fmt::Write;

use comfy_table::{presets, ContentArrangement, TableComponent};

use super::{
    tables::{self, Table},
    words,
};
use crate::{analysis::Analysis, session::Session};

pub fn table(session: &Session, analysis: &Analysis) -> String {
    let plan = &session.plan;
    let mut text = String::new();
    let mut line = |line: &str| writeln!(text, "{line}").expect("a string takes everything");
    for scenario in &analysis.scenarios {
        line(&words::setting(session, scenario));
        line(&laid_out(&tables::verdicts(plan, scenario)));
        line(&laid_out(&tables::costs(plan, scenario)));
        for comparison in &scenario.comparisons {
            line(&words::verdict(plan, comparison));
        }
        for note in words::notes(plan, scenario) {
            line(&note);
        }
        line("");
    }
    if let Some(savings) = words::savings(session, analysis) {
        line(&savings);
    }
    for remark in words::remarks(session, analysis) {
        line(&remark);
    }
    text
}

fn laid_out(table: &Table) -> String {
    let mut laid_out = comfy_table::Table::new();
    laid_out
        .load_preset(presets::UTF8_HORIZONTAL_ONLY)
        .remove_style(TableComponent::HorizontalLines)
        .remove_style(TableComponent::MiddleIntersections)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(&table.headings)
        .add_rows(&table.rows);
    laid_out.to_string()
}
