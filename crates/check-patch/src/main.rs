//! Tells whether a build takes every `bellpepper-core` from the fork, since cargo stays silent or
//! only warns when an override misses. This file holds options, output and exit codes; `graph`
//! asks cargo, and `verdict` decides.

#![forbid(unsafe_code)]

mod graph;
mod verdict;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use graph::Build;

/// Tells for each bellpepper-core in a build whether it is the fork, and what to do if it is not.
///
/// The build's lock file is left as it is.
///
/// Exit codes: 0, every copy is the fork and no asked-for storage is lost; 1, otherwise; 2, wrong
/// usage.
#[derive(Parser)]
struct Options {
    /// Folder of the prover's Cargo.toml
    #[arg(default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    build: Build,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if !options.dir.join("Cargo.toml").is_file() {
        say(
            io::stderr(),
            &format!("error: there is no Cargo.toml in {}", options.dir.display()),
        );
        return ExitCode::from(2);
    }
    let answer = graph::ask(&options.dir, &options.build);
    let verdict = answer
        .map(|graph| {
            say(io::stderr(), graph.warnings.trim_end());
            verdict::of(&graph)
        })
        .unwrap_or_else(|refusal| {
            say(io::stderr(), refusal.trim_end());
            verdict::of_refusal(&refusal)
        });
    for line in verdict.copies.iter().chain(&verdict.remarks) {
        say(io::stdout(), line);
    }
    for fault in &verdict.faults {
        say(io::stdout(), &format!("fault: {fault}"));
    }
    ExitCode::from(u8::from(!verdict.faults.is_empty()))
}

/// Prints a line. The exit code tells the verdict too: that nobody reads any more is no failure.
fn say(mut stream: impl Write, line: &str) {
    if !line.is_empty() {
        let _ = writeln!(stream, "{line}");
    }
}
