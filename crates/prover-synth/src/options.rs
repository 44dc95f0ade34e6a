//! The command line.

use clap::Parser;

use crate::circuits::Name;

/// Synthesize a circuit inside bellperson as published, and print the time that bellperson logs.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// The circuit
    #[arg(long, value_name = "NAME", value_enum)]
    pub circuit: Name,

    /// How many times the circuit is synthesized
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub repeats: u16,

    /// Copies of the circuit, which bellperson synthesizes in parallel
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub circuits: u16,

    /// Threads that synthesize
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,

    /// Evaluate constraints that are compiled beforehand, in place of bellperson's synthesis
    #[arg(long)]
    pub compiled: bool,

    /// Print one line of JSON in place of the text
    #[arg(long)]
    pub json: bool,
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
