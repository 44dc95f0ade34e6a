//! What will be done: the variants, the scenarios in which they meet, and how often.
//!
//! A plan is made from the options, is complete before anything is built, and is part of the
//! record. How it is carried out is left to `builds` and `measure`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    options::{CompareOptions, Synthesizer, DEFAULT_VARIANTS},
    schedule,
    variant::{self, Settings, Variant, VariantError},
};

/// How many processes a scenario gets if `--rounds` does not say: few, so that the default session
/// ends within 15 minutes on two slow cores, most of which go into the builds.
const DEFAULT_PROCESSES: usize = 36;
/// What `--quick` compares, and in how many processes.
const QUICK_VARIANTS: &str = "upstream,lc-pooled";
const QUICK_PROCESSES: usize = 18;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The first is the baseline.
    pub variants: Vec<Variant>,
    pub scenarios: Vec<Scenario>,
    /// Whole designs of [`schedule`], the same number on every layout.
    pub rounds: usize,
    /// Syntheses in each process; its median counts.
    pub repeats: usize,
    /// Code layouts that each variant is linked in.
    pub layouts: usize,
    pub seed: u64,
    /// Log-ratios up to this size are of no consequence.
    pub margin: f64,
    /// The slowdown, as a log-ratio, that is not to be exceeded.
    pub fail_if_slower: Option<f64>,
    pub timeout_seconds: f64,
    /// The workspace's own program that is timed, if it is one of its own.
    #[serde(default)]
    pub program: Synthesizer,
    /// How a prover's own program is run in its place.
    pub command: Option<String>,
    /// Where that program is built.
    #[serde(default)]
    pub prover: Option<Prover>,
}

/// A cargo project outside of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prover {
    pub dir: PathBuf,
    /// Arguments of its `cargo build`.
    pub cargo_args: Vec<String>,
}

/// The circumstances of one comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    pub threads: usize,
    pub layers: usize,
    pub challenges: usize,
    pub partitions: usize,
    pub sector_size: String,
    pub witness_only: bool,
}

impl Scenario {
    fn is_of_prover_synth(&self) -> bool {
        let circuit = (self.layers, self.challenges, self.sector_size.as_str());
        circuit == (2, 1, "2KiB") && !self.witness_only
    }

    /// In words, as far as they are wanted.
    fn in_words(&self, wanted: impl Fn(&str) -> bool) -> String {
        let counted = |count: usize, of: &str| match count {
            1 => format!("1 {of}"),
            count => format!("{count} {of}s"),
        };
        let mut words = vec![
            ("{threads}", counted(self.threads, "thread")),
            ("{layers}", counted(self.layers, "layer")),
            ("{challenges}", counted(self.challenges, "challenge")),
            ("{partitions}", counted(self.partitions, "partition")),
            ("{sector_size}", self.sector_size.clone()),
        ];
        if self.witness_only {
            words.push(("{witness_only}", "witness only".to_owned()));
        }
        words.retain(|(place, _)| wanted(place));
        let words: Vec<String> = words.into_iter().map(|(_, word)| word).collect();
        words.join(", ")
    }
}

impl std::fmt::Display for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.in_words(|_| true))
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    #[error("--variants: {0}")]
    Variant(#[from] VariantError),
    #[error(
        "--variants names only `{0}`: name the baseline first, and then what to compare with \
             it (`{0} {0}` compares it with itself)"
    )]
    OnlyBaseline(String),
    #[error("--{0} {1}: must be at least {2}")]
    TooSmall(&'static str, String, usize),
    #[error("--{0} {1}: must be a percentage above 0 and below 100")]
    NoPercentage(&'static str, String),
    #[error("--layouts links the workspace's own programs several times, and not a prover's")]
    LayoutsOfProver,
    #[error(
        "--command `{0}` has no {{program}}: a command that does not run what was built for a \
             variant says nothing about it. lc-ab builds the prover in --prover DIR for each \
             variant, and fills in the built program for {{program}}"
    )]
    NoProgram(String),
    #[error(
        "arguments after `--` are those of a prover's `cargo build`: name its folder with --prover"
    )]
    ArgumentsOfNoProver,
    #[error("`{0}` has a setting of porep-synth's, which does not run here")]
    SettingOfPorepSynth(String),
    #[error(
        "prover-synth synthesizes 2 layers and 1 challenge of 2KiB, and makes no witness alone"
    )]
    OneCircuit,
}

