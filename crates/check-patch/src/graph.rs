//! What cargo makes of a prover's folder: the graph, the storages of a build, the lock file and the
//! warnings. The prover's own cargo is asked, and its lock file stays as it is.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use cargo_lock::Lockfile;
use cargo_metadata::{Metadata, MetadataCommand};
use clap::Args;
use signal_hook::consts::{SIGINT, SIGTERM};

/// The arguments of `cargo build` on which it depends which crates a build gets.
#[derive(Args)]
#[command(next_help_heading = "Arguments of your `cargo build`")]
pub struct Build {
    #[arg(short = 'F', long)]
    features: Vec<String>,
    #[arg(long)]
    all_features: bool,
    #[arg(long)]
    no_default_features: bool,
    /// As `cargo build` takes it; a relative path starts at the prover's folder
    #[arg(long, value_name = "KEY=VALUE|PATH")]
    config: Vec<String>,
    #[arg(long)]
    locked: bool,
    #[arg(long)]
    offline: bool,
    #[arg(long)]
    frozen: bool,
    #[arg(short, long, value_name = "SPEC")]
    package: Vec<String>,
    #[arg(long, visible_alias = "all")]
    workspace: bool,
    #[arg(long, value_name = "SPEC")]
    exclude: Vec<String>,
    #[arg(long, value_name = "TRIPLE")]
    target: Vec<String>,
    /// Changes nothing here
    #[arg(short, long)]
    release: bool,
}

/// A name and whether it is given.
type Flag = (&'static str, bool);
/// A name and the values that it is given with, each anew.
type Valued<'a> = (&'static str, &'a [String]);

impl Build {
    /// Those that every command of cargo takes which resolves a graph.
    fn resolving(&self) -> Vec<&str> {
        arguments(
            &[
                ("--all-features", self.all_features),
                ("--no-default-features", self.no_default_features),
                ("--locked", self.locked),
                ("--offline", self.offline),
                ("--frozen", self.frozen),
            ],
            &[("--features", &self.features), ("--config", &self.config)],
        )
    }

    /// Those that choose the packages to build, and for which machine.
    fn selecting(&self) -> Vec<&str> {
        arguments(
            &[("--workspace", self.workspace)],
            &[
                ("--package", &self.package),
                ("--exclude", &self.exclude),
                ("--target", &self.target),
            ],
        )
    }
}

fn arguments<'a>(flags: &[Flag], valued: &[Valued<'a>]) -> Vec<&'a str> {
    let flags = flags.iter().filter(|flag| flag.1).map(|flag| flag.0);
    let valued = valued
        .iter()
        .flat_map(|(name, values)| values.iter().flat_map(|value| [*name, value.as_str()]));
    flags.chain(valued).collect()
}

/// All that is judged.
pub struct Graph {
    /// Every package that a build, its tests or a build elsewhere can have.
    pub metadata: Metadata,
    /// The packages of this very build, a line for each: `name vVERSION (PLACE)`, a tab, the
    /// features that it gets.
    pub built: String,
    /// As a build writes it.
    pub lock: Lockfile,
    /// Whether a build changes the lock file that is there.
    pub lock_changes: bool,
    /// What cargo printed while it resolved.
    pub warnings: String,
}

/// Asks cargo for the graph that `cargo build` would have in `dir`.
///
/// # Errors
/// Cargo's own words, if it refuses; else the reason in a line.
pub fn ask(dir: &Path, build: &Build) -> Result<Graph, String> {
    let manifest =
        run(cargo(dir).args(["locate-project", "--workspace", "--message-format=plain"]))?;
    let manifest = PathBuf::from(String::from_utf8_lossy(&manifest.stdout).trim_end());
    let lock_file = LockFile::keep(manifest.with_file_name("Cargo.lock"))
        .map_err(|e| format!("error: cannot read the lock file: {e}"))?;

    let metadata = run(cargo(dir)
        .args(["metadata", "--format-version=1"])
        .args(LOUD)
        .args(build.resolving()))?;
    // The features that metadata tells are those of tests and of every platform together.
    let tree = run(cargo(dir)
        .args([
            "tree",
            "--edges=normal",
            "--prefix=none",
            "--format={p}\t{f}",
        ])
        .args(build.resolving())
        .args(build.selecting()))?;

    let lock = Lockfile::load(&lock_file.path)
        .map_err(|e| format!("error: cannot read the lock file: {e}"))?;
    Ok(Graph {
        metadata: MetadataCommand::parse(String::from_utf8_lossy(&metadata.stdout))
            .map_err(|e| format!("error: cannot read `cargo metadata`: {e}"))?,
        built: String::from_utf8_lossy(&tree.stdout).into_owned(),
        lock,
        lock_changes: lock_file.before.is_some() && lock_file.changed(),
        warnings: String::from_utf8_lossy(&metadata.stderr).into_owned(),
    })
}

/// A user's settings may keep cargo's warnings back, or put colours into them.
const LOUD: [&str; 2] = ["--config=term.quiet=false", "--color=never"];

/// The cargo that a build in `dir` runs. Under `cargo run` the environment names the cargo and the
/// toolchain of the caller's folder instead.
fn cargo(dir: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.current_dir(dir);
    if env::var_os("CARGO").is_some() {
        command.env_remove("RUSTUP_TOOLCHAIN");
    }
    command
}

fn run(command: &mut Command) -> Result<Output, String> {
    let output = command
        .output()
        .map_err(|e| format!("error: cannot run cargo: {e}"))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A lock file that is put back as it was when this value goes, since cargo writes it whenever it
/// resolves. Until then, a signal to end waits.
struct LockFile {
    path: PathBuf,
    before: Option<Vec<u8>>,
}

impl LockFile {
    fn keep(path: PathBuf) -> io::Result<Self> {
        for signal in [SIGINT, SIGTERM] {
            // Nobody reads the flag: cargo ends by the signal too, and that ends the asking.
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
        }
        let before = read(&path)?;
        Ok(LockFile { path, before })
    }

    fn changed(&self) -> bool {
        read(&self.path).is_ok_and(|now| now != self.before)
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.changed() {
            let restored = match &self.before {
                Some(bytes) => fs::write(&self.path, bytes),
                None => fs::remove_file(&self.path),
            };
            // What was found out holds all the same.
            if let Err(e) = restored {
                eprintln!("warning: cannot put {} back: {e}", self.path.display());
            }
        }
    }
}

/// The bytes of a file, if there is one.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}
