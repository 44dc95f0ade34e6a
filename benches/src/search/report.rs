//! The search as a command: what both programs that search have in common.

use std::time::Duration;

use clap::Args;

use super::{search, Loser, Measure};
use crate::{subjects, Subject};

#[derive(Args)]
pub struct Options {
    /// How long to search, shrinking included.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Only this storage; more than once for several.
    #[arg(long = "storage", value_name = "STORAGE", value_parser = storage_names())]
    storages: Vec<String>,
}

fn storage_names() -> Vec<&'static str> {
    subjects()
        .iter()
        .skip(1)
        .map(|storage| storage.name)
        .collect()
}

impl Options {
    /// The registry's crate, and the storages that were asked for.
    pub fn subjects(&self) -> (Subject, Vec<Subject>) {
        let mut storages = subjects();
        let registry = storages.remove(0);
        let asked_for = |storage: &Subject| self.storages.iter().any(|name| name == storage.name);
        storages.retain(|storage| self.storages.is_empty() || asked_for(storage));
        (registry, storages)
    }

    /// Searches, and prints the losers of each storage. A ratio is so many times `what`.
    pub fn search(&self, storages: &[Subject], what: &str, measure: &mut Measure) {
        let time = Duration::from_secs(self.seconds);
        let found = search(measure, storages.len(), self.seed, time);
        println!("{} programs, seed {}, {what}", found.measured, self.seed);
        for (storage, losers) in storages.iter().zip(found.losers) {
            match losers.first() {
                None => println!("\n{}: no loser", storage.name),
                Some(worst) => {
                    println!(
                        "\n{}: at worst {:.2} times {what}",
                        storage.name, worst.ratio.ratio
                    )
                }
            }
            for Loser { ratio, program } in losers {
                println!("\n{:.2} ({})\n{program}", ratio.ratio, program.family);
            }
        }
    }
}
