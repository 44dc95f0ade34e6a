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
use lc_ab::{
    analysis::{self, Analysis},
    builds::{self, Folders},
    environment::Environment,
    executor::ProcessExecutor,
    explain::{self, Look},
    measure::{CheckError, Measurer},
    options::{Command, CompareOptions, Options},
    plan::Plan,
    process::{self, Stopped},
    progress::{Kind, Progress},
    report::{self, summary::Named},
    session::Session,
    stage::Stage,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// What steps take on two slow cores, in seconds: the first build has all dependencies to compile.
const FIRST_BUILD: f64 = 180.0;
const NEXT_BUILD: f64 = 45.0;
const PROCESS: f64 = 4.0;
const LOOK: f64 = 20.0;

const BAD_USAGE: u8 = 2;
const FAILED: u8 = 3;
const INTERRUPTED: u8 = 5;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.command {
        Some(Command::Report { file }) => redraw(file),
        Some(Command::Summary { files, out }) => summarise(files, out),
        None => compare(&options.compare),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<BadUsage>() {
                BAD_USAGE
            } else if is_interrupt(&error) {
                INTERRUPTED
            } else {
                FAILED
            })
        }
    }
}

fn is_interrupt(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        matches!(cause.downcast_ref(), Some(CheckError::Interrupted))
            || matches!(cause.downcast_ref(), Some(Stopped::Interrupted))
    })
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

fn summarise(files: &[PathBuf], out: &Path) -> Result<u8> {
    let named = |file: &PathBuf| -> Result<Named> {
        let session = report::json::read(file)?;
        let folder = fs::canonicalize(file)?;
        let folder = folder.parent().and_then(Path::file_name);
        Ok(Named {
            name: folder.unwrap_or_default().to_string_lossy().into_owned(),
            analysis: analysis::analyse(&session),
            session,
        })
    };
    let sessions: Vec<Named> = files.iter().map(named).collect::<Result<_>>()?;
    report::summary::draw(out, &sessions)?;
    print(&report::summary::text_of(&sessions))?;
    Ok(0)
}

/// Draws the report, then prints the table.
fn show(dir: &Path, session: &Session, analysis: &Analysis) -> Result<()> {
    report::draw(dir, session, analysis)?;
    let table = report::terminal::table(session, analysis);
    print(&format!("{table}{}\n", dir.join("report.html").display()))
}

/// That nobody reads it any more is no failure.
fn print(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
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
    let session = record(options, plan, &started, &folders, &stage).inspect_err(|_| {
        // Takes away only what is empty.
        let _ = fs::remove_dir(&out);
    })?;

    let analysis = analysis::analyse(&session);
    report::json::write(&out, &session, &analysis)?;
    show(&out, &session, &analysis)?;
    Ok(analysis::exit_code(&session, &analysis))
}

/// What all of a session's steps work with.
struct Bench<'a> {
    options: &'a CompareOptions,
    started: &'a str,
    folders: &'a Folders,
    stage: &'a Stage,
    interrupted: Arc<AtomicBool>,
    progress: Progress,
}

/// The session of `plan`, with that in bellperson itself if it belongs to it.
fn record(
    options: &CompareOptions,
    plan: Plan,
    started: &str,
    folders: &Folders,
    stage: &Stage,
) -> Result<Session> {
    let in_bellperson = plan
        .in_bellperson(options)
        .filter(|plan| stage.has(plan.name_of_program()));
    let explained = !options.no_explain && !options.quick && plan.prover.is_none();
    let mut steps: Vec<(Kind, f64)> = [Some(&plan), in_bellperson.as_ref()]
        .into_iter()
        .flatten()
        .flat_map(steps_of)
        .collect();
    steps
        .extend((0..if explained { explain::steps(&plan) } else { 0 }).map(|_| (Kind::Look, LOOK)));
    let bench = Bench {
        options,
        started,
        folders,
        stage,
        interrupted: watch_for_interrupt()?,
        progress: Progress::new(steps),
    };
    let mut session = bench.session(plan, explained)?;
    session.remarks.extend(folders.remark.clone());
    if let (Some(asked), rounds) = (options.rounds, session.plan.rounds) {
        if asked != rounds {
            session.remarks.push(format!(
                "--rounds {asked} became {rounds}, which are whole balanced designs."
            ));
        }
    }
    if let Some(plan) = in_bellperson.filter(|_| !session.interrupted) {
        session.in_bellperson = Some(match bench.session(plan, false) {
            Err(error) => Err(format!("{error:#}")),
            Ok(session) => Ok(Box::new(session)),
        });
        session.interrupted |= bench.interrupted.load(Ordering::Relaxed);
    }
    bench.progress.finish();
    Ok(session)
}

