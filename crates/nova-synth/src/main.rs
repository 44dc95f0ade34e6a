//! `nova-synth`: from the command line to the report. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::{
    mem::size_of,
    sync::{Arc, Mutex, MutexGuard, OnceLock},
    time::Instant,
};

use anyhow::{Context, Result};
use bellpepper_core::LinearCombination;
use clap::Parser;
use nova_synth::{
    options::{name, Options, Prover, Stage},
    recursion::{arecibo, nova, Watch},
    report::{median, Report, STORAGE},
};
use procfs::process::Process;
use rayon::ThreadPoolBuilder;

fn main() -> Result<()> {
    let options = Options::parse();
    // The witness is made on one thread; this is for the keys and the proof, which are not timed.
    ThreadPoolBuilder::new().num_threads(1).build_global()?;
    match options.prover {
        Prover::Nova => nova(&options),
        Prover::Arecibo => arecibo(&options),
    }
}

/// When a synthesis began, and how long it took.
struct Stopwatch {
    start: Mutex<Instant>,
    seconds: OnceLock<f64>,
}

impl Stopwatch {
    fn start(&self) -> MutexGuard<'_, Instant> {
        self.start.lock().expect("no panic while it is held")
    }
}

impl Watch for Stopwatch {
    fn started(&self) {
        *self.start() = Instant::now();
    }

    fn done(&self) {
        let seconds = self.start().elapsed().as_secs_f64();
        self.seconds.get_or_init(|| seconds);
    }
}

/// The seconds of each repeat.
fn repeat(repeats: u16, mut stage: impl FnMut(Arc<dyn Watch>) -> Result<()>) -> Result<Vec<f64>> {
    (0..repeats)
        .map(|_| {
            let stopwatch = Arc::new(Stopwatch {
                start: Mutex::new(Instant::now()),
                seconds: OnceLock::new(),
            });
            stage(stopwatch.clone())?;
            let seconds = stopwatch.seconds.get();
            seconds.copied().context("the stage was not done")
        })
        .collect()
}

macro_rules! measure {
    ($prover:ident) => {
        fn $prover(options: &Options) -> Result<()> {
            let recursion = $prover::Recursion::new(options.step)?;
            let seconds = match options.stage {
                Stage::Shape => {
                    repeat(options.repeats, |watch| $prover::shape(options.step, watch))
                }
                Stage::Witness => repeat(options.repeats, |watch| recursion.witness(watch)),
            }?;
            let constraints = recursion.constraints();
            let combination_bytes = size_of::<LinearCombination<$prover::Scalar>>();
            let digest = recursion.digest()?;
            print(
                options,
                Report {
                    version: env!("CARGO_PKG_VERSION"),
                    circuit: circuit(options),
                    storage: STORAGE,
                    combination_bytes,
                    threads: 1,
                    circuits: 1,
                    constraints,
                    // The constant one and two hashes: a prover refuses other steps.
                    inputs: 3,
                    aux: recursion.variables(),
                    median_seconds: median(&seconds),
                    ns_per_constraint: median(&seconds) * 1e9 / constraints as f64,
                    seconds,
                    peak_rss_bytes: peak_rss_bytes()?,
                    digest,
                    compiled: None,
                },
            )
        }
    };
}
measure!(nova);
measure!(arecibo);

fn circuit(options: &Options) -> String {
    let Options {
        prover,
        stage,
        step,
        ..
    } = *options;
    [name(prover), name(stage), name(step)].join("-")
}

fn peak_rss_bytes() -> Result<u64> {
    let status = Process::myself()?.status()?;
    let kib = status.vmhwm.context("/proc/self/status has no VmHWM")?;
    Ok(kib * 1024)
}

fn print(options: &Options, report: Report) -> Result<()> {
    report
        .print(options.json)
        .context("cannot print the report")
}
