//! `report.md`, to paste into an issue.

use std::fmt::Write;

use super::{
    tables::{self, Table},
    words,
};
use crate::{analysis::Analysis, session::Session};

pub fn text(session: &Session, analysis: &Analysis) -> String {
    let plan = &session.plan;
    let mut text = String::new();
    let mut paragraph =
        |paragraph: &str| write!(text, "{paragraph}\n\n").expect("a string takes everything");
    paragraph(&format!("## Comparison of {}", session.started));
    for part in parts(session, analysis) {
        paragraph(&part);
    }
    if let Some(savings) = words::savings(session, analysis) {
        paragraph(&escaped(&savings));
    }
    if let Some(explanation) = &session.explanation {
        paragraph(&escaped(&words::basis(explanation)));
        paragraph(&laid_out(&tables::explanation(plan, explanation)));
        if let Some(terms) = tables::terms(explanation) {
            paragraph(&laid_out(&terms));
        }
        if let Ok(counters) = tables::counters(plan, explanation) {
            paragraph(&laid_out(&counters));
        }
        let unavailable = words::unavailable(plan, explanation);
        if !unavailable.is_empty() {
            paragraph(&list(unavailable));
        }
    }
    paragraph("<details><summary>Environment</summary>");
    paragraph(&laid_out(&tables::environment(session)));
    paragraph("</details>");
    text
}

/// Remarks, tables and verdicts; then those of the session in bellperson itself, if there is one.
fn parts(session: &Session, analysis: &Analysis) -> Vec<String> {
    let plan = &session.plan;
    let remarks = words::remarks(session, analysis);
    let mut parts: Vec<String> = remarks
        .iter()
        .map(|remark| format!("**{}**", escaped(remark)))
        .collect();
    for scenario in &analysis.scenarios {
        parts.push(escaped(&words::setting(session, scenario)));
        parts.push(laid_out(&tables::verdicts(plan, scenario)));
        parts.push(laid_out(&tables::costs(plan, scenario)));
        let comparisons = scenario.comparisons.iter();
        let verdicts = comparisons.map(|c| words::verdict(plan, scenario, c));
        parts.push(list(verdicts.chain(words::notes(plan, scenario))));
    }
    if let (Some(Ok(session)), Some(analysis)) = (&session.in_bellperson, &analysis.in_bellperson) {
        parts.push(format!("### {}", words::IN_BELLPERSON));
        parts.extend(self::parts(session, analysis));
    }
    parts
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items
        .into_iter()
        .map(|item| format!("- {}", escaped(&item)))
        .collect();
    items.join("\n")
}

pub fn laid_out(table: &Table) -> String {
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let mut lines = vec![row(&table.headings)];
    lines.push(row(&vec!["---".to_owned(); table.headings.len()]));
    lines.extend(table.rows.iter().map(|cells| row(cells)));
    lines.join("\n")
}

/// On one line, and with nothing that a table or a tag could begin with.
fn escaped(text: &str) -> String {
    text.replace('\n', " ")
        .replace('|', "\\|")
        .replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        let table = Table {
            headings: vec!["a".into()],
            rows: vec![vec!["x|y\n<b>".into()]],
        };
        assert_eq!(laid_out(&table), "| a |\n| --- |\n| x\\|y &lt;b> |");
    }
}