fn steps_of(plan: &Plan) -> impl Iterator<Item = (Kind, f64)> {
    let processes = plan.subjects() * plan.scenarios.len() * (plan.layouts + plan.rounds);
    let builds = (0..plan.variants.len()).map(|index| {
        (
            Kind::Build,
            if index == 0 { FIRST_BUILD } else { NEXT_BUILD },
        )
    });
    builds.chain((0..processes).map(|_| (Kind::Process, PROCESS)))
}

impl Bench<'_> {
    /// Builds, measures and, if `explained`, explains.
    fn session(&self, plan: Plan, explained: bool) -> Result<Session> {
        let (folders, stage, interrupted) = (self.folders, self.stage, &*self.interrupted);
        let builds = builds::build(
            &plan,
            stage,
            folders,
            explained,
            interrupted,
            &self.progress,
        )?;
        let environment_before = self.environment();
        let mut session = Session {
            started: self.started.to_owned(),
            environment_before: environment_before.clone(),
            environment_after: environment_before,
            programs: builds.programs.clone(),
            samples: Vec::new(),
            failures: Vec::new(),
            interrupted: false,
            explanation: None,
            remarks: Vec::new(),
            in_bellperson: None,
            plan,
        };
        self.progress.stage(&format!(
            "checking and timing {}",
            session.plan.name_of_program()
        ));
        let executor = ProcessExecutor {
            plan: &session.plan,
            programs: &builds.paths,
            interrupted,
        };
        let mut measurer = Measurer::new(&session.plan, executor, &self.progress);
        let digests = measurer.check()?;
        (session.samples, session.interrupted) = measurer.rounds(&digests);
        session.failures = measurer.failures;
        session.environment_after = self.environment();
        if explained && !session.interrupted {
            let look = Look {
                plan: &session.plan,
                cpu: self.options.cpu,
                scratch: &folders.scratch,
                interrupted,
                progress: &self.progress,
            };
            let census = || {
                builds::census(&session.plan, &builds, stage, folders, interrupted)
                    .map_err(|error| format!("{error:#}"))
            };
            session.explanation = Some(explain::explain(&look, &builds, census));
            session.interrupted |= interrupted.load(Ordering::Relaxed);
        }
        Ok(session)
    }

    fn environment(&self) -> Environment {
        let lock = builds::sha256_of(&self.stage.lock_file());
        let threads = self.options.threads.iter();
        let pinned = threads.map(|&threads| match process::cpus_for(threads) {
            Some(cpus) => format!("{threads} to {cpus:?}"),
            None => format!("{threads} to none in particular"),
        });
        Environment::read(&self.options.workspace)
            .with("Cargo.lock SHA-256", lock.unwrap_or_default())
            .with(
                "threads pinned to processors",
                pinned.collect::<Vec<_>>().join(", "),
            )
    }
}

/// Ctrl-C, a request to terminate, or the terminal's end: what is running is ended, and what was
/// measured is reported. What was ignored when this program was started, as `nohup` has it, stays
/// ignored.
fn watch_for_interrupt() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let ignored = process::ignored_signals();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & (1 << (signal - 1)) == 0 {
            signal_hook::flag::register(signal, interrupted.clone())?;
        }
    }
    Ok(interrupted)
}

/// Before hours are spent on measuring, it is seen to that the result can be written.
fn report_folder(options: &CompareOptions, folders: &Folders, started: &str) -> Result<PathBuf> {
    let out = match &options.out {
        Some(out) => out.clone(),
        None => {
            let named = folders.reports.join(started.replace(':', "-"));
            // Two sessions can begin within a second.
            let others = (2..).map(|number| named.with_extension(number.to_string()));
            let mut free = std::iter::once(named.clone())
                .chain(others)
                .filter(|out| !out.exists());
            free.next().expect("there are more numbers than folders")
        }
    };
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    if fs::read_dir(&out)?.next().is_some() {
        bail!(
            "{} has files in it already: name an empty folder with --out",
            out.display()
        );
    }
    Ok(out)
}
