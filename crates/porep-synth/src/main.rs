//! `porep-synth`: from the command line to the report. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::{
    io::{self, Write},
    panic,
    process::ExitCode,
};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use porep_synth::{
    assignment::ProvingAssignment,
    c1,
    measure::measure,
    memory,
    options::{Options, Refusal},
    panics,
    report::{Report, Setting},
    stream::StreamAssignment,
    witness::WitnessAssignment,
    workdir::Workdir,
    workload::Workload,
};
use rayon::ThreadPoolBuilder;

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
            eprintln!("{line}");
            return ExitCode::from(2);
        }
    };
    // A panic is reported as any error is: below, in one line.
    panic::set_hook(Box::new(|_| ()));
    match panics::caught(|| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    // Draws nothing unless standard error is a terminal.
    let progress = ProgressBar::new(options.repeats.into())
        .with_style(ProgressStyle::with_template("{bar:20} {msg} [{elapsed}]")?)
        .with_finish(ProgressFinish::AndClear);

    let workload = load(options, &progress)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads())
        .build()?;
    let measure = match (options.witness_only, options.stream) {
        (true, _) => measure::<WitnessAssignment>,
        (_, true) => measure::<StreamAssignment>,
        _ => measure::<ProvingAssignment>,
    };
    let measurement = measure(
        &workload,
        options.repeats,
        options.reserve,
        &pool,
        &progress,
    )?;
    progress.finish_and_clear();

    let setting = Setting {
        label: options.label.clone(),
        threads: options.threads(),
        witness_only: options.witness_only,
        stream: options.stream,
        reserve: options.reserve,
    };
    let report = Report::new(setting, &workload, measurement, memory::peak_rss_bytes()?);
    print(&report, options.json).context("cannot print the report")
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

fn load(options: &Options, progress: &ProgressBar) -> Result<Workload> {
    if let Some(file) = &options.c1 {
        progress.set_message("reading and checking the C1 output");
        return c1::read(file, options.partition.as_ref());
    }
    let sector = options.sector();
    progress.set_message("sealing a sector");
    sector.seal(&Workdir::new(sector.disk_bytes())?)
}
