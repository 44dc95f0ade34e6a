//! `lc-ab`: from the command line to the exit code. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        atomic::{AtomicBool, Ordering},
        Arc,
    },
    time::SystemTime,
};

use anyhow::{bail, Context, Result};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use lc_ab::{
    analysis::{self, Analysis},
    builds::{self, Builds, Folders},
    environment::Environment,
    executor::ProcessExecutor,
    explain::{self, Look},
    measure::Measurer,
    options::{Command, CompareOptions, Options},
    plan::{Plan, Scenario},
    report,
    session::Session,
    stage::Stage,
};

/// Rounds of the witness alone: enough for a median, as nothing is judged by them.
const WITNESS_ROUNDS: usize = 3;

const BAD_USAGE: u8 = 2;
const FAILED: u8 = 3;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.command {
        Some(Command::Report { file }) => redraw(file),
        None => compare(&options.compare),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<BadUsage>() {
                BAD_USAGE
            } else {
                FAILED
            })
        }
    }
}

/// Marks an error as one of the command line.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
struct BadUsage(anyhow::Error);

fn bad_usage(error: impl Into<anyhow::Error>) -> BadUsage {
    BadUsage(error.into())
}

fn redraw(file: &Path) -> Result<u8> {
    let session = report::json::read(file)?;
    let analysis = analysis::analyse(&session);
    show(file.parent().unwrap_or(Path::new("")), &session, &analysis)?;
    Ok(0)
}

/// Draws the report, then prints the table; that nobody reads that any more is no failure.
fn show(dir: &Path, session: &Session, analysis: &Analysis) -> Result<()> {
    report::draw(dir, session, analysis)?;
    let table = report::terminal::table(session, analysis);
    let page = dir.join("report.html");
    match writeln!(io::stdout(), "{table}{}", page.display()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot print the table"),
    }
}

fn compare(options: &CompareOptions) -> Result<u8> {
    let plan = Plan::new(options).map_err(bad_usage)?;
    let started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let target_dir = options
        .target_dir
        .clone()
        .unwrap_or_else(|| options.workspace.join("target"));
    let folders = Folders::open(&target_dir)?;
    let stage = folders.stage(&options.workspace).map_err(bad_usage)?;
    for variant in &plan.variants {
        stage.core_of(variant).map_err(bad_usage)?;
    }
    let out = report_folder(options, &folders, &started).map_err(bad_usage)?;
    let session = record(options, plan, started, &folders, &stage).inspect_err(|_| {
        // Takes away only what is empty.
        let _ = fs::remove_dir(&out);
    })?;

    let analysis = analysis::analyse(&session);
    report::json::write(&out, &session, &analysis)?;
    show(&out, &session, &analysis)?;
    Ok(analysis::exit_code(&session, &analysis))
}

/// Builds, measures and explains.
fn record(
    options: &CompareOptions,
    plan: Plan,
    started: String,
    folders: &Folders,
    stage: &Stage,
) -> Result<Session> {
    let interrupted = watch_for_interrupt()?;
    let read_environment = || {
        let environment = Environment::read(&options.workspace);
        let lock = builds::sha256_of(&stage.lock_file());
        environment.with("Cargo.lock SHA-256", lock.unwrap_or_default())
    };
    let builds = match &plan.command {
        Some(template) => builds::configs(&plan, stage, folders, template)?,
        None => builds::build(&plan, stage, folders, !options.no_explain, &interrupted)?,
    };
    let environment_before = read_environment();
    let mut session = Session {
        started,
        environment_before: environment_before.clone(),
        environment_after: environment_before,
        programs: builds.programs.clone(),
        samples: Vec::new(),
        witness_samples: Vec::new(),
        failures: Vec::new(),
        interrupted: false,
        explanation: None,
        plan,
    };
    measure(&mut session, &builds, &interrupted)?;
    session.environment_after = read_environment();
    if !builds.explained.is_empty() && !session.interrupted {
        let look = Look {
            plan: &session.plan,
            cpu: options.cpu,
            scratch: &folders.scratch,
            interrupted: &interrupted,
            bar: &bar(explain::steps(&session.plan)),
        };
        let census = || {
            builds::census(&session.plan, &builds, stage, folders, &interrupted)
                .map_err(|error| format!("{error:#}"))
        };
        session.explanation = Some(explain::explain(&look, &builds, census));
        look.bar.finish_and_clear();
    }
    Ok(session)
}

/// Checks, judged rounds, and the rounds of the witness alone, all into `session`.
fn measure(session: &mut Session, builds: &Builds, interrupted: &AtomicBool) -> Result<()> {
    let plan = &session.plan;
    let witness = witness_scenarios(plan);
    let processes = plan.subjects()
        * (plan.scenarios.len() * (plan.layouts + plan.rounds)
            + witness.len() * (plan.layouts + WITNESS_ROUNDS));
    let bar = bar(processes as u64);
    let executor = ProcessExecutor {
        plan,
        programs: &builds.paths,
        interrupted,
    };
    let mut measurer = Measurer::new(plan, executor, &bar);
    let digests = measurer.check(&plan.scenarios)?;
    let witness_digests = measurer.check(&witness)?;
    let (samples, mut stopped) = measurer.rounds(&plan.scenarios, &digests, plan.rounds);
    let mut witness_samples = Vec::new();
    if !stopped {
        (witness_samples, stopped) = measurer.rounds(&witness, &witness_digests, WITNESS_ROUNDS);
    }
    bar.finish_and_clear();
    let failures = measurer.failures;
    session.samples = samples;
    session.witness_samples = witness_samples;
    session.failures = failures;
    session.interrupted = stopped;
    Ok(())
}

/// The scenarios of the plan with only the witness made; none where that is what is measured, or
/// where a command would have to know how.
fn witness_scenarios(plan: &Plan) -> Vec<Scenario> {
    let known = plan.command.is_none() && plan.scenarios.iter().all(|s| !s.witness_only);
    let scenarios = plan.scenarios.iter().filter(|_| known).cloned();
    scenarios
        .map(|scenario| Scenario {
            witness_only: true,
            ..scenario
        })
        .collect()
}

/// Ctrl-C or a request to terminate: what is running is ended, and what was measured is reported.
fn watch_for_interrupt() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    Ok(interrupted)
}

/// Before hours are spent on measuring, it is seen to that the result can be written.
fn report_folder(options: &CompareOptions, folders: &Folders, started: &str) -> Result<PathBuf> {
    let out = options
        .out
        .clone()
        .unwrap_or_else(|| folders.reports.join(started.replace(':', "-")));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    if fs::read_dir(&out)?.next().is_some() {
        bail!(
            "{} has files in it already: name an empty folder with --out",
            out.display()
        );
    }
    Ok(out)
}

fn bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left; {msg}")
        .expect("a valid template");
    ProgressBar::new(steps).with_style(style)
}
