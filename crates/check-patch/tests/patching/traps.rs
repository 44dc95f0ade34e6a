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
    assert_fine_with(prover, config, "the fork, ");
}

fn assert_fine_with(prover: &Prover, config: &[String], message: &str) {
    let (code, text) = prover.check(config);
    assert!(
        text.contains(message),
        "{message:?} is missing from:\n{text}"
    );
    assert_eq!(code, Some(0), "{text}");
}

fn core_by_path() -> String {
    let path = fork().join("crates/bellpepper-core");
    format!("bellpepper-core = {{ path = \"{}\" }}\n", path.display())
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
    let message = "cargo ignores `features` in a [patch] entry";
    assert_fault(&prover, &[], message);
    // A cargo that is told to be quiet prints no warnings.
    let (code, text) = prover.check_under(&[("CARGO_TERM_QUIET", "true")], &[]);
    assert!(text.contains(message), "{text}");
    assert_eq!(code, Some(1), "{text}");
    prover.write(".cargo/config.toml", "[term]\nquiet = true\n");
    assert_fault(&prover, &[], message);

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

/// The features of tests, build scripts and other platforms are in cargo's metadata, but not in the
/// program that a build gives.
#[test]
fn storage_is_that_of_the_build() {
    let asked = |kind: &str, storage: &str| {
        format!("[{kind}]\nbellpepper-core = {{ version = \"0.2\", features = [\"{storage}\"] }}\n")
    };
    let elsewhere = asked("dev-dependencies", "lc-vec")
        + &asked("build-dependencies", "lc-smallvec1")
        + &asked("target.'cfg(windows)'.dependencies", "lc-smallvec4");
    let print = "fn main() { print!(\"{}\", bellpepper_core::LC_STORAGE); }\n";
    let name = "storage_is_that_of_the_build";

    let prover = Prover::new(name, &format!("{LINE_0_2}{elsewhere}"), print);
    assert_fine_with(&prover, &filecoin(), "no storage asked for, so the default");
    assert_eq!(prover.cargo(&["run", "-q"], &filecoin()), "lc-pooled");

    let prover = Prover::new(name, &elsewhere, "fn main() {}\n");
    assert_fine_with(
        &prover,
        &filecoin(),
        "only in tests, build scripts, members",
    );
}

#[test]
fn a_build_of_some_members() {
    let name = "a_build_of_some_members";
    let prover = Prover::with_dependencies(name, "");
    prover.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for (member, storage) in [("a", "lc-vec"), ("b", "lc-smallvec4")] {
        let manifest = format!(
            "[package]\nname = \"{member}\"\nversion = \"0.0.0\"\nedition = \"2018\"\n\
             [dependencies.bellpepper-core]\nversion = \"0.2\"\nfeatures = [\"{storage}\"]\n"
        );
        prover.write(&format!("{member}/Cargo.toml"), &manifest);
        prover.write(&format!("{member}/src/lib.rs"), "");
    }
    assert_fault(&prover, &filecoin(), "several storages are asked for");
    let one = ["--release", "-p", "b"].map(str::to_string);
    assert_fine_with(
        &prover,
        &[filecoin().as_slice(), &one].concat(),
        "storage lc-smallvec4\n",
    );
}

#[test]
fn one_crate_from_two_sources() {
    let url = fork_url();
    let sections = format!(
        "[dependencies]\nbellpepper = \"0.2\"\n\
         bellpepper-core = {{ git = \"{url}\", version = \"0.2.1\" }}\n"
    );
    let name = "one_crate_from_two_sources";
    let prover = Prover::with_dependencies(name, &sections);
    assert_fault(
        &prover,
        &filecoin(),
        "the fork is in this build 2 times on line 0.2",
    );
    // The remedies: one source by the dependency, or by the override of the URL.
    let mended = "[dependencies]\nbellpepper = \"0.2\"\nbellpepper-core = \"0.2.1\"\n";
    assert_fine(&Prover::with_dependencies(name, mended), &filecoin());
    let mended = format!("{sections}[patch.\"{url}\"]\n{}", core_by_path());
    assert_fine(&Prover::with_dependencies(name, &mended), &filecoin());
}

#[test]
fn storage_without_override() {
    let name = "storage_without_override";
    let message = "No override of line 0.2 is in force";
    let asked =
        "[dependencies]\nbellpepper-core = { version = \"0.2\", features = [\"lc-vec\"] }\n";
    let prover = Prover::with_dependencies(name, asked);
    assert_fault(&prover, &[], message);
    assert_fault(&prover, &[], "take the storage out");
    assert_fine(&prover, &filecoin());

    // Handed on by a feature that is off, or asked for on the command line.
    let handed_on = format!("{LINE_0_2}[features]\nfast = [\"bellpepper-core/lc-vec\"]\n");
    assert_fault(&Prover::with_dependencies(name, &handed_on), &[], message);
    let prover = Prover::with_dependencies(name, LINE_0_2);
    let features = ["--features", "bellpepper-core/lc-vec"].map(str::to_string);
    assert_fault(&prover, &features, message);

    // There is one, of another line or for another URL.
    let other_line = format!("{message} (one of another line does not count)");
    assert_fault(
        &Prover::with_dependencies(name, asked),
        &bellpepper_0_4(),
        &other_line,
    );
    let elsewhere = format!("{asked}[patch.\"https://localhost/\"]\n{}", core_by_path());
    assert_fault(&Prover::with_dependencies(name, &elsewhere), &[], message);

    let pinned = asked.replace("0.2", "=0.2.0");
    assert_fault(
        &Prover::with_dependencies(name, &pinned),
        &filecoin(),
        "The fork has no version 0.2.0: ask for \"0.2.1\"",
    );
    let unserved = asked.replace("0.2", "0.3");
    assert_fault(
        &Prover::with_dependencies(name, &unserved),
        &filecoin(),
        "No override fits",
    );
}

#[test]
fn override_in_a_member() {
    let prover = Prover::with_dependencies("override_in_a_member", "");
    prover.write("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n");
    prover.write("a/src/lib.rs", "");
    for features in ["", "\"lc-vec\""] {
        let manifest = format!(
            "[package]\nname = \"a\"\nversion = \"0.0.0\"\nedition = \"2018\"\n[dependencies]\n\
             bellpepper-core = {{ version = \"0.2\", features = [{features}] }}\n\
             [patch.crates-io]\n{}",
            core_by_path()
        );
        prover.write("a/Cargo.toml", &manifest);
        assert_fault(
            &prover,
            &[],
            "The override stands in the Cargo.toml of a member",
        );
    }
}

#[test]
fn override_of_the_other_line() {
    let path = fork().join("crates/bellpepper-core-0.4");
    let sections = format!(
        "{LINE_0_2}[patch.crates-io]\nbellpepper-core = {{ path = \"{}\" }}\n",
        path.display()
    );
    let prover = Prover::with_dependencies("override_of_the_other_line", &sections);
    assert_fault(
        &prover,
        &[],
        "The override that is there is of line 0.4, since it names crates/bellpepper-core-0.4.",
    );
    assert_fault(&prover, &[], "<checkout>/crates/bellpepper-core\"");
}

#[test]
fn override_by_the_folder_of_the_repository() {
    let sections = format!(
        "{LINE_0_2}[patch.crates-io]\nbellpepper-core = {{ path = \"{}\" }}\n",
        fork().display()
    );
    let prover = Prover::with_dependencies("override_by_the_folder_of_the_repository", &sections);
    assert_fault(
        &prover,
        &[],
        "A path is <checkout>/crates/bellpepper-core for line 0.2",
    );
}

#[test]
fn lock_file_of_the_registrys_crate() {
    let prover = Prover::with_dependencies("lock_file_of_the_registrys_crate", LINE_0_2);
    assert_fine(&prover, &filecoin());
    assert!(
        !prover.path().join("Cargo.lock").exists(),
        "there was none before"
    );

    prover.cargo(&["generate-lockfile"], &[]);
    let registrys = prover.read("Cargo.lock");
    assert_fine_with(&prover, &filecoin(), "a build changes Cargo.lock");
    let locked = [filecoin().as_slice(), &["--locked".to_string()]].concat();
    assert_fault(&prover, &locked, "run the build once with the override");
    let absent = ["--features", "absent"].map(str::to_string);
    assert_fault(&prover, &absent, "cargo could not resolve this build");
    assert_eq!(prover.read("Cargo.lock"), registrys);

    prover.cargo(&["metadata", "--format-version=1"], &filecoin());
    assert_fine(&prover, &locked);
    let (_, text) = prover.check(&filecoin());
    assert!(!text.contains("Cargo.lock"), "{text}");
}

/// Started by `cargo run`, the checker finds cargo and toolchain of its own folder in the
/// environment.
#[cfg(unix)]
#[test]
fn cargo_of_the_provers_folder() {
    let prover = Prover::with_dependencies("cargo_of_the_provers_folder", LINE_0_2);
    let path = prover.path_to_cargo("echo \"${RUSTUP_TOOLCHAIN-of this folder}\" >>toolchain");
    let environment = [
        ("PATH", path.as_str()),
        ("CARGO", "/nowhere/cargo"),
        ("RUSTUP_TOOLCHAIN", "of the caller"),
    ];
    let (code, text) = prover.check_under(&environment, &filecoin());
    assert_eq!(code, Some(0), "{text}");
    let said = prover.read("toolchain");
    assert!(
        said.lines().all(|line| line == "of this folder") && !said.is_empty(),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn told_to_end_while_cargo_writes() {
    let prover = Prover::with_dependencies("told_to_end_while_cargo_writes", LINE_0_2);
    prover.write("Cargo.lock", "of the user");
    let path = prover.path_to_cargo(
        "[ $1 != metadata ] || { echo half >Cargo.lock; kill -TERM $PPID; exit 1; }",
    );
    let (code, text) = prover.check_under(&[("PATH", &path)], &filecoin());
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(prover.read("Cargo.lock"), "of the user");
}

#[test]
fn nobody_reads() {
    let sections = "[dependencies]\nbellpepper-core = { version = \"0.2\", features = [\"no\"] }\n";
    let prover = Prover::with_dependencies("nobody_reads", sections);
    assert_eq!(prover.check_unread(), Some(1));
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