impl Plan {
    pub fn new(options: &CompareOptions) -> Result<Self, PlanError> {
        let mut names = options.variants.clone();
        let mut processes = DEFAULT_PROCESSES;
        if options.quick {
            processes = QUICK_PROCESSES;
            if names == DEFAULT_VARIANTS {
                names = vec![QUICK_VARIANTS.to_owned()];
            }
        }
        let variants = variant::parse_list(&names)?;
        if variants.len() < 2 {
            let only = variants.first().map_or("", |variant| &variant.label);
            return Err(PlanError::OnlyBaseline(only.to_owned()));
        }
        let (command, prover) = prover(options)?;
        if prover.is_some() && options.layouts > 1 {
            return Err(PlanError::LayoutsOfProver);
        }
        let own = prover.is_none() && options.program == Synthesizer::PorepSynth;
        let told = |variant: &&Variant| variant.settings != Settings::default();
        if let Some(variant) = variants.iter().find(told).filter(|_| !own) {
            return Err(PlanError::SettingOfPorepSynth(variant.label.clone()));
        }
        for (name, values) in [
            ("threads", &options.threads),
            ("layers", &options.layers),
            ("challenges", &options.challenges),
            ("partitions", &options.partitions),
            ("rounds", &options.rounds.into_iter().collect()),
            ("repeats", &vec![options.repeats]),
            ("layouts", &vec![options.layouts]),
        ] {
            if let Some(zero) = values.iter().find(|&&value| value < 1) {
                return Err(PlanError::TooSmall(name, zero.to_string(), 1));
            }
        }
        let design = schedule::rounds_in_a_design(variants.len() + 1) * options.layouts;
        let rounds = options
            .rounds
            .unwrap_or(processes / (variants.len() + 1))
            .next_multiple_of(design);
        let scenarios = scenarios(options);
        if options.program == Synthesizer::ProverSynth
            && !scenarios.iter().all(Scenario::is_of_prover_synth)
        {
            return Err(PlanError::OneCircuit);
        }
        Ok(Self {
            scenarios,
            rounds,
            repeats: options.repeats,
            layouts: options.layouts,
            seed: options.seed,
            margin: log_of_percentage("margin", options.margin)?,
            fail_if_slower: options
                .fail_if_slower
                .map(|percentage| log_of_percentage("fail-if-slower", percentage))
                .transpose()?,
            timeout_seconds: options.timeout.as_secs_f64(),
            program: options.program,
            command,
            prover,
            variants,
        })
    }

    /// The same circuits in bellperson itself, on the registry's crate and on the default storage,
    /// beside a plan whose programs and variants are the default.
    pub fn in_bellperson(&self, options: &CompareOptions) -> Option<Self> {
        let default = self.prover.is_none()
            && self.program == Synthesizer::PorepSynth
            && !options.quick
            && options.variants == DEFAULT_VARIANTS;
        let quick = CompareOptions {
            program: Synthesizer::ProverSynth,
            quick: true,
            fail_if_slower: None,
            ..options.clone()
        };
        default.then(|| Self::new(&quick).ok()).flatten()
    }

