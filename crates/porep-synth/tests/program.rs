//! The program as its users run it: what it prints, its exit codes, what it leaves behind.

use std::{
    fs,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{kill_process, Pid, Signal};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use tempfile::TempDir;

fn program(temporary: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_porep-synth"));
    command.args(options).env("TMPDIR", temporary);
    command
}

fn run(options: &[&str]) -> Output {
    let temporary = TempDir::new().unwrap();
    let output = program(temporary.path(), options).output().unwrap();
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    output
}

fn report(options: &[&str]) -> Value {
    let output = run(&[options, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(
        output.stdout.iter().filter(|byte| **byte == b'\n').count(),
        1
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The one line of a failed run.
fn error_line(output: &Output, code: i32) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(output.stdout.is_empty());
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors
}

/// The known size of the circuit, and all the promised fields.
#[test]
fn default_circuit() {
    let report = report(&["--threads", "1", "--label", "mine"]);
    assert_eq!(report["constraints"], 1_344_268);
    assert_eq!(report["inputs"], 22);
    assert_eq!(report["aux"], 1_343_122);
    assert_eq!(report["sector_size_bytes"], 2048);
    assert_eq!(report["layers"], 2);
    assert_eq!(report["challenges"], 1);
    assert_eq!(report["partitions"], 1);
    assert_eq!(report["threads"], 1);
    assert_eq!(report["label"], "mine");
    assert!(report["storage"].is_string());
    assert!(report["allocator"].is_string());
    let seconds = report["seconds"].as_array().unwrap();
    assert_eq!(seconds.len(), 1);
    let ns = report["ns_per_constraint"].as_f64().unwrap();
    let expected_ns = seconds[0].as_f64().unwrap() * 1e9 / 1_344_268.0;
    assert!((ns - expected_ns).abs() < 1e-6 * expected_ns);
    // Four vectors of 32 bytes a value are there at the end.
    assert!(report["peak_rss_bytes"].as_u64().unwrap() > 4 * 32 * 1_343_122);
    assert_eq!(report["digest"].as_str().unwrap().len(), 64);
}

/// Seen with storage-proofs-porep 19.0.1, 8 nodes, in that crate's own circuit test, to which the
/// constant one's and the inputs' closing constraints come.
const CONSTRAINTS_256_B: u64 = 1_199_642;

#[test]
fn digest_depends_on_the_sector_alone() {
    let small = ["--sector-size", "256B", "--partitions", "2"];
    let with = |options: &[&str]| report(&[&small, options].concat());

    let one_thread = with(&["--threads", "1"]);
    assert_eq!(one_thread["constraints"], 2 * CONSTRAINTS_256_B);
    assert_eq!(one_thread["inputs"], 2 * 22);
    let digest = &one_thread["digest"];
    let two_threads = with(&["--threads", "2", "--repeats", "2"]);
    assert_eq!(two_threads["digest"], *digest);
    assert_eq!(two_threads["seconds"].as_array().unwrap().len(), 2);
    assert_eq!(with(&["--reserve"])["digest"], *digest);
    assert_eq!(with(&["--stream"])["digest"], *digest);

    let witness = with(&["--witness-only"]);
    assert_ne!(witness["digest"], *digest);
    assert_eq!(witness["constraints"], one_thread["constraints"]);
    assert_eq!(witness["aux"], one_thread["aux"]);
    assert_ne!(with(&["--seed", "1"])["digest"], *digest);
}

#[test]
fn compiled_constraints_compute_the_same() {
    let small = ["--sector-size", "256B", "--challenges", "2"];
    let synthesized = report(&small);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("constraints");
    let compiled = ["--compiled", file.to_str().unwrap()];
    let with = |options: &[&str]| report(&[&small[..], &compiled, options].concat());

    // The file is made, then read.
    let first = with(&["--threads", "2", "--repeats", "2"]);
    let second = with(&["--threads", "1", "--reserve"]);
    let in_memory = report(&[&small[..], &["--compiled"]].concat());
    for compiled in [&first, &second, &in_memory] {
        assert_eq!(compiled["digest"], synthesized["digest"]);
        assert_eq!(compiled["constraints"], synthesized["constraints"]);
        assert_eq!(compiled["compiled_rows"], synthesized["constraints"]);
        assert!(compiled["compiled_bytes"].as_u64().unwrap() > 0);
        assert_eq!(compiled["compile_seconds"].is_null(), compiled == &second);
        assert_eq!(compiled["load_seconds"].is_null(), compiled != &second);
        assert_eq!(compiled["check_seconds"].is_null(), compiled != &second);
    }
    for repeat in 0..2 {
        let seconds = |field: &str| first[field][repeat].as_f64().unwrap();
        let parts = seconds("witness_seconds") + seconds("products_seconds");
        // A number read from JSON can be off in its last bit.
        assert!((seconds("seconds") - parts).abs() < 1e-9 * parts);
    }

    // The line on memory, then the error.
    let refused = |options: &[&str]| {
        let output = run(&[options, &compiled].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(output.stdout.is_empty());
        assert_eq!(errors.lines().count(), 2, "{errors}");
        errors
    };
    let errors = refused(&["--sector-size", "256B", "--layers", "11"]);
    assert!(errors.contains("of another circuit"), "{errors}");
    assert!(errors.contains("challenge_0"), "{errors}");
    fs::write(&file, "something else").unwrap();
    let errors = refused(&small);
    assert!(errors.contains("compile the circuit again"), "{errors}");
}

#[test]
fn two_processes_leave_one_compiled_file() {
    let (temporary, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let file = folder.path().join("constraints");
    let small = ["--sector-size", "256B", "--threads", "1"];
    let options = [&small[..], &["--compiled", file.to_str().unwrap()]].concat();
    let start = || {
        let mut process = program(temporary.path(), &[&options[..], &["--json"]].concat());
        let process = process.stdout(Stdio::piped()).stderr(Stdio::piped());
        process.spawn().unwrap()
    };
    let both = [start(), start()].map(|process| {
        let output = process.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let after = report(&options);
    assert!(after["load_seconds"].is_f64());
    for of_two in &both {
        assert_eq!(of_two["digest"], after["digest"]);
    }
}

#[test]
fn a_stream_keeps_little() {
    let options = ["--sector-size", "256B", "--challenges", "2", "--reserve"];
    let kept = report(&options);
    let streamed = report(&[&options[..4], &["--stream"]].concat());
    let peak = |report: &Value| report["peak_rss_bytes"].as_u64().unwrap();
    assert_eq!(kept["digest"], streamed["digest"]);
    assert!(peak(&streamed) < peak(&kept) / 4);
    // What the vectors hold is what is used, but for the program itself.
    let needed = kept["assignment_bytes"].as_u64().unwrap();
    assert!(peak(&kept) > needed && peak(&kept) < needed + (64 << 20));
}

#[test]
fn text_has_what_json_has() {
    let output = run(&["--sector-size", "256B"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    assert!(text.contains(&CONSTRAINTS_256_B.to_string()), "{text}");
    assert!(
        text.contains("1 challenge per partition, 1 partition\n"),
        "{text}"
    );
    // No progress bar outside a terminal.
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.starts_with("memory: up to"), "{errors}");
}

/// The program in a shell, whose limits and pipes it gets.
fn shell(script: &str) -> Output {
    let temporary = TempDir::new().unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_porep-synth")]);
    // What a developer has on must not show.
    shell
        .env("TMPDIR", temporary.path())
        .env("RUST_BACKTRACE", "1");
    shell.output().unwrap()
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let script = "\"$0\" --sector-size 256B --witness-only 2>&1 | true; exit ${PIPESTATUS[0]}";
    let output = shell(script);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn a_failed_allocation_is_a_failure() {
    // Less than the vectors of a synthesis take, and more than the program.
    let script =
        "export RAYON_NUM_THREADS=1; ulimit -v 500000; exec \"$0\" --sector-size 256B --threads 1 --challenges 8";
    for way in ["--reserve", "--compiled"] {
        let output = shell(&format!("{script} {way}"));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let [memory, refusal] = errors.lines().collect::<Vec<_>>()[..] else {
            panic!("{errors}");
        };
        assert!(memory.starts_with("memory: up to"), "{errors}");
        let no_memory = "error: there is no memory for ";
        assert!(refusal.starts_with(no_memory), "{errors}");
    }
}

/// No machine has the memory for so many circuits, so a sector of any size is refused at once.
#[test]
fn memory_is_asked_for_before_anything_is_sealed() {
    let options = ["--sector-size", "512MiB", "--challenges", "32"];
    let options = [&options[..], &["--partitions", "256", "--layers", "2"]].concat();
    for way in [&[][..], &["--compiled"]] {
        let line = error_line(&run(&[&options, way].concat()), 1);
        assert!(line.contains("not enough memory"), "{line}");
    }
}

#[test]
fn bad_usage_gets_one_line_and_2() {
    for (options, part) in [
        (&["--layers", "3"][..], "--layers"),
        (&["--challenges", "0"], "--challenges"),
        (&["--partitions", "0"], "--partitions"),
        (&["--partitions", "257"], "--partitions"),
        (&["--threads", "0"], "--threads"),
        (&["--threads", "many"], "--threads"),
        (&["--repeats", "0"], "--repeats"),
        (&["--repeats", "-1"], "-1"),
        (&["--sector-size", "3KiB"], "2KiB"),
        (&["--seed", "x"], "--seed"),
        (&["--partition", "0"], "--c1"),
        (&["--c1", "f", "--partition", "2-1"], "0-9"),
        (&["--c1", "f", "--layers", "2"], "--layers"),
        (&["--stream", "--witness-only"], "--stream"),
        (&["--stream", "--compiled"], "--stream"),
        (&["--witness-only", "--compiled"], "--witness-only"),
        (&["--unknown"], "--unknown"),
        (&["surplus"], "surplus"),
        (&["--label"], "--label"),
    ] {
        let line = error_line(&run(options), 2);
        assert!(line.contains(part), "{options:?}: {line}");
    }
    assert!(run(&["--help"]).status.success());
    assert!(run(&["--version"]).status.success());
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let output = program(Path::new("/dev/null/folder"), &[])
        .output()
        .unwrap();
    let line = error_line(&output, 1);
    assert!(line.contains("/dev/null/folder"), "{line}");
    assert!(line.contains("set TMPDIR"), "{line}");
}

#[test]
fn a_disk_without_room_is_refused_beforehand() {
    let error = porep_synth::workdir::Workdir::new(u64::MAX).err().unwrap();
    let line = format!("{error:#}");
    assert!(line.contains("bytes are free"), "{line}");
    assert!(line.contains("set TMPDIR"), "{line}");
}

#[test]
fn nothing_is_left_when_told_to_end() {
    for signal in [Signal::INT, Signal::TERM] {
        let temporary = TempDir::new().unwrap();
        // Large enough that it is still being sealed.
        let mut child = program(temporary.path(), &["--sector-size", "8MiB"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_files(temporary.path());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = wait(&mut child);
        assert_eq!(status.signal(), Some(signal.as_raw()));
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

fn wait_for_files(temporary: &Path) {
    let start = Instant::now();
    let begun = || {
        let mut folders = fs::read_dir(temporary).unwrap();
        let files = |folder: fs::DirEntry| fs::read_dir(folder.path()).unwrap().count();
        folders.any(|folder| files(folder.unwrap()) > 1)
    };
    while !begun() {
        assert!(start.elapsed() < PATIENCE, "nothing is sealed");
        sleep(Duration::from_millis(20));
    }
}

fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it does not end");
        }
        sleep(Duration::from_millis(20));
    }
}
