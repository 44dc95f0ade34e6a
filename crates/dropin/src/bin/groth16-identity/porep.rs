//! The whole Proof-of-Replication circuit of a small sector, as `porep-synth` seals it.

use anyhow::{Context, Result};
use porep_synth::sector::Sector;
use porep_synth::workdir::Workdir;
use porep_synth::workload::PorepCircuit;

/// A name fit for a file.
pub const NAME: &str = "porep-2KiB";

/// The circuit of the one partition of a sector that is sealed now, the same each time.
pub fn circuit() -> Result<PorepCircuit> {
    let sector = Sector {
        size_bytes: 2048,
        layers: 2,
        challenges: 1,
        partitions: 1,
        seed: 1,
    };
    let workdir = Workdir::new(sector.disk_bytes())?;
    let workload = sector.seal(&workdir)?;
    workload
        .circuits
        .into_iter()
        .next()
        .context("a sector has a partition")
}
