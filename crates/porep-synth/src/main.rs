//! `porep-synth`: from the command line to the report. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::{
    env,
    io::{self, ErrorKind, Write},
    panic,
    process::ExitCode,
    sync::{atomic::AtomicBool, Arc},
};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use porep_synth::{
    assignment::ProvingAssignment,
    c1, compiled,
    measure::{measure, Need, Plan},
    memory::{self, Memory},
    options::{Options, Refusal},
    panics,
    report::{Report, Setting},
    stream::StreamAssignment,
    synthesize::Assignment,
    witness::WitnessAssignment,
    workdir::Workdir,
    workload::Workload,
};
use rayon::ThreadPoolBuilder;
use signal_hook::{consts::SIGABRT, flag::register_conditional_shutdown};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(options) => options,
        Err(Refusal::Text(text)) => {
            // That nobody reads it any more is no failure.
            let _ = write!(io::stdout(), "{text}");
            return ExitCode::SUCCESS;
        }
        Err(Refusal::BadUsage(line)) => {
            remark(&line);
            return ExitCode::from(2);
        }
    };
    // A panic is reported as any error is: below, in one line.
    panic::set_hook(Box::new(|_| ()));
    match panics::caught(|| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            remark(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a line on standard error. That nobody reads it any more is no failure.
fn remark(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Makes a failed allocation a failure like others. The standard library says so in a line, adds a
/// hint that cannot be switched off in place of the backtrace that can, and aborts.
fn fail_where_memory_ends() -> io::Result<()> {
    env::set_var("RUST_BACKTRACE", "0");
    let always = Arc::new(AtomicBool::new(true));
    register_conditional_shutdown(SIGABRT, 1, always).map(|_| ())
}

fn run(options: &Options) -> Result<()> {
    fail_where_memory_ends()?;
    match (options.witness_only, options.stream) {
        (true, _) => run_into::<WitnessAssignment>(options),
        (_, true) => run_into::<StreamAssignment>(options),
        _ => run_into::<ProvingAssignment>(options),
    }
}

fn run_into<A: Assignment>(options: &Options) -> Result<()> {
    // Draws nothing unless standard error is a terminal.
    let progress = ProgressBar::new(options.repeats.into())
        .with_style(ProgressStyle::with_template("{bar:20} {msg} [{elapsed}]")?)
        .with_finish(ProgressFinish::AndClear);

    let (workload, need) = load::<A>(options, &progress)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads())
        .build()?;
    let (measurement, compiled) = match &options.compiled {
        None => {
            let measurement = measure::<A>(&workload, options.repeats, &need, &pool, &progress)?;
            (measurement, None)
        }
        Some(file) => {
            let file = file.as_deref();
            let (measurement, compiled) =
                compiled::measure(&workload, file, options.repeats, &need, &pool, &progress)?;
            (measurement, Some(compiled))
        }
    };
    progress.finish_and_clear();

    let setting = Setting {
        label: options.label.clone(),
        threads: options.threads(),
        witness_only: options.witness_only,
        stream: options.stream,
        reserve: options.reserve,
    };
    let peak_rss_bytes = memory::peak_rss_bytes()
        .map_err(|error| remark(&format!("memory: the peak cannot be read: {error:#}")));
    let report = Report::new(
        setting,
        &workload,
        measurement,
        compiled,
        peak_rss_bytes.ok(),
    );
    match print(&report, options.json) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot print the report"),
    }
}

fn print(report: &Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)
    } else {
        write!(out, "{report}")
    }
}

/// How to do with less memory.
const ADVICE: &str = "try --reserve, --stream or fewer partitions; --allow-swap counts swap too";

/// The workload, for which memory is asked before anything is sealed or read, and what its
/// syntheses need of it.
fn load<A: Assignment>(options: &Options, progress: &ProgressBar) -> Result<(Workload, Need)> {
    let memory = Memory::here(options.allow_swap);
    let announce = |line: String| progress.suspend(|| remark(&line));
    let compiled = options.compiled.is_some();
    let plan = |challenges, partitions| Plan {
        challenges,
        partitions,
        reserve: options.reserve && !compiled,
        compiled,
    };
    if let Some(file) = &options.c1 {
        memory.ask(c1::reading_bytes(file)?, ADVICE)?;
        progress.set_message("reading and checking the C1 output");
        let workload = c1::read(file, options.partition.as_ref())?;

        // Only now is it known how much there is to synthesize; what was read is in use already.
        let memory = Memory::here(options.allow_swap);
        let need = Need::of::<A>(
            &plan(workload.challenges, workload.circuits.len()),
            memory.usable_bytes(),
            || Ok(workload.circuits[0].clone()),
        )?;
        announce(memory.ask(need.bytes, ADVICE)?);
        return Ok((workload, need));
    }
    let sector = options.sector();
    let sealing_bytes = sector.sealing_bytes();
    let usable_bytes = memory.usable_bytes();
    progress.set_message("counting");
    let need = Need::of::<A>(
        &plan(sector.challenges, sector.partitions),
        usable_bytes.map(|bytes| bytes.saturating_sub(sealing_bytes)),
        || sector.blank_circuit(),
    )?;
    let line = memory.ask(sealing_bytes + need.bytes, ADVICE)?;
    // A failure stays one line.
    let workdir = Workdir::new(sector.disk_bytes())?;
    announce(line);
    progress.set_message("sealing a sector");
    let workload = sector.seal(&workdir)?;
    Ok((workload, need))
}
