//! The result, as text for people or as the one line of JSON that programs read.
//!
//! The JSON object is a contract with programs that run this one to measure: its fields are
//! those of [`Report`], of which those in the README are promised.

use std::fmt;

use serde::Serialize;

use crate::{compiled::Compiled, measure::Measurement, workload::Workload};

/// All that is printed. Counts are of all synthesized partitions together.
#[derive(Debug, Serialize)]
pub struct Report {
    pub version: &'static str,
    /// `--label`, if given.
    pub label: Option<String>,
    /// Of linear combinations, as `bellpepper-core` names it.
    pub storage: &'static str,
    /// `system` or `jemalloc`.
    pub allocator: &'static str,
    pub threads: usize,
    pub sector_size_bytes: u64,
    pub layers: usize,
    /// Per partition.
    pub challenges: usize,
    pub partitions: usize,
    pub constraints: usize,
    pub inputs: usize,
    pub aux: usize,
    pub witness_only: bool,
    pub stream: bool,
    pub reserve: bool,
    /// Of one partition, if it was counted beforehand.
    pub counting_seconds: Option<f64>,
    /// What the assignments of all partitions hold.
    pub assignment_bytes: u64,
    /// Wall clock of each repeat.
    pub seconds: Vec<f64>,
    pub median_seconds: f64,
    /// Median wall clock over all constraints, whatever the number of threads.
    pub ns_per_constraint: f64,
    /// Not known, if the system does not say.
    pub peak_rss_bytes: Option<u64>,
    pub digest: String,
    /// With `--compiled`.
    #[serde(flatten)]
    pub compiled: Option<Compiled>,
}

/// How the program was built and asked to run.
pub struct Setting {
    pub label: Option<String>,
    pub threads: usize,
    pub witness_only: bool,
    pub stream: bool,
    pub reserve: bool,
}

impl Report {
    pub fn new(
        setting: Setting,
        workload: &Workload,
        measurement: Measurement,
        compiled: Option<Compiled>,
        peak_rss_bytes: Option<u64>,
    ) -> Self {
        let Measurement {
            counts,
            counting_seconds,
            assignment_bytes,
            seconds,
            digest,
        } = measurement;
        let median_seconds = median(&seconds);
        Report {
            version: env!("CARGO_PKG_VERSION"),
            storage: STORAGE,
            label: setting.label,
            allocator: if cfg!(feature = "jemalloc") {
                "jemalloc"
            } else {
                "system"
            },
            threads: setting.threads,
            sector_size_bytes: workload.sector_size_bytes,
            layers: workload.layers,
            challenges: workload.challenges,
            partitions: workload.circuits.len(),
            constraints: counts.constraints,
            inputs: counts.inputs,
            aux: counts.aux,
            witness_only: setting.witness_only,
            stream: setting.stream,
            reserve: setting.reserve,
            counting_seconds,
            assignment_bytes,
            ns_per_constraint: median_seconds * 1e9 / counts.constraints as f64,
            median_seconds,
            seconds,
            peak_rss_bytes,
            digest,
            compiled,
        }
    }
}

#[cfg(not(feature = "upstream"))]
const STORAGE: &str = bellpepper_core::LC_STORAGE;

#[cfg(feature = "upstream")]
const STORAGE: &str = "upstream";

/// A number with the word for what is counted.
fn counted(number: usize, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {word}{plural}")
}

/// Of an even number, the mean of the two in the middle. Not a number if there are none.
fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<18} {value}");
        if let Some(label) = &self.label {
            line("label", label.clone())?;
        }
        line("storage", self.storage.to_owned())?;
        line("allocator", self.allocator.to_owned())?;
        line("threads", self.threads.to_string())?;
        line(
            "sector",
            format!(
                "{} bytes, {} layers, {} per partition, {}",
                self.sector_size_bytes,
                self.layers,
                counted(self.challenges, "challenge"),
                counted(self.partitions, "partition")
            ),
        )?;
        line("constraints", self.constraints.to_string())?;
        line("inputs", self.inputs.to_string())?;
        line("auxiliaries", self.aux.to_string())?;
        let kind = match (self.witness_only, self.stream, &self.compiled) {
            (true, ..) => "witness only",
            (_, true, _) => "stream",
            (.., Some(_)) => "compiled",
            _ => "full",
        };
        line("kind", kind.to_owned())?;
        let seconds: Vec<_> = self.seconds.iter().map(|s| format!("{s:.3}")).collect();
        line("seconds", seconds.join(" "))?;
        if let Some(compiled) = &self.compiled {
            line(
                "of the witness",
                format!("{:.3}", median(&compiled.witness_seconds)),
            )?;
            line(
                "of the products",
                format!("{:.3}", median(&compiled.products_seconds)),
            )?;
            let bytes = compiled.compiled_bytes;
            line("compiled form", format!("{bytes} bytes"))?;
            for (step, seconds) in [
                ("compiled in", compiled.compile_seconds),
                ("loaded in", compiled.load_seconds),
                ("checked in", compiled.check_seconds),
            ] {
                if let Some(seconds) = seconds {
                    line(step, format!("{seconds:.3} seconds"))?;
                }
            }
            line("compiled rows", compiled.compiled_rows.to_string())?;
        }
        line("median seconds", format!("{:.3}", self.median_seconds))?;
        line(
            "ns per constraint",
            format!("{:.1}", self.ns_per_constraint),
        )?;
        line("assignment bytes", self.assignment_bytes.to_string())?;
        let peak = self.peak_rss_bytes;
        line(
            "peak bytes",
            peak.map_or("not known".to_owned(), |bytes| bytes.to_string()),
        )?;
        line("digest", self.digest.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, median};

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "partition"), "1 partition");
        assert_eq!(counted(2, "partition"), "2 partitions");
    }

    #[test]
    fn median_of_odd_and_even_numbers() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
