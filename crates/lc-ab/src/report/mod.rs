//! Shows a session and what was made of it. Tables and sentences are made once, in [`tables`] and
//! [`words`]; the formats only lay them out. Everything here can be drawn again from `report.json`.

use std::{fs::Permissions, io::Write, os::unix::fs::PermissionsExt, path::Path};

use anyhow::{Context, Result};

use crate::{analysis::Analysis, session::Session};

mod charts;
pub mod html;
pub mod json;
pub mod markdown;
pub mod summary;
mod tables;
pub mod terminal;
mod words;

/// Writes `report.html` and `report.md` into `dir`.
pub fn draw(dir: &Path, session: &Session, analysis: &Analysis) -> Result<()> {
    write(&dir.join("report.html"), &html::page(session, analysis))?;
    write(&dir.join("report.md"), &markdown::text(session, analysis))
}

/// Whole or not at all: a reader never finds half a file.
fn write(file: &Path, text: &str) -> Result<()> {
    let write = || -> Result<()> {
        let dir = file.parent().filter(|dir| *dir != Path::new(""));
        let mut temporary = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o644))
            .tempfile_in(dir.unwrap_or(Path::new(".")))?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(file)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}
