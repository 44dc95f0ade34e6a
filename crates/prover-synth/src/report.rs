//! The result, as text for people or as the one line of JSON that programs read.
//!
//! `nova-synth` prints the same line and shares this file, so nothing here is of one prover.

use std::{
    fmt,
    io::{self, Write},
};

use serde::Serialize;

/// All that is printed. Counts are of all circuits together.
#[derive(Debug, Serialize)]
pub struct Report {
    pub version: &'static str,
    pub circuit: String,
    /// Of linear combinations, as `bellpepper-core` names it.
    pub storage: &'static str,
    /// The size of a linear combination itself, which tells storages apart.
    pub combination_bytes: usize,
    pub threads: usize,
    pub circuits: usize,
    pub constraints: usize,
    pub inputs: usize,
    pub aux: usize,
    /// Of each repeat.
    pub seconds: Vec<f64>,
    pub median_seconds: f64,
    pub ns_per_constraint: f64,
    pub peak_rss_bytes: u64,
    pub digest: String,
    /// Of a prover that has the constraints compiled.
    #[serde(flatten)]
    pub compiled: Option<Compiled>,
}

/// What is reported of compiled constraints.
#[derive(Debug, Serialize)]
pub struct Compiled {
    /// In memory.
    pub compiled_bytes: usize,
    /// Wall clock.
    pub compile_seconds: f64,
    /// Rows that were evaluated in each repeat.
    pub compiled_rows: usize,
}

/// The storage that the program was built on.
#[cfg(not(feature = "upstream"))]
pub const STORAGE: &str = bellpepper_core::LC_STORAGE;
/// The storage that the program was built on.
#[cfg(feature = "upstream")]
pub const STORAGE: &str = "upstream";

impl Report {
    /// Prints the report on standard output.
    ///
    /// # Errors
    /// It cannot be written. That nobody reads it any more is no error.
    pub fn print(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let written = if json {
            let line = serde_json::to_string(self)?;
            writeln!(out, "{line}")
        } else {
            write!(out, "{self}")
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<18} {value}");
        line("circuit", &self.circuit)?;
        line("storage", &self.storage)?;
        line("combination bytes", &self.combination_bytes)?;
        line("threads", &self.threads)?;
        line("circuits", &self.circuits)?;
        line("constraints", &self.constraints)?;
        line("inputs", &self.inputs)?;
        line("auxiliaries", &self.aux)?;
        let seconds: Vec<_> = self.seconds.iter().map(|s| format!("{s:.4}")).collect();
        line("seconds", &seconds.join(" "))?;
        line("median seconds", &format!("{:.4}", self.median_seconds))?;
        line(
            "ns per constraint",
            &format!("{:.1}", self.ns_per_constraint),
        )?;
        line("peak bytes", &self.peak_rss_bytes)?;
        if let Some(compiled) = &self.compiled {
            line("compiled bytes", &compiled.compiled_bytes)?;
            line(
                "compiled in",
                &format!("{:.3} seconds", compiled.compile_seconds),
            )?;
            line("compiled rows", &compiled.compiled_rows)?;
        }
        line("digest", &self.digest)
    }
}

/// Of an even number, the mean of the two in the middle. Not a number if there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}
