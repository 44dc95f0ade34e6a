//! The two manifests over these sources ask for the same.

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
    let package = packages.iter().find(|p| p["name"] == "porep-synth");
    let dependencies = package.unwrap()["dependencies"].as_array().unwrap();
    let ours = |dependency: &&Value| dependency["kind"].is_null();
    dependencies.iter().filter(ours).cloned().collect()
}

#[test]
fn same_dependencies() {
    let main = dependencies("Cargo.toml");
    assert!(main.iter().any(|d| d["name"] == "bellpepper-core"));
    assert_eq!(main, dependencies("upstream/Cargo.toml"));
}