    /// How the timed program is called.
    pub fn name_of_program(&self) -> &'static str {
        match (&self.prover, self.program) {
            (Some(_), _) => "prover",
            (None, Synthesizer::PorepSynth) => "porep-synth",
            (None, Synthesizer::ProverSynth) => "prover-synth",
        }
    }

    /// The variants and, last, the second copy of the baseline.
    pub fn subjects(&self) -> usize {
        self.variants.len() + 1
    }

    /// The subject that is the second copy of the baseline.
    pub fn control(&self) -> usize {
        self.variants.len()
    }

    /// The variant that a subject is a copy of.
    pub fn variant_of(&self, subject: usize) -> usize {
        if subject == self.control() {
            0
        } else {
            subject
        }
    }

    /// How reports call a subject.
    pub fn name(&self, subject: usize) -> String {
        if subject == self.control() {
            format!("{} (A/A control)", self.variants[0].label)
        } else {
            self.variants[subject].label.clone()
        }
    }

    /// The circumstances of a scenario; with a prover's own program, those that its command names.
    pub fn circumstances(&self, scenario: usize) -> String {
        let scenario = &self.scenarios[scenario];
        match &self.command {
            None => scenario.to_string(),
            Some(command) => match scenario.in_words(|place| command.contains(place)) {
                words if words.is_empty() => "as it is run".to_owned(),
                words => words,
            },
        }
    }

    /// Layouts change only between whole designs, so that each of them is balanced in itself.
    pub fn layout_of(&self, round: usize) -> usize {
        round / schedule::rounds_in_a_design(self.subjects()) % self.layouts
    }
}

/// How a prover's program is run, and where it is built.
fn prover(options: &CompareOptions) -> Result<(Option<String>, Option<Prover>), PlanError> {
    if options.command.is_none() && options.prover.is_none() {
        return match options.cargo_args.as_slice() {
            [] => Ok((None, None)),
            _ => Err(PlanError::ArgumentsOfNoProver),
        };
    }
    let command = options.command.as_deref().unwrap_or("{program}");
    if !command.contains("{program}") {
        return Err(PlanError::NoProgram(command.to_owned()));
    }
    let prover = Prover {
        dir: options.prover.clone().unwrap_or(PathBuf::from(".")),
        cargo_args: options.cargo_args.clone(),
    };
    Ok((Some(command.to_owned()), Some(prover)))
}

fn scenarios(options: &CompareOptions) -> Vec<Scenario> {
    let mut scenarios = Vec::new();
    for &threads in &options.threads {
        for &layers in &options.layers {
            for &challenges in &options.challenges {
                for &partitions in &options.partitions {
                    for sector_size in &options.sector_size {
                        scenarios.push(Scenario {
                            threads,
                            layers,
                            challenges,
                            partitions,
                            sector_size: sector_size.clone(),
                            witness_only: options.witness_only,
                        });
                    }
                }
            }
        }
    }
    scenarios
}

