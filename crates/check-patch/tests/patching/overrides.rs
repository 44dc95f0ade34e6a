//! The ways that work: override files through a path, override entries through a git URL.

use cargo_metadata::MetadataCommand;

use crate::scratch::{bellpepper_0_4, filecoin, fork, fork_url, Prover};

const PRINT_STORAGE: &str = "fn main() { print!(\"{}\", bellpepper_core::LC_STORAGE); }\n";

/// A prover of line 0.2 that asks for a storage and uses a crate that knows nothing of the fork.
const LINE_0_2: &str = "[dependencies]\n\
    bellpepper = \"0.2\"\n\
    bellpepper-core = { version = \"0.2\", features = [\"lc-smallvec1\"] }\n";
const LINE_0_4: &str = "[dependencies]\n\
    bellpepper = \"0.4\"\n\
    bellpepper-core = { version = \"0.4\", features = [\"lc-smallvec4\"] }\n";
/// What provers pull in for real.
const FILECOIN_STACK: &str = "[dependencies]\n\
    bellperson = { version = \"0.27\", default-features = false, features = [\"groth16\"] }\n\
    neptune = { version = \"11\", default-features = false, features = [\"bls\", \"arity8\"] }\n";
const NOVA_STACK: &str = "[dependencies]\n\
    bellpepper = \"0.4\"\n\
    neptune = { version = \"13\", default-features = false, features = [\"arity8\"] }\n";

fn git_entries(versions: &[&str]) -> String {
    let entries = versions.iter().enumerate().map(|(i, version)| {
        let url = fork_url();
        format!(
            "core-{i} = {{ package = \"bellpepper-core\", git = \"{url}\", \
             version = \"{version}\" }}\n"
        )
    });
    format!("[patch.crates-io]\n{}", entries.collect::<String>())
}

/// The version and the place of every `bellpepper-core` in the prover's graph, straight from cargo.
fn copies(prover: &Prover, config: &[String]) -> Vec<(String, String)> {
    let text = prover.cargo(&["metadata", "--format-version=1"], config);
    let metadata = MetadataCommand::parse(text).expect("the form of cargo's answer");
    let cores = metadata
        .packages
        .into_iter()
        .filter(|p| p.name.as_str() == "bellpepper-core");
    let mut copies: Vec<(String, String)> = cores
        .map(|p| {
            let place = p.source.map_or(p.manifest_path.to_string(), |s| s.repr);
            (p.version.to_string(), place)
        })
        .collect();
    copies.sort();
    copies
}

/// Asserts that these versions, and no other, are in the graph, each from a place that starts so.
fn assert_all_from(prover: &Prover, config: &[String], versions: &[&str], place: &str) {
    let copies = copies(prover, config);
    let found: Vec<&str> = copies.iter().map(|(version, _)| version.as_str()).collect();
    assert_eq!(found, versions);
    for (version, from) in &copies {
        assert!(from.starts_with(place), "{version} comes from {from}");
    }
    let (code, text) = prover.check(config);
    assert_eq!(code, Some(0), "{text}");
}

fn here() -> String {
    format!("{}/crates/", fork().display())
}

fn git() -> String {
    format!("git+{}", fork_url())
}

#[test]
fn filecoin_file_by_path() {
    let prover = Prover::new("filecoin_file_by_path", LINE_0_2, PRINT_STORAGE);
    assert_eq!(prover.cargo(&["run", "-q"], &filecoin()), "lc-smallvec1");
    assert_all_from(&prover, &filecoin(), &["0.2.1"], &here());
}

#[test]
fn bellpepper_0_4_file_by_path() {
    let prover = Prover::new("bellpepper_0_4_file_by_path", LINE_0_4, PRINT_STORAGE);
    assert_eq!(
        prover.cargo(&["run", "-q"], &bellpepper_0_4()),
        "lc-smallvec4"
    );
    assert_all_from(&prover, &bellpepper_0_4(), &["0.4.0"], &here());
}

