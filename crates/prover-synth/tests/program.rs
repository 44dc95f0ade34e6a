//! The program as `lc-ab` runs it: the line that it prints, and circuits of known sizes.

use std::process::Command;

use serde_json::Value;

fn report(circuit: &str, options: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_prover-synth"))
        .args(["--json", "--circuit", circuit])
        .args(options)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn repeats_and_copies() {
    let one = report("packing", &["--repeats", "1"]);
    // For each number its bits and the sum of them; and the closing constraint of the constant one.
    assert_eq!(one["constraints"], 2_000 * (254 + 1) + 1);
    assert_eq!(one["aux"], 2_000 * (254 + 1));
    assert_eq!(one["inputs"], 1);
    assert_eq!(one["circuit"], "packing");
    assert_eq!(one["storage"], bellpepper_core::LC_STORAGE);
    assert_eq!(one["digest"].as_str().unwrap().len(), 64);

    let two = report("packing", &["--repeats", "2", "--circuits", "2"]);
    let seconds = two["seconds"].as_array().unwrap();
    assert_eq!(seconds.len(), 2);
    assert!(seconds.iter().all(|s| s.as_f64().unwrap() > 0.0));
    assert_eq!(two["constraints"], 2 * (2_000 * (254 + 1) + 1));
    assert_eq!(two["digest"], one["digest"]);
}

#[test]
fn compiled_constraints_compute_the_same() {
    let synthesized = report("packing", &["--repeats", "1"]);
    let compiled = report(
        "packing",
        &["--repeats", "2", "--circuits", "2", "--compiled"],
    );
    assert_eq!(compiled["digest"], synthesized["digest"]);
    assert_eq!(compiled["constraints"], 2 * (2_000 * (254 + 1) + 1));
    assert_eq!(compiled["compiled_rows"], compiled["constraints"]);
    assert_eq!(compiled["seconds"].as_array().unwrap().len(), 2);
    assert!(synthesized["compiled_rows"].is_null());
}

/// Sizes as storage-proofs' own tests have them, with the closing constraints of the inputs.
#[test]
fn published_sizes() {
    let update = report("snap-deals", &["--repeats", "1"]);
    assert_eq!(update["inputs"], 5);
    assert_eq!(update["constraints"], 1_705_039 + 5);
    let replication = report("porep", &["--repeats", "1"]);
    assert_eq!(replication["constraints"], 1_344_268);
}
