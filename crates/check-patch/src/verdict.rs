//! From a resolved graph to what is wrong with its `bellpepper-core`s and what mends it. Runs
//! nothing and prints nothing.

use std::collections::{BTreeMap, BTreeSet};

use cargo_lock::Lockfile;
use cargo_metadata::semver::Version;
use cargo_metadata::{Metadata, Node, Package};

const NAME: &str = "bellpepper-core";
/// A cargo feature that no other `bellpepper-core` declares: the mark of the fork.
const MARK: &str = "lc-pooled";
/// The version lines that the fork serves.
const LINES: [(u64, u64); 2] = [(0, 2), (0, 4)];

pub struct Verdict {
    /// A line for each copy in the graph: which it is, where it is from.
    pub copies: Vec<String>,
    /// What makes the build other than what was asked for, each with its remedy.
    pub faults: Vec<String>,
}

/// Judges the graph; `warnings` is what cargo printed while it resolved.
pub fn of(metadata: &Metadata, lock: &Lockfile, warnings: &str) -> Verdict {
    let mut copies = Vec::new();
    let mut faults = Vec::new();
    for package in metadata.packages.iter().filter(|p| p.name.as_str() == NAME) {
        let askers = askers(metadata, package);
        let place = place(package);
        if is_fork(package) {
            let storages: Vec<&str> = askers.keys().map(String::as_str).collect();
            let storage = match storages.as_slice() {
                [] => "no storage asked for, so the default".to_string(),
                some => format!("storage {}", some.join(", ")),
            };
            copies.push(format!(
                "{NAME} {}: the fork, {place}, {storage}",
                package.version
            ));
            faults.extend(several_storages(&askers));
        } else {
            copies.push(format!("{NAME} {}: not the fork, {place}", package.version));
            let users = users(metadata, package).join(", ");
            let remedy = remedy(package, lock);
            faults.push(format!(
                "{NAME} {} (used by {users}) is not the fork. {remedy}",
                package.version
            ));
        }
    }
    if copies.is_empty() {
        faults.push(format!(
            "there is no {NAME} in this build: is this the prover's folder?"
        ));
    }
    faults.extend(features_in_patch(warnings));
    Verdict { copies, faults }
}

/// Why cargo may have given up, if it was because of an override.
pub fn unresolved(stderr: &str) -> String {
    let hint = if stderr.contains("more than one candidate") {
        " The fork's repository holds two packages of this name: a git override must say which, with `version = \"0.2.1\"` or `version = \"0.4.0\"`."
    } else if stderr.contains("patch") || stderr.contains("dependency `bellpepper-core`") {
        " An override could not be loaded: its URL, branch or path is not the fork's. Correct the `[patch]` entry that cargo names above."
    } else {
        ""
    };
    format!("cargo could not resolve this build.{hint}")
}

fn is_fork(package: &Package) -> bool {
    package.features.contains_key(MARK)
}

fn place(package: &Package) -> String {
    match &package.source {
        Some(source) if source.is_crates_io() => "from the registry".to_string(),
        Some(source) => format!("from {source}"),
        None => format!(
            "in {}",
            package
                .manifest_path
                .parent()
                .unwrap_or(&package.manifest_path)
        ),
    }
}

fn same_line(a: &Version, b: &Version) -> bool {
    (a.major, a.minor) == (b.major, b.minor)
}

