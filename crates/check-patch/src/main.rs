//! Tells whether a build takes every `bellpepper-core` from the fork, since cargo stays silent or
//! only warns when an override misses. This file holds options, output and exit codes; `verdict`
//! decides.

#![forbid(unsafe_code)]

mod verdict;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use cargo_lock::Lockfile;
use cargo_metadata::{Metadata, MetadataCommand};
use clap::Parser;

/// Tells for each bellpepper-core in a build whether it is the fork, and what to do if it is not.
///
/// Exit codes: 0, every copy is the fork and no asked-for storage is lost; 1, otherwise; 2, wrong usage.
#[derive(Parser)]
struct Options {
    /// Folder of the prover's Cargo.toml
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Arguments of your `cargo build` that choose features, configuration or the lock file
    /// (--features, --config, --locked, --offline, ...)
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO_ARGS"
    )]
    cargo_args: Vec<String>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if !options.dir.join("Cargo.toml").is_file() {
        eprintln!("error: there is no Cargo.toml in {}", options.dir.display());
        return ExitCode::from(2);
    }
    match resolve(&options) {
        Ok((metadata, lock, warnings)) => {
            let verdict = verdict::of(&metadata, &lock, &warnings);
            let faults = verdict.faults.iter().map(|fault| format!("fault: {fault}"));
            for line in verdict.copies.iter().cloned().chain(faults) {
                // The exit code tells it too: that nobody reads the lines any more is no failure.
                let _ = writeln!(io::stdout(), "{line}");
            }
            ExitCode::from(u8::from(!verdict.faults.is_empty()))
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The graph as `cargo build` would resolve it (which writes the lock file, as a build does), the
/// lock file, and what cargo said meanwhile.
fn resolve(options: &Options) -> Result<(Metadata, Lockfile, String), String> {
    let output = MetadataCommand::new()
        .current_dir(&options.dir)
        .other_options(options.cargo_args.as_slice())
        .cargo_command()
        .output()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    eprint!("{warnings}");
    if !output.status.success() {
        return Err(verdict::unresolved(&warnings));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let metadata =
        MetadataCommand::parse(text).map_err(|e| format!("cannot read `cargo metadata`: {e}"))?;
    let lock_file = metadata.workspace_root.join("Cargo.lock");
    let lock = Lockfile::load(&lock_file)
        .map_err(|e| format!("cannot read the lock file {lock_file}: {e}"))?;
    Ok((metadata, lock, warnings))
}
