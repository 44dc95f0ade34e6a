//! The Rust that a package of this repository asks for is enough for what its lock file holds.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

fn metadata(workspace: &str) -> Metadata {
    let manifest = format!("{}/../../{workspace}Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked"])
        .args(["--filter-platform=x86_64-unknown-linux-gnu"])
        .args(["--manifest-path", &manifest])
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{manifest}: {errors}");
    MetadataCommand::parse(String::from_utf8(output.stdout).expect("text")).expect("its form")
}

/// The packages that a build of `root` compiles, itself among them.
fn compiled<'a>(metadata: &'a Metadata, root: &'a PackageId) -> BTreeSet<&'a PackageId> {
    let resolve = metadata.resolve.as_ref().expect("there is a graph");
    let mut found = BTreeSet::new();
    let mut next = vec![root];
    while let Some(id) = next.pop() {
        if found.insert(id) {
            let dependencies = resolve[id].deps.iter().filter(|dependency| {
                let mut kinds = dependency.dep_kinds.iter();
                kinds.any(|kind| kind.kind != DependencyKind::Development)
            });
            next.extend(dependencies.map(|dependency| &dependency.pkg));
        }
    }
    found
}

#[test]
fn every_package_asks_for_enough() {
    for workspace in [
        "",
        "crates/api-diff/",
        "crates/bellpepper-core/fuzz/",
        "crates/nova-synth/",
        "examples/compiled-prover/",
        "examples/prover/",
    ] {
        let metadata = metadata(workspace);
        for member in &metadata.workspace_members {
            let package = &metadata[member];
            let version = package.rust_version.as_ref();
            let version = version.unwrap_or_else(|| panic!("{} asks for none", package.name));
            // Dependencies of the fork are those of its users, by their lock files.
            if package.name.as_str() == "bellpepper-core" {
                continue;
            }
            for id in compiled(&metadata, member) {
                let needed = &metadata[id];
                if let Some(needs) = &needed.rust_version {
                    assert!(
                        needs <= version,
                        "{} asks for Rust {version}, {} {} for {needs}",
                        package.name,
                        needed.name,
                        needed.version
                    );
                }
            }
        }
    }
}
