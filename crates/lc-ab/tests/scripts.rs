//! `scripts/records.sh` in a scratch repository: which records it calls older than their sources.
//! And how scripts find the programs that they build.

#![forbid(unsafe_code)]

use std::{fs, path::Path, process::Command};

struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/records.sh");
        repository.write("scripts/records.sh", &fs::read_to_string(script).unwrap());
        repository.write("sources/lib.rs", "");
        repository.write("sources/tests/mod.rs", "");
        repository.write("benches/record/table.md", "");
        repository.git(&["init", "-q"]);
        repository.commit();
        repository
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.0.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
        let mut git = Command::new("git");
        git.current_dir(&self.0).args(identity).args(arguments);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git(&["add", "."]);
        self.git(&["commit", "-q", "-m", "sources"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A table of one row.
    fn set_row(&self, record: &str, commit: &str, sources: &str) {
        let row = format!("# Rows.\n{record}\t{commit}\t{sources}\tscripts/again.sh\n");
        self.write("benches/record/sources.tsv", &row);
    }

    /// The exit code and what is printed, with `arguments`.
    fn records(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut script = Command::new("bash");
        script.arg(self.0.path().join("scripts/records.sh"));
        let output = script.args(arguments).current_dir(Path::new("/"));
        let output = output.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    }

    fn assert_stale(&self, part: &str) {
        let (code, text) = self.records(&[]);
        assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
        assert!(
            text.starts_with("table.md: ") || text.starts_with("gone.md: "),
            "{text}"
        );
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_record_is_older_once_one_of_its_sources_differs() {
    let repository = Repository::new();
    let commit = repository.git(&["rev-parse", "HEAD"]);
    repository.set_row("table.md", &commit, "sources :!sources/tests");
    assert_eq!(repository.records(&[]), (Some(0), String::new()));

    repository.write("sources/tests/mod.rs", "edited");
    repository.write("elsewhere.rs", "edited");
    assert_eq!(repository.records(&[]), (Some(0), String::new()));

    repository.write("sources/lib.rs", "edited");
    repository.assert_stale("older than its sources");
    repository.assert_stale("scripts/again.sh");
    // A later commit has them still.
    let later = repository.commit();
    repository.assert_stale(&commit);
    repository.set_row("table.md", &later, "sources");
    assert_eq!(repository.records(&[]), (Some(0), String::new()));
}

#[test]
fn a_record_that_cannot_be_judged_is_not_called_fresh() {
    let repository = Repository::new();
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let unknown = "0123456789012345678901234567890123456789";
    repository.set_row("table.md", unknown, "sources");
    repository.assert_stale(&format!("no commit {unknown}"));
    repository.set_row("table.md", &commit, "sources misspelt");
    repository.assert_stale("has no misspelt");
    repository.set_row("gone.md", &commit, "sources");
    repository.assert_stale("no such file");
}

#[test]
fn arguments_are_wrong_usage() {
    let (code, text) = Repository::new().records(&["--all"]);
    assert_eq!((code, text.as_str()), (Some(2), ""));
}

/// Whether they are fresh is for CI to say; their rows have to be right.
#[test]
fn the_records_of_this_repository_are_there() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/record");
    let table = fs::read_to_string(records.join("sources.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(records.join(row[0]).is_file(), "{row:?}");
    }
}

/// Only cargo knows where a program is: a user's `build.target` moves it. The folder `deps` stays.
#[test]
fn scripts_ask_cargo_where_a_program_is() {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts");
    let mut seen = 0;
    for script in fs::read_dir(scripts).unwrap() {
        let script = script.unwrap().path();
        if script.extension().is_some_and(|end| end == "sh") {
            let text = fs::read_to_string(&script).unwrap();
            let guessed = text.replace("/release/deps", "").contains("/release/");
            assert!(!guessed, "{}", script.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}