#[test]
fn line_0_2_by_git() {
    let sections = format!("{LINE_0_2}{}", git_entries(&["0.2.1"]));
    let prover = Prover::new("line_0_2_by_git", &sections, PRINT_STORAGE);
    assert_eq!(prover.cargo(&["run", "-q"], &[]), "lc-smallvec1");
    assert_all_from(&prover, &[], &["0.2.1"], &git());
}

#[test]
fn line_0_4_by_git() {
    let sections = format!("{LINE_0_4}{}", git_entries(&["0.4.0"]));
    let prover = Prover::new("line_0_4_by_git", &sections, PRINT_STORAGE);
    assert_eq!(prover.cargo(&["run", "-q"], &[]), "lc-smallvec4");
    assert_all_from(&prover, &[], &["0.4.0"], &git());
}

const BOTH_LINES: &str = "[dependencies]\n\
    bellpepper-02 = { package = \"bellpepper\", version = \"0.2\" }\n\
    bellpepper-04 = { package = \"bellpepper\", version = \"0.4\" }\n";

#[test]
fn both_lines_by_path() {
    let prover = Prover::with_dependencies("both_lines_by_path", BOTH_LINES);
    let config = [filecoin(), bellpepper_0_4()].concat();
    assert_all_from(&prover, &config, &["0.2.1", "0.4.0"], &here());
}

#[test]
fn both_lines_by_git() {
    let sections = format!("{BOTH_LINES}{}", git_entries(&["0.2.1", "0.4.0"]));
    let prover = Prover::with_dependencies("both_lines_by_git", &sections);
    assert_all_from(&prover, &[], &["0.2.1", "0.4.0"], &git());
}

/// Both lines by git, vendored as a build without network needs them.
#[test]
fn vendored() {
    let dependencies = "[dependencies]\n\
        core-02 = { package = \"bellpepper-core\", version = \"0.2\", features = [\"lc-vec\"] }\n\
        [dependencies.core-04]\n\
        package = \"bellpepper-core\"\nversion = \"0.4\"\nfeatures = [\"lc-smallvec4\"]\n";
    let sections = format!("{dependencies}{}", git_entries(&["0.2.1", "0.4.0"]));
    let print = "fn main() { print!(\"{} {}\", core_02::LC_STORAGE, core_04::LC_STORAGE); }\n";
    let prover = Prover::new("vendored", &sections, print);
    let sources = prover.cargo(&["vendor"], &[]);
    prover.write(".cargo/config.toml", &sources);
    assert_eq!(prover.cargo_alone(&["run", "-q"]), "lc-vec lc-smallvec4");
}

/// Features unify, so a build can ask for several storages: the first of the documented list
/// counts.
#[test]
fn the_first_storage_asked_for() {
    let prover = Prover::new(
        "the_first_storage_asked_for",
        "[dependencies]\nbellpepper-core = \"0.2\"\n",
        PRINT_STORAGE,
    );
    let listed = ["lc-vec", "lc-smallvec1", "lc-smallvec4", "lc-pooled"];
    for first in 0..listed.len() {
        let asked = listed[first..].iter().rev();
        let asked: Vec<_> = asked
            .map(|name| format!("bellpepper-core/{name}"))
            .collect();
        let run = ["run", "-q", "--features", &asked.join(",")];
        assert_eq!(prover.cargo(&run, &filecoin()), listed[first]);
    }
    assert_eq!(prover.cargo(&["run", "-q"], &filecoin()), "lc-pooled");
}

#[test]
fn whole_filecoin_stack() {
    let prover = Prover::with_dependencies("whole_filecoin_stack", FILECOIN_STACK);
    assert_all_from(&prover, &filecoin(), &["0.2.1"], &here());
}

#[test]
fn whole_nova_stack() {
    let prover = Prover::with_dependencies("whole_nova_stack", NOVA_STACK);
    assert_all_from(&prover, &bellpepper_0_4(), &["0.4.0"], &here());
}
