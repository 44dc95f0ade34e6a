//! The whole program, with real builds and real processes, in a workspace of stand-ins.

#[path = "common/workspace.rs"]
mod workspace;

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{kill, Signal},
    unistd::Pid,
};
use workspace::{files, stderr, stdout, Workspace};

#[test]
fn a_slow_fork_is_called_slower_and_explained() {
    let workspace = Workspace::new();
    let slow = workspace.fork("slow", "SECONDS: f64 = 1.0", "SECONDS: f64 = 1.1");
    let elsewhere = workspace.path("elsewhere");
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled", &slow])
        .args(["--fail-if-slower", "5"])
        .env("CARGO_TARGET_DIR", &elsewhere)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains(&format!("{slow} is slower than lc-vec: 0.9")),
        "{text}"
    );
    assert!(text.contains("lc-pooled is equivalent") || text.contains("lc-pooled against"));
    assert!(
        !elsewhere.exists(),
        "a variable from outside moved the builds"
    );

    let report = workspace.report();
    let comparisons = &report["analysis"]["scenarios"][0]["comparisons"];
    assert_eq!(comparisons[1]["verdict"], "slower");
    // Of four subjects: a check before, and six rounds rounded up to two designs of four.
    assert_eq!(
        report["session"]["samples"].as_array().unwrap().len(),
        4 * 8
    );
    let explained = &report["session"]["explanation"]["variants"][2];
    assert_eq!(explained["count"]["Ok"]["combination_bytes"], 96);
    for tool in ["simulated", "counters"] {
        let reason = explained[tool]["Err"].as_str().unwrap_or_default();
        assert!(
            explained[tool].get("Ok").is_some() || reason.starts_with("not available here"),
            "{reason}"
        );
    }

    // Drawn again, the reports are the same, also when nobody reads the table.
    let page = fs::read(workspace.path("out/report.html")).unwrap();
    fs::remove_file(workspace.path("out/report.html")).unwrap();
    let mut redrawing = Command::new(env!("CARGO_BIN_EXE_lc-ab"))
        .arg("report")
        .arg(workspace.path("out/report.json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(redrawing.stdout.take());
    let redrawn = redrawing.wait_with_output().unwrap();
    assert!(redrawn.status.success(), "{}", stderr(&redrawn));
    assert!(fs::read(workspace.path("out/report.html")).unwrap() == page);
    let names: Vec<_> = files(&workspace.path("out"));
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_fork_with_a_wrong_sign_is_refused_before_timing() {
    let workspace = Workspace::new();
    let wrong = workspace.fork("wrong", "a.wrapping_sub(b)", "b.wrapping_sub(a)");
    let output = workspace.lc_ab(&["lc-vec", &wrong]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = stderr(&output);
    assert!(message.contains("computes something else"), "{message}");
    assert!(message.contains("nothing was timed"), "{message}");
    assert!(!workspace.path("out").exists(), "a report folder was left");
}

/// A second crate of the name, which no patch reaches.
#[test]
fn a_copy_that_is_not_the_one_asked_for_is_refused() {
    let workspace = Workspace::new();
    workspace.fork("old", "1.0", "0.5");
    let old = format!("{{ path = \"{}\" }}", workspace.path("old").display());
    for folder in [
        "porep-synth/upstream",
        "prover-synth/upstream",
        "lc-ab/probe",
    ] {
        let manifest = format!("crates/{folder}/Cargo.toml");
        workspace.change(&manifest, "\"0.2.1\"", &old);
    }
    let output = workspace.lc_ab(&["lc-vec,lc-pooled"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("not with the bellpepper-core asked for"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_build_that_is_not_what_it_is_called_is_refused() {
    let workspace = Workspace::new();
    let output = workspace
        .lc_ab(&["lc-vec,lc-mislabelled"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = stderr(&output);
    assert!(
        message.contains("says that it is `lc-vec`, not `lc-mislabelled`"),
        "{message}"
    );
}

#[test]
fn a_version_that_cargo_would_not_take_is_refused() {
    let workspace = Workspace::new();
    let fork = workspace.fork("next", "1.0", "0.9");
    workspace.change("next/Cargo.toml", "0.2.1", "0.3.0");
    let output = workspace.lc_ab(&["lc-vec", &fork]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("set its version to 0.2.1"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn bad_usage_is_one_clear_error() {
    let workspace = Workspace::new();
    for (arguments, reason) in [
        (vec!["lc-vec,lc-none"], "there is no storage `lc-none`"),
        (vec!["lc-vec,fast"], "`fast` is no variant"),
        (vec!["lc-vec"], "names only `lc-vec`"),
        (
            vec!["lc-vec", "path:nowhere"],
            "cannot read nowhere/Cargo.toml",
        ),
    ] {
        let output = workspace.lc_ab(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = stderr(&output);
        assert!(message.contains(reason), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    workspace.write("out/mine.txt", "");
    let output = workspace.lc_ab(&["lc-vec,lc-pooled"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name an empty folder"));
}

/// The same variant twice is the one case in which programs may be the same.
#[test]
fn a_variant_can_be_compared_with_itself() {
    let workspace = Workspace::new();
    let output = workspace
        .lc_ab(&["lc-vec,lc-vec"])
        .arg("--no-explain")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = workspace.report();
    let programs = report["session"]["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 3);
    assert!(programs
        .iter()
        .all(|program| program["sha256"] == programs[0]["sha256"]));
    assert!(report["session"]["explanation"].is_null());
}

#[test]
fn layouts_are_different_programs() {
    let workspace = Workspace::new();
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled"])
        .args(["--layouts", "2", "--no-explain"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = workspace.report();
    let programs = report["session"]["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 3 * 2);
    assert_ne!(programs[0]["sha256"], programs[1]["sha256"]);
    assert!(stdout(&output).contains("Code layout: lc-pooled against lc-vec"));
}

#[test]
fn bellperson_itself_can_be_the_program() {
    let workspace = Workspace::new();
    let arguments = ["--no-explain", "--program", "prover-synth"];
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled"])
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("prover-synth: 1 thread"));
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled"])
        .args(arguments)
        .args(["--layers", "11"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

const RESULT: &str = r#"echo '{"seconds": 1.0, "digest": "d"}'"#;

/// One variant is fine, and each other fails in its own way.
#[test]
fn commands_that_fail_are_named_and_the_rest_goes_on() {
    let workspace = Workspace::new();
    let variants: Vec<String> = ["fine", "malformed", "crashing", "hanging", "silent"]
        .iter()
        .enumerate()
        .map(|(index, name)| workspace.fork(name, "1.0", &format!("1.{index}1")))
        .collect();
    let script = format!(
        "case {{variant}} in \
           *malformed) echo '{{\"seconds\": 1.0' ;; \
           *crashing) echo broken >&2; exit 9 ;; \
           *hanging) sleep 1000 ;; \
           *silent) ;; \
           *) test -x {{program}} && {RESULT} ;; \
         esac"
    );
    let mut arguments = vec!["lc-vec"];
    arguments.extend(variants.iter().map(String::as_str));
    let output = workspace
        .lc_ab_on_prover(&arguments, &script)
        .args(["--timeout", "500ms"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "fine is equivalent to lc-vec",
        "malformed failed before the timing: its last line is no JSON object",
        "exit status: 9",
        "broken",
        "did not end within 500ms",
        "printed nothing",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let report = workspace.report();
    assert_eq!(report["session"]["failures"].as_array().unwrap().len(), 4);
}

/// It has no feature to hand on, and depends on the crate by line alone.
#[test]
fn a_prover_is_built_on_each_variant_and_keeps_its_lock_file() {
    let workspace = Workspace::new();
    let slow = workspace.fork("slow", "SECONDS: f64 = 1.0", "SECONDS: f64 = 1.5");
    let lock = "# As it was.\nversion = 4\n";
    workspace.write("prover/Cargo.lock", lock);
    let output = workspace
        .lc_ab_on_prover(&["lc-vec,lc-pooled", &slow], "{program}")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("slow is slower than lc-vec: 0.667"), "{text}");
    assert_eq!(
        fs::read_to_string(workspace.path("prover/Cargo.lock")).unwrap(),
        lock
    );
    let report = workspace.report();
    let programs = &report["session"]["programs"];
    assert!(programs[0]["core_features"]
        .as_array()
        .unwrap()
        .contains(&"lc-vec".into()));
    assert!(programs[0]["core_sha256"].is_string());
    // A line a stage, with the time left, where there is no terminal.
    let log = stderr(&output);
    for stage in [
        "building prover on lc-vec (1 of 3)",
        "checking and timing prover",
    ] {
        let line = log.lines().find(|line| line.contains(stage));
        assert!(line.is_some_and(|line| line.ends_with("left")), "{log}");
    }
}

/// Both variants would be the program on the crate that the prover names, measured twice.
#[test]
fn a_prover_whose_own_override_wins_is_refused() {
    let workspace = Workspace::new();
    workspace.fork("old", "1.0", "0.5");
    workspace.change(
        "prover/Cargo.toml",
        "bellpepper-core = \"0.2.1\"",
        &format!(
            "bellpepper-core = {{ path = \"{}\" }}",
            workspace.path("old").display()
        ),
    );
    let output = workspace
        .lc_ab_on_prover(&["lc-vec,lc-pooled"], "{program}")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    let message = stderr(&output);
    assert!(
        message.contains("not with the bellpepper-core asked for"),
        "{message}"
    );
    assert!(
        message.contains("take it away while you measure"),
        "{message}"
    );
    assert!(!workspace.path("out").exists(), "a report folder was left");
}

#[test]
fn a_prover_that_asks_for_a_storage_itself_is_refused() {
    let workspace = Workspace::new();
    workspace.change(
        "prover/Cargo.toml",
        "\"0.2.1\"",
        "{ version = \"0.2.1\", features = [\"lc-vec\"] }",
    );
    let output = workspace
        .lc_ab_on_prover(&["lc-vec,lc-pooled"], "{program}")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stdout(&output));
    let message = stderr(&output);
    assert!(
        message.contains("`lc-pooled` was built with the storage `lc-vec`"),
        "{message}"
    );
}

#[test]
fn a_command_that_runs_nothing_that_was_built_is_refused() {
    let workspace = Workspace::new();
    let output = workspace
        .lc_ab_on_prover(&["lc-vec,lc-pooled"], RESULT)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("has no {program}"),
        "{}",
        stderr(&output)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_variable_that_is_not_utf_8_is_no_failure() {
    use std::os::unix::ffi::OsStrExt;
    let workspace = Workspace::new();
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled"])
        .arg("--no-explain")
        .env("MALLOC_BAD", std::ffi::OsStr::from_bytes(b"\xff"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Rustflags of the workspace's own configuration, with the builds outside of it.
#[test]
fn the_configuration_of_the_workspace_holds_for_its_copy() {
    let workspace = Workspace::new();
    workspace.write(
        ".cargo/config.toml",
        "[build]\nrustflags = [\"--cfg\", \"seen\"]\n",
    );
    workspace.change(
        "crates/porep-synth/src/main.rs",
        "fn main() {",
        "#[cfg(not(seen))]\ncompile_error!(\"not seen\");\nfn main() {",
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let output = workspace
        .lc_ab(&["lc-vec,lc-pooled"])
        .arg("--no-explain")
        .arg("--target-dir")
        .arg(elsewhere.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// `nohup` starts a program with hang-ups ignored.
#[test]
fn a_hang_up_ends_a_session_unless_it_is_ignored() {
    for (ignored, code) in [(true, 0), (false, 5)] {
        let workspace = Workspace::new();
        let log = workspace.path("runs");
        let script = format!(
            "echo >> {}; sleep 0.05; {RESULT}; true {{program}}",
            log.display()
        );
        let on_prover = workspace.lc_ab_on_prover(&["lc-vec,lc-pooled"], &script);
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                if ignored {
                    "trap '' HUP; exec \"$@\""
                } else {
                    // The tests may run under `nohup` themselves.
                    "exec env --default-signal=HUP \"$@\""
                },
                "sh",
            ])
            .arg(on_prover.get_program())
            .args(on_prover.get_args())
            .env("CARGO_NET_OFFLINE", "true")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = command.spawn().unwrap();
        wait_for_runs(&log, 5);
        kill(Pid::from_raw(running.id() as i32), Signal::SIGHUP).unwrap();
        assert_eq!(
            running.wait().unwrap().code(),
            Some(code),
            "ignored: {ignored}"
        );
        let report = workspace.report();
        assert_eq!(report["session"]["interrupted"], !ignored);
    }
}

fn wait_for_runs(log: &Path, wanted: usize) {
    let runs = || fs::read_to_string(log).map_or(0, |text| text.lines().count());
    let start = Instant::now();
    while runs() < wanted && start.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_reports_on_the_rounds_done() {
    let workspace = Workspace::new();
    let log = workspace.path("runs");
    let script = format!(
        "echo >> {}; sleep 0.02; {RESULT}; true {{program}}",
        log.display()
    );
    let mut running = workspace
        .lc_ab_on_prover(&["lc-vec,lc-pooled"], &script)
        .args(["--rounds", "6000", "--fail-if-slower", "5"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_runs(&log, 3 + 3 * 5);
    kill(Pid::from_raw(running.id() as i32), Signal::SIGTERM).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(5));
    let report = workspace.report();
    assert_eq!(report["session"]["interrupted"], true);
    let samples = report["session"]["samples"].as_array().unwrap().len();
    assert!(
        samples >= 3 * 4 && samples.is_multiple_of(3),
        "{samples} samples"
    );
    let text = fs::read_to_string(workspace.path("out/report.md")).unwrap();
    assert!(text.contains("Interrupted"));
}
