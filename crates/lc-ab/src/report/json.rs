//! `report.json`: the record with every raw sample, and the verdicts for programs that
//! read it. Only the record is ever read back.

use std::{fs, path::Path};

use anyhow::{ensure, Context, Result};
use serde::{Deserialize, Serialize};

use crate::{analysis::Analysis, session::Session};

/// Goes up when an older program could not read the file any more.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    session: &'a Session,
    analysis: &'a Analysis,
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Deserialize)]
struct Read {
    session: Session,
}

/// Writes `report.json` into `dir`.
pub fn write(dir: &Path, session: &Session, analysis: &Analysis) -> Result<()> {
    let written = Written {
        format: FORMAT,
        session,
        analysis,
    };
    super::write(
        &dir.join("report.json"),
        &serde_json::to_string_pretty(&written)?,
    )
}

/// # Errors
/// The file cannot be read, or is no `report.json` of this format.
pub fn read(file: &Path) -> Result<Session> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let Format { format } = serde_json::from_str(&text)
        .with_context(|| format!("{} is no report.json of lc-ab", file.display()))?;
    ensure!(
        format == FORMAT,
        "{} is of format {format}, and this program reads format {FORMAT}: \
         draw it with the lc-ab that measured it",
        file.display()
    );
    let Read { session } =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))?;
    ensure!(
        is_of_its_plan(&session),
        "{} is damaged: a sample is of no variant, scenario or layout of its plan",
        file.display()
    );
    Ok(session)
}

fn is_of_its_plan(session: &Session) -> bool {
    let plan = &session.plan;
    let samples = session.samples.iter().all(|sample| {
        sample.subject < plan.subjects()
            && sample.scenario < plan.scenarios.len()
            && sample.layout < plan.layouts
    });
    let programs = session.programs.iter().map(|program| program.subject);
    let failures = session.failures.iter().map(|failure| failure.subject);
    let inner = match &session.in_bellperson {
        Some(Ok(session)) => is_of_its_plan(session),
        Some(Err(_)) | None => true,
    };
    samples
        && !plan.variants.is_empty()
        && plan.layouts > 0
        && programs
            .chain(failures)
            .all(|subject| subject < plan.subjects())
        && inner
}
