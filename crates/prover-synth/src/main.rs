//! `prover-synth`: from the command line to the report. The library's documentation has the map.

#![forbid(unsafe_code)]

use std::mem::size_of;

use anyhow::{Context, Result};
use bellperson::LinearCombination;
use blstrs::Scalar;
use clap::{Parser, ValueEnum};
use porep_synth::memory;
use prover_synth::{
    compiled,
    measure::measure,
    options::Options,
    report::{median, Report, STORAGE},
    synthesis_log,
};
use rayon::ThreadPoolBuilder;

fn main() -> Result<()> {
    let options = Options::parse();
    synthesis_log::install()?;
    let threads = options.threads.into();
    // bellperson synthesizes on the global pool.
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()?;
    let circuits = options.circuits.into();
    let subject = options.circuit.subject()?;
    let (measurement, compiled) = if options.compiled {
        let (measurement, compiled) = compiled::measure(&subject, circuits, options.repeats)?;
        (measurement, Some(compiled))
    } else {
        (measure(subject, circuits, options.repeats)?, None)
    };

    let median_seconds = median(&measurement.seconds);
    let name = options.circuit.to_possible_value().expect("none is hidden");
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        circuit: name.get_name().to_owned(),
        storage: STORAGE,
        combination_bytes: size_of::<LinearCombination<Scalar>>(),
        threads,
        circuits,
        constraints: measurement.counts.constraints,
        inputs: measurement.counts.inputs,
        aux: measurement.counts.aux,
        ns_per_constraint: median_seconds * 1e9 / measurement.counts.constraints as f64,
        median_seconds,
        seconds: measurement.seconds,
        peak_rss_bytes: memory::peak_rss_bytes()?,
        digest: measurement.digest,
        compiled,
    };
    report
        .print(options.json)
        .context("cannot print the report")
}
