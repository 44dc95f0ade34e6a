//! The time that bellperson logs after a synthesis, caught by a logger that keeps nothing else.

use std::sync::Mutex;

use anyhow::{Context, Result};
use log::{LevelFilter, Log, Metadata, Record};

const TARGET: &str = "bellperson";
/// A `Duration` follows, as its `Debug` writes it.
const PREFIX: &str = "synthesis time: ";

struct SynthesisLog {
    /// Of the latest synthesis that nobody has taken.
    seconds: Mutex<Option<f64>>,
}

static LOG: SynthesisLog = SynthesisLog {
    seconds: Mutex::new(None),
};

impl SynthesisLog {
    fn seconds(&self) -> std::sync::MutexGuard<'_, Option<f64>> {
        self.seconds.lock().expect("no panic while it is held")
    }
}

impl Log for SynthesisLog {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with(TARGET)
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            let line = record.args().to_string();
            if let Some(seconds) = line.strip_prefix(PREFIX).and_then(seconds) {
                *self.seconds() = Some(seconds);
            }
        }
    }

    fn flush(&self) {}
}

/// Makes this the process's logger.
///
/// # Errors
/// There is a logger already.
pub fn install() -> Result<()> {
    log::set_logger(&LOG).context("the process has a logger already")?;
    log::set_max_level(LevelFilter::Info);
    Ok(())
}

/// The seconds of the latest synthesis; none if there was no synthesis since they were taken last.
pub fn take() -> Option<f64> {
    LOG.seconds().take()
}

/// The seconds of a duration as its `Debug` writes it.
fn seconds(duration: &str) -> Option<f64> {
    let number_end = duration.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = duration.split_at(number_end);
    let unit_seconds = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit_seconds)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn durations_are_read_in_each_unit() {
        for nanoseconds in [
            7,
            1_500,
            2_000_000,
            345_678_901,
            1_000_000_000,
            61_234_567_890,
        ] {
            let duration = Duration::from_nanos(nanoseconds);
            let read = seconds(&format!("{duration:?}")).unwrap();
            assert!(
                (read - duration.as_secs_f64()).abs() < 1e-12,
                "{duration:?}"
            );
        }
    }

    #[test]
    fn other_text_is_no_duration() {
        for text in ["", "s", "1", "1.5h", "1.2.3s", "-1s", "about 1s"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
