//! The program's refusals: exit codes, one line of error, and no output.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn run(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_porep-prove"));
    command.args(options).current_dir(folder).output().unwrap()
}

/// The one line of a failed run.
fn error_line(output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

const ALL: [&str; 6] = ["--params", "params", "--c1", "c1.json", "--out", "proofs"];

#[test]
fn bad_usage() {
    let folder = TempDir::new().unwrap();
    for options in [&[][..], &ALL[..4], &["--partition", "x"], &["--unknown"]] {
        assert_eq!(
            run(folder.path(), options).status.code(),
            Some(2),
            "{options:?}"
        );
    }
    assert_eq!(run(folder.path(), &["--help"]).status.code(), Some(0));
}

#[test]
fn files_that_cannot_be_used() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("proofs"), "of before").unwrap();

    let line = error_line(&run(path, &ALL));
    assert!(line.starts_with("error: cannot open params"), "{line}");

    fs::write(path.join("params"), [0; 100]).unwrap();
    let line = error_line(&run(path, &ALL));
    assert!(line.contains("it ends within the verifying key"), "{line}");

    let elsewhere = [&ALL[..4], &["--out", "no/folder"]].concat();
    let line = error_line(&run(path, &elsewhere));
    assert!(line.starts_with("error: cannot write no/folder"), "{line}");

    let onto_a_folder = [&ALL[..4], &["--out", "."]].concat();
    let line = error_line(&run(path, &onto_a_folder));
    assert!(line.contains("it is a folder"), "{line}");

    assert_eq!(fs::read(path.join("proofs")).unwrap(), b"of before");
    assert_eq!(fs::read_dir(path).unwrap().count(), 2);
}