fn log_of_percentage(name: &'static str, percentage: f64) -> Result<f64, PlanError> {
    if percentage > 0.0 && percentage < 100.0 {
        Ok((percentage / 100.0).ln_1p())
    } else {
        Err(PlanError::NoPercentage(name, percentage.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use clap::Parser;

    fn plan(arguments: &[&str]) -> Result<Plan, PlanError> {
        let line = std::iter::once("lc-ab").chain(arguments.iter().copied());
        Plan::new(&Options::try_parse_from(line).unwrap().compare)
    }

    #[test]
    fn the_default_compares_every_storage_with_the_registry() {
        let plan = plan(&[]).unwrap();
        let labels: Vec<&str> = plan.variants.iter().map(|v| v.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "upstream",
                "lc-vec",
                "lc-smallvec1",
                "lc-smallvec4",
                "lc-pooled"
            ]
        );
        assert_eq!((plan.scenarios.len(), plan.rounds), (1, 6));
    }

    #[test]
    fn rounds_are_whole_designs_on_every_layout() {
        assert_eq!(plan(&["--variants", "upstream,lc-vec"]).unwrap().rounds, 12);
        assert_eq!(plan(&["--rounds", "7"]).unwrap().rounds, 12);
        let layouts = plan(&["--rounds", "7", "--layouts", "3"]).unwrap();
        assert_eq!(layouts.rounds, 18);
        let used: Vec<usize> = (0..18).map(|round| layouts.layout_of(round)).collect();
        for layout in 0..3 {
            assert_eq!(used.iter().filter(|&&l| l == layout).count(), 6);
        }
    }

    #[test]
    fn axes_multiply() {
        let plan = plan(&["--threads", "1,2", "--layers", "2,11", "--witness-only"]).unwrap();
        let names: Vec<String> = plan.scenarios.iter().map(Scenario::to_string).collect();
        assert_eq!(
            names,
            [
                "1 thread, 2 layers, 1 challenge, 1 partition, 2KiB, witness only",
                "1 thread, 11 layers, 1 challenge, 1 partition, 2KiB, witness only",
                "2 threads, 2 layers, 1 challenge, 1 partition, 2KiB, witness only",
                "2 threads, 11 layers, 1 challenge, 1 partition, 2KiB, witness only"
            ]
        );
    }

    #[test]
    fn a_command_is_told_what_it_names() {
        let circumstances = |command| {
            let plan = plan(&["--threads", "2", "--command", command]).unwrap();
            plan.circumstances(0)
        };
        assert_eq!(circumstances("{program} --json"), "as it is run");
        assert_eq!(
            circumstances("{program} -j {threads} {challenges}"),
            "2 threads, 1 challenge"
        );
    }

    #[test]
    fn bad_values_are_named() {
        assert_eq!(
            plan(&["--variants", "upstream"]),
            Err(PlanError::OnlyBaseline("upstream".into()))
        );
        assert_eq!(
            plan(&["--threads", "1,0"]),
            Err(PlanError::TooSmall("threads", "0".into(), 1))
        );
        assert_eq!(
            plan(&["--margin", "0"]),
            Err(PlanError::NoPercentage("margin", "0".into()))
        );
        assert_eq!(
            plan(&["--fail-if-slower", "nan"]),
            Err(PlanError::NoPercentage("fail-if-slower", "NaN".into()))
        );
        assert_eq!(
            plan(&["--prover", ".", "--layouts", "2"]),
            Err(PlanError::LayoutsOfProver)
        );
        assert_eq!(
            plan(&["--command", "cargo run --config {config}"]),
            Err(PlanError::NoProgram("cargo run --config {config}".into()))
        );
        assert_eq!(
            plan(&["--variants", "upstream,lc-vec", "--", "--locked"]),
            Err(PlanError::ArgumentsOfNoProver)
        );
        assert_eq!(
            plan(&["--prover", ".", "--variants", "upstream,lc-vec+compiled"]),
            Err(PlanError::SettingOfPorepSynth("lc-vec+compiled".into()))
        );
    }

    #[test]
    fn a_quick_look_has_two_variants_and_few_rounds() {
        let quick = plan(&["--quick"]).unwrap();
        assert_eq!((quick.variants.len(), quick.rounds), (2, 6));
        let named = plan(&["--quick", "--variants", "upstream,lc-vec,lc-smallvec1"]).unwrap();
        assert_eq!(named.variants[2].label, "lc-smallvec1");
    }

    #[test]
    fn the_default_looks_at_bellperson_itself_and_others_do_not() {
        let row_of = |arguments: &[&str]| {
            let line = std::iter::once("lc-ab").chain(arguments.iter().copied());
            let options = Options::try_parse_from(line).unwrap().compare;
            Plan::new(&options).unwrap().in_bellperson(&options)
        };
        let row = row_of(&["--threads", "2"]).unwrap();
        assert_eq!(row.name_of_program(), "prover-synth");
        assert_eq!((row.variants.len(), row.scenarios[0].threads), (2, 2));
        assert_eq!(row_of(&["--quick"]), None);
        assert_eq!(row_of(&["--layers", "11"]), None);
        assert_eq!(row_of(&["--variants", "upstream,lc-vec"]), None);
        assert_eq!(row_of(&["--prover", "."]), None);
    }

    #[test]
    fn the_control_is_a_copy_of_the_baseline() {
        let plan = plan(&[]).unwrap();
        assert_eq!((plan.subjects(), plan.control()), (6, 5));
        assert_eq!(plan.variant_of(5), 0);
        assert_eq!(plan.name(5), "upstream (A/A control)");
    }
}