/// What puts the fork in the place of `copy`.
fn remedy(copy: &Package, lock: &Lockfile) -> String {
    let version = &copy.version;
    let line = format!("{}.{}", version.major, version.minor);
    if !LINES.contains(&(version.major, version.minor)) {
        return format!(
            "The fork has no {line} line: move its users to releases that ask for ^0.2 or ^0.4."
        );
    }
    let source = match &copy.source {
        Some(source) => source,
        None => {
            return "Its folder is another crate: correct the path of the override or dependency."
                .to_string()
        }
    };
    let unused = lock
        .patch
        .unused
        .iter()
        .find(|d| d.name.as_str() == NAME && same_line(&d.version, version));
    match unused {
        Some(unused) if source.is_crates_io() && unused.version != *version => format!(
            "There is an override with version {0}, but Cargo.lock keeps {version}: run `cargo update -p {NAME}@{version} --precise {0}`.",
            unused.version
        ),
        Some(_) if !source.is_crates_io() => format!(
            "There is an override, but for another source: it has to stand under `[patch.\"{}\"]`.",
            dependency_url(&source.repr)
        ),
        _ if source.is_crates_io() => format!(
            "No override of line {line} is in force: add one to `[patch.crates-io]` in the Cargo.toml of the workspace root, or pass the fork's file with `--config`."
        ),
        _ => format!(
            "It comes from {source}, which is not the fork: correct the URL of the override, or, if a dependency names this URL, add an override under `[patch.\"{}\"]`.",
            dependency_url(&source.repr)
        ),
    }
}

/// The URL as a dependency writes it: `git+https://host/repo?branch=b#commit` without its ends.
fn dependency_url(source: &str) -> &str {
    let url = source.split_once('+').map_or(source, |(_, url)| url);
    url.split(['?', '#']).next().unwrap_or(url)
}

fn several_storages(askers: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    if askers.len() < 2 {
        return None;
    }
    let asked: Vec<String> = askers
        .iter()
        .map(|(storage, who)| match who.is_empty() {
            true => format!("{storage} by the command line"),
            false => format!("{storage} by {}", Vec::from_iter(who.clone()).join(" and ")),
        })
        .collect();
    Some(format!(
        "several storages are asked for ({}). Cargo unifies features, so all of this build gets one of them: ask for one only, or build the members apart (`cargo build -p NAME`).",
        asked.join("; ")
    ))
}

/// Cargo's own warning is the only trace: the entry itself reaches neither graph nor lock file.
fn features_in_patch(warnings: &str) -> Option<String> {
    let warned = warnings
        .lines()
        .any(|l| l.contains("patch for `bellpepper-core") && l.contains("features"));
    warned.then(|| {
        format!("cargo ignores `features` in a [patch] entry: ask for the storage in a dependency, `{NAME} = {{ version = \"...\", features = [\"lc-...\"] }}`.")
    })
}

fn nodes(metadata: &Metadata) -> impl Iterator<Item = (&Node, &Package)> {
    let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    nodes.map(|node| (node, &metadata[&node.id]))
}

/// The packages that depend on `copy`, as `name version`.
fn users(metadata: &Metadata, copy: &Package) -> Vec<String> {
    nodes(metadata)
        .filter(|(node, _)| node.dependencies.contains(&copy.id))
        .map(|(_, user)| format!("{} {}", user.name, user.version))
        .collect()
}

/// Each storage that is on in `copy`, with the packages that ask for it: none, if it was asked for
/// on the command line only.
fn askers(metadata: &Metadata, copy: &Package) -> BTreeMap<String, BTreeSet<String>> {
    let mut askers = BTreeMap::new();
    for (node, _) in nodes(metadata).filter(|(node, _)| node.id == copy.id) {
        for storage in node.features.iter().filter(|f| f.starts_with("lc-")) {
            let who: BTreeSet<String> = nodes(metadata)
                .filter(|(user, _)| user.dependencies.contains(&copy.id))
                .filter(|(user, package)| asks(user, package, storage))
                .map(|(_, package)| package.name.to_string())
                .collect();
            askers.insert(storage.to_string(), who);
        }
    }
    askers
}

/// Whether a dependency line or an active feature of `package` turns `storage` on.
fn asks(node: &Node, package: &Package, storage: &str) -> bool {
    let mut lines = package.dependencies.iter().filter(|d| d.name == NAME);
    lines.any(|line| {
        let key = line.rename.as_deref().unwrap_or(NAME);
        line.features.iter().any(|f| f == storage)
            || node.features.iter().any(|active| {
                package
                    .features
                    .get(active.as_str())
                    .is_some_and(|turned_on| {
                        turned_on.iter().any(|f| {
                            *f == format!("{key}/{storage}") || *f == format!("{key}?/{storage}")
                        })
                    })
            })
    })
}
