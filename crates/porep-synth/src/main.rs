//! `porep-synth`: from the command line to the report. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::{
    any::Any,
    io::{self, Write},
    panic,
    process::ExitCode,
};

use anyhow::{anyhow, Result};
use indicatif::{ProgressBar, ProgressStyle};
use porep_synth::{
    assignment::ProvingAssignment,
    count::Counts,
    measure::measure,
    memory,
    options::{Options, Refusal},
    report::{Report, Setting},
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
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(Refusal::BadUsage(line)) => {
            eprintln!("{line}");
            return ExitCode::from(2);
        }
    };
    // A panic below is reported as any error is: in one line.
    panic::set_hook(Box::new(|_| ()));
    let outcome = panic::catch_unwind(|| run(&options)).unwrap_or_else(|panic| {
        Err(anyhow!(
            "unexpected end of the work: {}",
            panic_message(&*panic)
        ))
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

fn run(options: &Options) -> Result<()> {
    // Draws nothing unless standard error is a terminal.
    let progress = ProgressBar::new(options.repeats.into())
        .with_style(ProgressStyle::with_template("{bar:20} {msg} [{elapsed}]")?);

    let workload = load(options, &progress)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads())
        .build()?;
    let reserve = if options.reserve {
        progress.set_message("counting");
        Some(Counts::of(workload.circuits[0].clone())?)
    } else {
        None
    };
    let measure = if options.witness_only {
        measure::<WitnessAssignment>
    } else {
        measure::<ProvingAssignment>
    };
    let measurement = measure(&workload, options.repeats, reserve, &pool, &progress)?;
    progress.finish_and_clear();

    let setting = Setting {
        label: options.label.clone(),
        threads: options.threads(),
        witness_only: options.witness_only,
        reserve: options.reserve,
    };
    let report = Report::new(setting, &workload, measurement, memory::peak_rss_bytes()?);
    let mut out = io::stdout().lock();
    if options.json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        write!(out, "{report}")?;
    }
    Ok(())
}

fn load(options: &Options, progress: &ProgressBar) -> Result<Workload> {
    let sector = options.sector();
    progress.set_message("sealing a sector");
    sector.seal(&Workdir::new(sector.disk_bytes())?)
}
