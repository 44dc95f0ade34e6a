//! The two manifests over these sources ask for the same, but for where `porep-synth` is.

use std::process::Command;

use serde_json::Value;

/// What the manifest depends on, to compare.
fn dependencies(manifest: &str) -> Vec<Value> {
    let path = format!("{}/{manifest}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .args(["--manifest-path", &path])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|p| p["name"] == "prover-synth");
    let mut dependencies = package.unwrap()["dependencies"].as_array().unwrap().clone();
    for dependency in &mut dependencies {
        dependency.as_object_mut().unwrap().remove("path");
    }
    dependencies
}

#[test]
fn same_dependencies() {
    let main = dependencies("Cargo.toml");
    assert!(main.iter().any(|d| d["name"] == "porep-synth"));
    assert_eq!(main, dependencies("upstream/Cargo.toml"));
}
