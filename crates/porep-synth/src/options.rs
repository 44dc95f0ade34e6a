//! The command line.

use std::{num::NonZeroUsize, ops::RangeInclusive, path::PathBuf, thread};

use clap::{error::ErrorKind, Parser, ValueEnum};

use crate::sector::Sector;

/// Synthesize the Filecoin Proof-of-Replication circuit as a prover does, and measure it.
///
/// Exit codes: 0 done, 1 failed, 2 bad usage.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// Layers of the replication.
    #[arg(long, value_name = "N", default_value = "2", value_parser = layers)]
    layers: usize,

    /// Challenges per partition.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    challenges: u16,

    /// Partitions, each a circuit of its own.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    partitions: u16,

    /// Size of the sector to seal.
    #[arg(long, value_name = "SIZE", default_value = "2KiB", ignore_case = true)]
    sector_size: SectorSize,

    /// Seed of the sector's data and of the choice of challenges.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Synthesize the sector that this file proves: the C1 output of Lotus or Curio, in JSON.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["layers", "challenges", "partitions", "sector_size", "seed"])]
    pub c1: Option<PathBuf>,

    /// Which of the file's partitions, counted from 0: one or a range [default: all].
    #[arg(long, value_name = "K|A-B", requires = "c1", value_parser = partition_range)]
    pub partition: Option<RangeInclusive<usize>>,

    /// Threads that synthesize partitions [default: all the machine has].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// How many times to synthesize.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub repeats: u16,

    /// Make the witness only: constraints are passed over. Gadgets still build the combinations
    /// that they keep.
    #[arg(long)]
    pub witness_only: bool,

    /// Hash the evaluations instead of keeping them: any size fits in a few hundred MiB.
    #[arg(long, conflicts_with_all = ["witness_only", "reserve"])]
    pub stream: bool,

    /// Reserve the assignment's capacity from the start, instead of letting it grow.
    #[arg(long)]
    pub reserve: bool,

    /// Count free swap as memory, where a run would be refused.
    #[arg(long)]
    pub allow_swap: bool,

    /// Make only the witness from the circuit, and all else from constraints compiled beforehand:
    /// those in FILE, which is made if it is not there. Vectors are reserved as with --reserve.
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["witness_only", "stream"])]
    pub compiled: Option<Option<PathBuf>>,

    /// Print one line of JSON in place of the text.
    #[arg(long)]
    pub json: bool,

    /// A name to print with the result.
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
}

/// The sizes whose sector is one tree of arity eight.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SectorSize {
    #[value(name = "256B")]
    B256,
    #[value(name = "2KiB")]
    Kib2,
    #[value(name = "8MiB")]
    Mib8,
    #[value(name = "512MiB")]
    Mib512,
}

impl SectorSize {
    fn bytes(self) -> u64 {
        match self {
            SectorSize::B256 => 256,
            SectorSize::Kib2 => 2 << 10,
            SectorSize::Mib8 => 8 << 20,
            SectorSize::Mib512 => 512 << 20,
        }
    }
}

/// What to print instead of running, where to, and the exit code that goes with it.
pub enum Refusal {
    /// Help or version, for standard output: 0.
    Text(String),
    /// One line for standard error: 2.
    BadUsage(String),
}

impl Options {
    /// Reads the process's own command line.
    ///
    /// # Errors
    /// What to do instead.
    pub fn read() -> Result<Self, Refusal> {
        Options::try_parse().map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Text(error.to_string()),
            _ => Refusal::BadUsage(first_paragraph(&error.to_string())),
        })
    }

    /// The sector to seal.
    pub fn sector(&self) -> Sector {
        Sector {
            size_bytes: self.sector_size.bytes(),
            layers: self.layers,
            challenges: self.challenges.into(),
            partitions: self.partitions.into(),
            seed: self.seed,
        }
    }

    pub fn threads(&self) -> usize {
        self.threads.map_or_else(
            || thread::available_parallelism().map_or(1, NonZeroUsize::get),
            usize::from,
        )
    }
}

/// Columns of other heights cannot be hashed.
fn layers(text: &str) -> Result<usize, String> {
    match text {
        "2" => Ok(2),
        "11" => Ok(11),
        _ => Err("expected 2 or 11".to_owned()),
    }
}

fn partition_range(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| text.parse().ok();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("expected a number, or two ascending ones as in 0-9".to_owned()),
    }
}

/// The message itself, without the hints on usage below it, in one line.
fn first_paragraph(message: &str) -> String {
    message
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_partition_or_an_ascending_range() {
        assert_eq!(partition_range("3"), Ok(3..=3));
        assert_eq!(partition_range("0-9"), Ok(0..=9));
        for text in ["", "-", "1-", "-1", "2-1", "1-2-3", "a"] {
            assert!(partition_range(text).is_err(), "{text}");
        }
    }
}
