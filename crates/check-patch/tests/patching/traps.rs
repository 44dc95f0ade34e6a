//! The ways that miss: for each, what the checker says, and that doing as it says mends it.

use crate::scratch::{bellpepper_0_4, filecoin, fork, fork_url, stranger_url, Prover};

const LINE_0_2: &str = "[dependencies]\nbellpepper-core = \"0.2\"\n";

fn assert_fault(prover: &Prover, config: &[String], message: &str) {
    let (code, text) = prover.check(config);
    assert!(
        text.contains(message),
        "{message:?} is missing from:\n{text}"
    );
    assert_eq!(code, Some(1), "{text}");
}

fn assert_fine(prover: &Prover, config: &[String]) {
    let (code, text) = prover.check(config);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn no_override() {
    let prover = Prover::with_dependencies("no_override", LINE_0_2);
    assert_fault(
        &prover,
        &[],
        "bellpepper-core 0.2.1: not the fork, from the registry",
    );
    assert_fault(&prover, &[], "No override of line 0.2 is in force");
    assert_fine(&prover, &filecoin());
}

#[test]
fn stale_lock_file() {
    let prover = Prover::with_dependencies("stale_lock_file", LINE_0_2);
    prover.cargo(
        &["update", "-p", "bellpepper-core", "--precise", "0.2.0"],
        &[],
    );
    assert_fault(
        &prover,
        &filecoin(),
        "run `cargo update -p bellpepper-core@0.2.0 --precise 0.2.1`",
    );
    prover.cargo(
        &[
            "update",
            "-p",
            "bellpepper-core@0.2.0",
            "--precise",
            "0.2.1",
        ],
        &filecoin(),
    );
    assert_fine(&prover, &filecoin());
}

#[test]
fn two_lines_one_patched() {
    let sections = "[dependencies]\nbellpepper-core = \"0.2\"\nbellpepper = \"0.4\"\n";
    let prover = Prover::with_dependencies("two_lines_one_patched", sections);
    assert_fault(&prover, &filecoin(), "bellpepper-core 0.2.1: the fork, ");
    assert_fault(
        &prover,
        &filecoin(),
        "bellpepper-core 0.4.0 (used by bellpepper 0.4.1) is not the fork. No override of line 0.4",
    );
    assert_fine(&prover, &[filecoin(), bellpepper_0_4()].concat());
}

#[test]
fn line_without_fork() {
    let sections = "[dependencies]\nbellpepper-core = \"0.3\"\n";
    let prover = Prover::with_dependencies("line_without_fork", sections);
    assert_fault(&prover, &filecoin(), "The fork has no 0.3 line");
}

#[test]
fn features_in_patch_entry() {
    let path = fork().join("crates/bellpepper-core");
    let entry = |feature: &str| {
        let path = path.display();
        format!("[patch.crates-io]\nbellpepper-core = {{ path = \"{path}\"{feature} }}\n")
    };
    let wrong = format!("{LINE_0_2}{}", entry(", features = [\"lc-vec\"]"));
    let prover = Prover::with_dependencies("features_in_patch_entry", &wrong);
    assert_fault(&prover, &[], "cargo ignores `features` in a [patch] entry");

    let right = format!(
        "[dependencies]\nbellpepper-core = {{ version = \"0.2\", features = [\"lc-vec\"] }}\n{}",
        entry("")
    );
    let prover = Prover::with_dependencies("features_in_patch_entry", &right);
    let (code, text) = prover.check(&[]);
    assert!(text.contains("storage lc-vec\n"), "{text}");
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn members_ask_for_different_storages() {
    let prover = Prover::with_dependencies("members_ask_for_different_storages", "");
    prover.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"a\", \"b\"]\n",
    );
    let member = |name: &str, sections: &str| {
        let package =
            format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n");
        prover.write(
            &format!("{name}/Cargo.toml"),
            &format!("{package}{sections}"),
        );
        prover.write(&format!("{name}/src/lib.rs"), "");
    };
    // One asks in its dependency line, the other by a feature that it forwards.
    member(
        "a",
        "[dependencies]\nbellpepper-core = { version = \"0.2\", features = [\"lc-smallvec1\"] }\n",
    );
    member(
        "b",
        "[dependencies]\ncore = { package = \"bellpepper-core\", version = \"0.2\" }\n\
         [features]\ndefault = [\"fast\"]\nfast = [\"core/lc-pooled\"]\n",
    );
    assert_fault(
        &prover,
        &filecoin(),
        "several storages are asked for (lc-pooled by b; lc-smallvec1 by a)",
    );
    assert_fine(
        &prover,
        &[
            filecoin().as_slice(),
            &["--no-default-features".to_string()],
        ]
        .concat(),
    );
}

#[test]
fn dependency_under_another_url() {
    let url = stranger_url("dependency_under_another_url.git");
    let path = fork().join("crates/bellpepper-core");
    let sections = |patched: &str| {
        format!(
            "[dependencies]\nbellpepper-core = {{ git = \"{url}\" }}\n\
             [patch.\"{patched}\"]\nbellpepper-core = {{ path = \"{}\" }}\n",
            path.display()
        )
    };
    let name = "dependency_under_another_url";
    let prover = Prover::with_dependencies(name, &sections(&format!("{url}/elsewhere")));
    assert_fault(
        &prover,
        &[],
        &format!("it has to stand under `[patch.\"{url}\"]`"),
    );
    let prover = Prover::with_dependencies(name, &sections(&url));
    assert_fine(&prover, &[]);
}

#[test]
fn override_of_a_url_that_no_dependency_names() {
    let name = "override_of_a_url_that_no_dependency_names";
    let url = stranger_url(&format!("{name}.git"));
    let path = fork().join("crates/bellpepper-core");
    let path = path.display();
    let sections =
        format!("{LINE_0_2}[patch.\"{url}\"]\nbellpepper-core = {{ path = \"{path}\" }}\n");
    let prover = Prover::with_dependencies(name, &sections);
    assert_fault(&prover, &[], "add one to `[patch.crates-io]`");
}

fn with_git_override(name: &str, entry: &str) -> Prover {
    let sections = format!("{LINE_0_2}[patch.crates-io]\nbellpepper-core = {{ {entry} }}\n");
    Prover::with_dependencies(name, &sections)
}

#[test]
fn override_from_a_strangers_url() {
    let url = stranger_url("override_from_a_strangers_url.git");
    let prover = with_git_override("override_from_a_strangers_url", &format!("git = \"{url}\""));
    assert_fault(
        &prover,
        &[],
        "which is not the fork: correct the URL of the override",
    );
}

#[test]
fn override_from_no_repository() {
    let entry = format!("git = \"{}/nowhere\"", fork_url());
    let prover = with_git_override("override_from_no_repository", &entry);
    assert_fault(&prover, &[], "An override could not be loaded");
}

#[test]
fn git_override_without_version() {
    let entry = format!("git = \"{}\"", fork_url());
    let prover = with_git_override("git_override_without_version", &entry);
    assert_fault(
        &prover,
        &[],
        "a git override must say which, with `version = \"0.2.1\"`",
    );
}

#[test]
fn build_without_bellpepper_core() {
    let sections = "[dependencies]\nff = \"0.13\"\n";
    let prover = Prover::with_dependencies("build_without_bellpepper_core", sections);
    assert_fault(&prover, &[], "there is no bellpepper-core in this build");
}

#[test]
fn folder_without_manifest() {
    let (code, text) = Prover::without_manifest("folder_without_manifest").check(&[]);
    assert!(text.contains("there is no Cargo.toml in "), "{text}");
    assert_eq!(code, Some(2), "{text}");
}
