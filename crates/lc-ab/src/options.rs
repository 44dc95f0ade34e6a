//! The command line. What the values mean together is checked by `plan`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::caches::Cpu;

/// The registry's crate, and every storage of the fork.
pub const DEFAULT_VARIANTS: [&str; 5] = [
    "upstream",
    "lc-vec",
    "lc-smallvec1",
    "lc-smallvec4",
    "lc-pooled",
];

const MORE_HELP: &str = "\
How it measures: whole processes, one at a time, in rounds in which every variant and a second copy
of the baseline run once, in balanced order. Each process is pinned to as many processors as it has
threads: the last ones allowed, on different cores if possible. If there are fewer processors, it is
not pinned. Before the rounds, every program runs once, which warms the machine up and shows that
all compute the same; so no round is thrown away. The number of rounds is fixed beforehand. Ctrl-C
keeps the whole rounds done and reports on them. Ratios are means of paired log-ratios without the
highest fifth and the lowest fifth (rounded down: 2 and 2 of 12), with Yuen's intervals: a few
rounds that others disturbed do not move them.

The columns: `times as fast` is seconds of the baseline over seconds of the variant, its interval
is wide enough for all comparisons of the session together, and the verdict follows from it. By
default each variant is linked once, and the interval is of the programs as they were linked. Code
layout changes times by about 1%, which only --layouts N has in the interval. `median`
is that of the pairs' ratios. `detectable` is the difference that so many pairs find four times in
five. `more pairs` is how many it takes to settle an open verdict. `rest of the process` is all but
the timed syntheses: above all, sealing the sector.

Exit codes:
  0  did what was asked (whatever the verdicts, unless --fail-if-slower is given)
  1  --fail-if-slower: something is slower than allowed
  2  bad usage
  3  something failed: a build, a check before timing, or a variant while it was measured
  4  --fail-if-slower: open, as there are not enough rounds to tell
  5  interrupted; with --fail-if-slower there is then no decision, unless all rounds were done
If several apply, 1 goes before 5, 5 before 3, and 3 before 4.

A prover's own program: --prover DIR is the folder of its Cargo.toml, and arguments after `--` are
those of its `cargo build --release`. For each variant, lc-ab builds it there, with no edit: a file
for cargo's --config puts the variant, its storage switched on, under every crate of the build. No
feature has to be handed on, and the prover's lock file is left as it was. If cargo then compiled
another bellpepper-core than the variant's, nothing is timed: so first take away a [patch] and lc-…
features of your own, and let the lock file have bellpepper-core 0.2.1 alone.
--command is what runs the program, under `sh -c`, in the folder in which lc-ab was started:
once for each variant before the timing, then once a round. It has to print, as the last line on
standard output, a JSON object with `seconds` (a number or an array of numbers) and `digest` (a
string that is the same for every variant that computes the same); `peak_rss_bytes`, `constraints`
and `storage` are read if they are there. These are filled in, in single quotes if they have to be:
{program} (what was built; has to be there), {variant}, {threads}, {layers}, {challenges},
{partitions}, {sector_size}, {witness_only}, {repeats}. For example, with a binary `bench` of yours:
  scripts/ab.sh --prover ../my-prover --variants upstream,lc-pooled \\
    --command '{program} --json --threads {threads}' -- --bin bench --features my-feature";

/// Compares storages of linear combinations by synthesizing the same circuit on each, and says
/// which is faster, whether that is real, and why.
#[derive(Debug, Parser)]
#[command(name = "lc-ab", version, after_help = MORE_HELP, args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub compare: CompareOptions,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draws the table, report.html and report.md anew from the raw data of a report.json, beside
    /// it
    Report { file: PathBuf },
    /// Puts several sessions, each named by the folder of its report.json, into summary.md and, if
    /// their circuits have several sizes, scaling.svg
    Summary {
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Folder for both
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// The workspace's own programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Synthesizer {
    /// Synthesizes into an assignment that does what bellperson's does
    #[default]
    PorepSynth,
    /// Synthesizes in bellperson itself
    ProverSynth,
}

