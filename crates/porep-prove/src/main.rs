//! `porep-prove`: from the command line to the file of proofs. The library's documentation has the
//! map.

#![forbid(unsafe_code)]

use std::panic;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use porep_prove::options::Options;
use porep_prove::output::Output;
use porep_prove::prover::{needed_bytes, Prover};
use porep_prove::{parameters, porep};
use porep_synth::memory::Memory;
use porep_synth::{c1, compiled, panics};

fn main() -> ExitCode {
    let options = Options::parse();
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
    let output = Output::new(&options.out)?;
    let parameters = parameters::open(&options.params)?;
    let advice = "one partition after the other is proved, so only a larger machine helps";
    let ask = |needed_bytes| Memory::here(false).ask(needed_bytes, advice);
    let wanted = options.partition.map(|partition| partition..=partition);
    ask(c1::reading_bytes(&options.c1)?)?;
    let workload = c1::read(&options.c1, wanted.as_ref())?;
    eprintln!("{}", ask(needed_bytes(&parameters, workload.challenges))?);
    let (shape, _) = compiled::shape(&workload, options.compiled.as_deref())?;
    let mut prover = Prover::new(shape, &parameters)?;

    let mut proofs = Vec::new();
    for index in 0..workload.circuits.len() {
        let start = Instant::now();
        let generate =
            |shape: &_, witness: &mut _| porep::generate(&workload, index, shape, witness);
        prover.prove(generate)?.write(&mut proofs)?;
        let partition = options.partition.unwrap_or(index);
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("partition {partition}: proved and verified in {seconds:.1} s");
    }
    output.write(&proofs)
}
