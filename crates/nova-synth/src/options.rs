//! The command line.

use clap::{Parser, ValueEnum};

use crate::step::Step;

/// Synthesize a step of recursion inside nova-snark or arecibo as published, and time it.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// The prover
    #[arg(long, value_enum)]
    pub prover: Prover,

    /// What of the step is synthesized
    #[arg(long, value_enum)]
    pub stage: Stage,

    /// What the step does
    #[arg(long, value_enum)]
    pub step: Step,

    /// How often the stage is repeated
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub repeats: u16,

    /// Print one line of JSON in place of the text
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Prover {
    /// nova-snark 0.37
    Nova,
    /// arecibo 0.1
    Arecibo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The shape of the circuit, which keeps the combinations of all constraints
    Shape,
    /// The witness of one step
    Witness,
}

/// A value as the command line has it.
pub fn name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value().expect("none is hidden");
    value.get_name().to_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }
}
