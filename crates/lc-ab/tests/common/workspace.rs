//! A workspace that builds in seconds: stand-ins for the fork, for `porep-synth` and for the probe,
//! with the same names, folders and features as the real ones. The "seconds" that its program
//! prints are a constant of the crate under it, scattered by the number of the process; nothing is
//! timed.
//!
//! It is written when it is needed, and not kept as files: cargo would find its `bellpepper-core`
//! in this repository and take it for another candidate of that name.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

const ROOT: &str = r#"
[workspace]
resolver = "2"
members = ["crates/bellpepper-core"]
exclude = ["prover"]
[patch.crates-io]
bellpepper-core = { path = "crates/bellpepper-core" }
"#;

const CORE_MANIFEST: &str = r#"
[package]
name = "bellpepper-core"
version = "0.2.1"
edition = "2021"
[features]
lc-vec = []
lc-pooled = []
lc-mislabelled = []
"#;

const CORE: &str = r#"
pub const LC_STORAGE: &str = if cfg!(feature = "lc-pooled") { "lc-pooled" } else { "lc-vec" };
pub const SECONDS: f64 = 1.0;
pub fn subtract(a: u64, b: u64) -> u64 { a.wrapping_sub(b) }
"#;

const SYNTH_MANIFEST: &str = r#"
[package]
name = "porep-synth"
version = "0.1.0"
edition = "2021"
[workspace]
[lib]
path = "../src/lib.rs"
[[bin]]
name = "porep-synth"
path = "../src/main.rs"
[features]
upstream = []
jemalloc = []
[dependencies]
bellpepper-core = "0.2.1"
"#;

const SYNTH: &str = r#"
fn main() {
    let storage = if cfg!(feature = "upstream") { "upstream" } else { bellpepper_core::LC_STORAGE };
    let scatter = 1.0 + 0.001 * (std::process::id() % 5) as f64;
    println!(
        "{{\"storage\":\"{storage}\",\"allocator\":\"system\",\"seconds\":[{}],\
\"digest\":\"{:x}\",\"constraints\":1000,\
\"peak_rss_bytes\":1048576}}",
        bellpepper_core::SECONDS * scatter,
        bellpepper_core::subtract(7, 3),
    );
}
"#;

const PROBE_MANIFEST: &str = r#"
[package]
name = "lc-probe"
version = "0.1.0"
edition = "2021"
[workspace]
[features]
census = []
[dependencies]
bellpepper-core = "0.2.1"
porep-synth = { path = "../../porep-synth/upstream" }
"#;

const COUNT: &str = r#"
fn main() {
    println!("{{\"combination_bytes\":96,\"term_bytes\":40,\"inline_terms\":0,\"lists\":2,\
\"constraints\":10,\
\"a\":{{\"1\":10}},\"b\":{{\"1\":10}},\"c\":{{\"3\":10}},\"live_bytes\":{{\"488\":10}},\
\"enforce\":{{\"calls\":30,\"bytes\":4800}},\
\"synthesis\":{{\"calls\":50,\"bytes\":8000}},\"dropped\":null}}");
    let _ = bellpepper_core::SECONDS;
}
"#;

const WALK: &str = "fn main() { let _ = bellpepper_core::SECONDS; }\n";

const IN_BELLPERSON_MANIFEST: &str = r#"
[package]
name = "prover-synth"
version = "0.1.0"
edition = "2021"
[workspace]
[[bin]]
name = "prover-synth"
path = "../src/main.rs"
[features]
upstream = []
[dependencies]
bellpepper-core = "0.2.1"
"#;

/// Says no allocator, and takes no other circuit.
const IN_BELLPERSON: &str = r#"
fn main() {
    let circuit = std::env::args().skip_while(|argument| argument != "--circuit").nth(1);
    assert_eq!(circuit.as_deref(), Some("porep"));
    println!(
        "{{\"storage\":\"{}\",\"seconds\":[{}],\"digest\":\"d\"}}",
        bellpepper_core::LC_STORAGE,
        bellpepper_core::SECONDS,
    );
}
"#;

const PROVER_MANIFEST: &str = r#"
[package]
name = "prover"
version = "0.1.0"
edition = "2021"
[workspace]
[dependencies]
bellpepper-core = "0.2.1"
"#;

const PROVER: &str = r#"
fn main() {
    println!("{{\"seconds\":{},\"digest\":\"d\"}}", bellpepper_core::SECONDS);
}
"#;

/// The workspace, in a folder that goes away with it.
pub struct Workspace(TempDir);

impl Workspace {
    pub fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        for (file, text) in [
            ("Cargo.toml", ROOT),
            ("crates/bellpepper-core/Cargo.toml", CORE_MANIFEST),
            ("crates/bellpepper-core/src/lib.rs", CORE),
            ("crates/porep-synth/upstream/Cargo.toml", SYNTH_MANIFEST),
            ("crates/porep-synth/src/lib.rs", ""),
            ("crates/porep-synth/src/main.rs", SYNTH),
            ("crates/lc-ab/probe/Cargo.toml", PROBE_MANIFEST),
            ("crates/lc-ab/probe/src/lib.rs", ""),
            ("crates/lc-ab/probe/src/bin/lc-count.rs", COUNT),
            ("crates/lc-ab/probe/src/bin/lc-walk.rs", WALK),
            (
                "crates/prover-synth/upstream/Cargo.toml",
                IN_BELLPERSON_MANIFEST,
            ),
            ("crates/prover-synth/src/main.rs", IN_BELLPERSON),
            ("prover/Cargo.toml", PROVER_MANIFEST),
            ("prover/src/main.rs", PROVER),
        ] {
            workspace.write(file, text);
        }
        let locked = Command::new("cargo")
            .args(["generate-lockfile", "--offline"])
            .current_dir(workspace.path(""))
            .output()
            .unwrap();
        assert!(locked.status.success(), "{}", stderr(&locked));
        workspace
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces a part of a file, which has to be there.
    pub fn change(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        self.write(file, &text.replace(from, to));
    }

    /// A copy of the fork in the folder `name`, with one part replaced; returns its variant.
    pub fn fork(&self, name: &str, from: &str, to: &str) -> String {
        self.write(&format!("{name}/Cargo.toml"), CORE_MANIFEST);
        self.write(&format!("{name}/src/lib.rs"), CORE);
        self.change(&format!("{name}/src/lib.rs"), from, to);
        format!("path:{}", self.path(name).display())
    }

    /// The program under test, at work in this workspace with reports in `out`.
    pub fn lc_ab(&self, variants: &[&str]) -> Command {
        self.lc_ab_for(6, variants)
    }

    pub fn lc_ab_for(&self, rounds: usize, variants: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lc-ab"));
        command
            .arg("--workspace")
            .arg(self.path(""))
            .arg("--out")
            .arg(self.path("out"))
            .args(["--rounds", &rounds.to_string()])
            .args(["--repeats", "1", "--variants"])
            .args(variants)
            .env("CARGO_NET_OFFLINE", "true");
        command
    }

    /// The program under test, at work on the stand-in for a prover, which it builds and then runs
    /// by `command`.
    pub fn lc_ab_on_prover(&self, variants: &[&str], command: &str) -> Command {
        let mut lc_ab = self.lc_ab(variants);
        lc_ab
            .arg("--prover")
            .arg(self.path("prover"))
            .args(["--command", command]);
        lc_ab
    }

    pub fn report(&self) -> serde_json::Value {
        let text = fs::read_to_string(self.path("out/report.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every file below `dir`.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push(path);
        }
    }
    files
}