#[derive(Clone, Debug, Args)]
pub struct CompareOptions {
    /// What to compare, the baseline first, as arguments or between commas: `upstream` (the
    /// registry's crate), a storage feature, or `path:DIR[,feature…]` (a fork; reaches to the end
    /// of the argument). Of porep-synth, each may end in `+jemalloc`, `+huge-pages`, `+reserve`
    /// (vectors of full capacity) and `+compiled` (compiled constraints)
    #[arg(long, num_args = 1.., value_name = "VARIANT", default_values = DEFAULT_VARIANTS)]
    pub variants: Vec<String>,
    /// A look of five minutes: `upstream` and `lc-pooled` unless --variants says otherwise, few
    /// rounds, no explanation
    #[arg(long)]
    pub quick: bool,
    /// The workspace's own program that is timed
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["prover", "command"])]
    pub program: Synthesizer,

    /// Threads of the synthesis; each combination of the values of this and the next four options
    /// is a scenario of its own
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N,…")]
    pub threads: Vec<usize>,
    /// Layers of the circuit
    #[arg(long, value_delimiter = ',', default_value = "2", value_name = "N,…")]
    pub layers: Vec<usize>,
    /// Challenges per partition
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N,…")]
    pub challenges: Vec<usize>,
    /// Partitions
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N,…")]
    pub partitions: Vec<usize>,
    /// Sector sizes
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "2KiB",
        value_name = "SIZE,…"
    )]
    pub sector_size: Vec<String>,
    /// Measure the making of the witness alone
    #[arg(long)]
    pub witness_only: bool,

    /// Rounds; every variant runs once in each. Rounded up to whole balanced designs [default:
    /// what makes about 36 processes for each scenario]
    #[arg(long, value_name = "N", overrides_with = "rounds")]
    pub rounds: Option<usize>,
    /// Syntheses in each process, of which the median counts
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub repeats: usize,
    /// Link each variant in N different code layouts, and measure what of the difference is layout
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub layouts: usize,
    /// Decides the order within the rounds
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Differences up to this count as none
    #[arg(long, default_value_t = 1.0, value_name = "PERCENT")]
    pub margin: f64,
    /// Exit with 1 if anything is slower than the baseline by more than this, 4 if that is open
    #[arg(long, value_name = "PERCENT")]
    pub fail_if_slower: Option<f64>,
    /// Time after which a process is given up
    #[arg(long, default_value = "10m", value_parser = humantime::parse_duration)]
    pub timeout: Duration,

    /// Measure the program of the cargo project in this folder in place of porep-synth (see below)
    /// [default with --command: the current folder]
    #[arg(long, value_name = "DIR")]
    pub prover: Option<PathBuf>,
    /// How the prover's program is run (see below) [default with --prover: {program}]
    #[arg(long, value_name = "SHELL COMMAND")]
    pub command: Option<String>,
    /// Arguments of the prover's `cargo build`
    #[arg(last = true, value_name = "CARGO_ARGS")]
    pub cargo_args: Vec<String>,
    /// Leave out the part that explains the verdicts (sizes, allocations, simulated caches)
    #[arg(long)]
    pub no_explain: bool,
    /// The processor whose caches are simulated
    #[arg(long, default_value = "host")]
    pub cpu: Cpu,

    /// Folder for report.html, report.json and report.md; new or empty [default: a new one in
    /// lc-ab/reports in the target folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The workspace with crates/porep-synth
    #[arg(
        long,
        default_value = ".",
        value_name = "DIR",
        overrides_with = "workspace"
    )]
    pub workspace: PathBuf,
    /// Where the builds and, by default, the reports go [default: target in the workspace]
    #[arg(long, value_name = "DIR", overrides_with = "target_dir")]
    pub target_dir: Option<PathBuf>,
}
