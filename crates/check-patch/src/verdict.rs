//! From a resolved graph to what is wrong with its `bellpepper-core`s and what mends it. Runs
//! nothing and prints nothing.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::semver::Version;
use cargo_metadata::{DependencyKind, Metadata, Node, Package};

use crate::graph::Graph;

const NAME: &str = "bellpepper-core";
/// A cargo feature that no other `bellpepper-core` declares: the mark of the fork.
const MARK: &str = "lc-pooled";

/// A version line that the fork serves.
struct Line {
    major: u64,
    minor: u64,
    /// The fork's version.
    version: &'static str,
    /// Its package, and its override file, in a checkout.
    folder: &'static str,
    file: &'static str,
}

const LINES: [Line; 2] = [
    Line {
        major: 0,
        minor: 2,
        version: "0.2.1",
        folder: "crates/bellpepper-core",
        file: "patches/filecoin.toml",
    },
    Line {
        major: 0,
        minor: 4,
        version: "0.4.0",
        folder: "crates/bellpepper-core-0.4",
        file: "patches/bellpepper-0.4.toml",
    },
];

impl Line {
    fn of(version: &Version) -> Option<&'static Line> {
        LINES.iter().find(|line| line.has(version))
    }

    fn has(&self, version: &Version) -> bool {
        (self.major, self.minor) == (version.major, version.minor)
    }

    fn override_to_add(&self) -> String {
        format!(
            "add one to `[patch.crates-io]` in the Cargo.toml of the workspace root, \
            `{NAME} = {{ path = \"<checkout>/{}\" }}`, or pass `--config <checkout>/{}` to every \
            cargo command.",
            self.folder, self.file
        )
    }
}

/// The folder of each line, for a message.
fn folders() -> String {
    let folders = LINES.map(|line| {
        let Line {
            major,
            minor,
            folder,
            ..
        } = line;
        format!("<checkout>/{folder} for line {major}.{minor}")
    });
    folders.join(", ")
}

pub struct Verdict {
    /// A line for each copy in the graph: which it is, where it is from.
    pub copies: Vec<String>,
    /// What is right, but good to know.
    pub remarks: Vec<String>,
    /// What makes the build other than what was asked for, each with its remedy.
    pub faults: Vec<String>,
}

pub fn of(graph: &Graph) -> Verdict {
    let metadata = &graph.metadata;
    let mut copies = Vec::new();
    let mut faults = Vec::new();
    let cores = || metadata.packages.iter().filter(|p| p.name.as_str() == NAME);
    for package in cores() {
        let place = place(package);
        if is_fork(package) {
            let storages = storages(&graph.built, package);
            let storage = match &storages {
                None => "only in tests, build scripts, members or platforms other than those of \
                    this build"
                    .to_string(),
                Some(none) if none.is_empty() => "no storage asked for, so the default".to_string(),
                Some(some) => format!("storage {}", Vec::from_iter(some.clone()).join(", ")),
            };
            copies.push(format!(
                "{NAME} {}: the fork, {place}, {storage}",
                package.version
            ));
            let askers = askers(metadata, package, storages.unwrap_or_default());
            faults.extend(several_storages(&askers));
        } else {
            copies.push(format!("{NAME} {}: not the fork, {place}", package.version));
            faults.push(format!(
                "{NAME} {} (used by {}) is not the fork. {}",
                package.version,
                users(metadata, package).join(", "),
                remedy(package, graph)
            ));
        }
    }
    if copies.is_empty() {
        faults.push(format!(
            "there is no {NAME} in this build: is this the prover's folder?"
        ));
    }
    for line in &LINES {
        let forks = cores().filter(|p| line.has(&p.version) && is_fork(p));
        faults.extend(several_sources(metadata, line, &forks.collect::<Vec<_>>()));
    }
    faults.extend(features_in_patch(&graph.warnings));
    let remarks = graph.lock_changes.then(|| {
        "remark: a build changes Cargo.lock, which was left as it is here. Commit the changed one \
        if your builds pass `--locked`; a build without the override changes it back."
            .to_string()
    });
    Verdict {
        copies,
        remarks: Vec::from_iter(remarks),
        faults,
    }
}

/// Why cargo has refused to resolve a build, by its own words, if that was because of an override.
pub fn of_refusal(stderr: &str) -> Verdict {
    let says = |text: &str| stderr.contains(text);
    let [line_02, line_04] = &LINES;
    let hint = if says("because --locked was passed") {
        " An override changes the lock file: run the build once with the override and without \
        `--locked`, then commit Cargo.lock."
            .to_string()
    } else if says("more than one candidate") {
        format!(
            " The fork's repository holds two packages of this name: a git override must say \
            which, with `version = \"{}\"` or `version = \"{}\"`.",
            line_02.version, line_04.version
        )
    } else if says("`bellpepper-core` does not have") {
        format!(
            " {} To go back to the registry's crate, take the storage out of the dependency line \
            or feature of the package that cargo names.",
            no_storages(stderr)
        )
    } else if says("does not contain this feature: bellpepper-core/") {
        format!(
            " A package can pass a feature on only to its own dependencies: add a dependency on \
            {NAME} to it, or choose the storage in a package that has one."
        )
    } else if says("patch location contains version") || says("no targets specified") {
        format!(
            " The sources of line 0.4 are symbolic links, which git writes as text files on \
            Windows unless it is told otherwise: `git config --global core.symlinks true`, then \
            fetch anew. Else the `version` of the override is wrong: {} or {}.",
            line_02.version, line_04.version
        )
    } else if says("patch") || says("dependency `bellpepper-core`") {
        format!(
            " An override could not be loaded: its URL, branch or path is not the fork's. Correct \
            the `[patch]` entry that cargo names above. A path is {}.",
            folders()
        )
    } else {
        String::new()
    };
    Verdict {
        copies: Vec::new(),
        remarks: Vec::new(),
        faults: vec![format!("cargo could not resolve this build.{hint}")],
    }
}

/// Cargo has looked for a storage in the registry's crate: no override matches.
fn no_storages(stderr: &str) -> String {
    let wanted = stderr
        .split_once("requirements `")
        .and_then(|(_, rest)| rest.split_once('`'))
        .map_or("", |(wanted, _)| wanted);
    if misplaced(stderr) {
        return MISPLACED.to_string();
    }
    let version = wanted.trim_start_matches(['^', '=', '~', ' ']);
    let line = LINES.iter().find(|line| {
        let start = format!("{}.{}", line.major, line.minor);
        version == start || version.starts_with(&format!("{start}."))
    });
    match line {
        Some(line) if wanted.starts_with('=') && version != line.version => format!(
            "The fork has no version {version}: ask for \"{}\".",
            line.version
        ),
        Some(line) => format!(
            "No override of line {}.{} is in force (one of another line does not count), \
            so that this is the registry's crate, which has no storages: {}",
            line.major,
            line.minor,
            line.override_to_add()
        ),
        None => format!(
            "No override fits {wanted}; the fork has these folders: {}.",
            folders()
        ),
    }
}

const MISPLACED: &str = "The override stands in the Cargo.toml of a member, where cargo ignores \
    it: move it to the one of the workspace root.";

fn misplaced(warnings: &str) -> bool {
    warnings.contains("patch for the non root package will be ignored")
}

fn is_fork(package: &Package) -> bool {
    package.features.contains_key(MARK)
}

fn place(package: &Package) -> String {
    match &package.source {
        Some(source) if source.is_crates_io() => "from the registry".to_string(),
        Some(source) => format!("from {source}"),
        None => format!("in {}", folder(package)),
    }
}

/// Where the package lies, by a path or by a URL as a dependency writes it.
fn folder(package: &Package) -> &str {
    match &package.source {
        Some(source) => dependency_url(&source.repr),
        None => {
            let manifest = &package.manifest_path;
            manifest.parent().unwrap_or(manifest).as_str()
        }
    }
}

/// What puts the fork in the place of `copy`.
fn remedy(copy: &Package, graph: &Graph) -> String {
    let version = &copy.version;
    let Some(line) = Line::of(version) else {
        return format!(
            "The fork has no {}.{} line: move its users to releases that ask for ^0.2 or ^0.4.",
            version.major, version.minor
        );
    };
    let source = match &copy.source {
        Some(source) => source,
        None => {
            return "Its folder is another crate: correct the path of the override or dependency."
                .to_string()
        }
    };
    if misplaced(&graph.warnings) {
        return MISPLACED.to_string();
    }
    let unused = || {
        graph
            .lock
            .patch
            .unused
            .iter()
            .filter(|d| d.name.as_str() == NAME)
    };
    let of_this_line = unused().find(|d| line.has(&d.version));
    match of_this_line {
        Some(unused) if source.is_crates_io() && unused.version != *version => format!(
            "There is an override with version {0}, but Cargo.lock keeps {version}: run `cargo \
            update -p {NAME}@{version} --precise {0}`, with the `--config` of your build if it has \
            one.",
            unused.version
        ),
        Some(_) if !source.is_crates_io() => format!(
            "There is an override, but for another source: it has to stand under `[patch.\"{}\"]`.",
            dependency_url(&source.repr)
        ),
        _ if source.is_crates_io() => {
            let (major, minor) = (line.major, line.minor);
            let other = unused().find_map(|d| Line::of(&d.version));
            let other = other.map_or(String::new(), |other| {
                format!(
                    "The override that is there is of line {}.{}, since it names {}. ",
                    other.major, other.minor, other.folder
                )
            });
            format!(
                "{other}No override of line {major}.{minor} is in force: {}",
                line.override_to_add()
            )
        }
        _ => format!(
            "It comes from {source}, which is not the fork: correct the URL of the override, or, \
            if a dependency names this URL, add an override under `[patch.\"{}\"]`.",
            dependency_url(&source.repr)
        ),
    }
}

/// The URL as a dependency writes it: `git+https://host/repo?branch=b#commit` without its ends.
fn dependency_url(source: &str) -> &str {
    let url = source.split_once('+').map_or(source, |(_, url)| url);
    url.split(['?', '#']).next().unwrap_or(url)
}

/// One crate from two sources is two crates, whose types differ.
fn several_sources(metadata: &Metadata, line: &Line, forks: &[&Package]) -> Option<String> {
    if forks.len() < 2 {
        return None;
    }
    let copies: Vec<String> = forks
        .iter()
        .map(|copy| {
            format!(
                "{}, used by {}",
                place(copy),
                users(metadata, copy).join(", ")
            )
        })
        .collect();
    Some(format!(
        "the fork is in this build {} times on line {}.{} ({}), and the types of one copy are not \
        those of another. Write every dependency as `{NAME} = \"{}\"`, without git or path, and \
        have one override give the source; where a dependency on a git URL cannot be changed, put \
        the same override under `[patch.\"<that URL>\"]`, too.",
        forks.len(),
        line.major,
        line.minor,
        copies.join("; "),
        line.version
    ))
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
        "several storages are asked for ({}). Cargo unifies features, so all of this build gets \
        one of them: ask for one only, or build the members apart (`cargo build -p NAME`).",
        asked.join("; ")
    ))
}

/// Cargo's own warning is the only trace: the entry itself reaches neither graph nor lock file.
fn features_in_patch(warnings: &str) -> Option<String> {
    let warned = warnings
        .lines()
        .any(|l| l.contains("patch for `bellpepper-core") && l.contains("features"));
    warned.then(|| {
        format!(
            "cargo ignores `features` in a [patch] entry: ask for the storage in a dependency, \
            `{NAME} = {{ version = \"...\", features = [\"lc-...\"] }}`."
        )
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

/// The storages that are on in `copy` in this very build; none at all, if the build has no such
/// copy.
fn storages(built: &str, copy: &Package) -> Option<BTreeSet<String>> {
    let mut found = None;
    for line in built.lines() {
        let Some((package, features)) = line.split_once('\t') else {
            continue;
        };
        let place = package.strip_prefix(&format!("{NAME} v{} (", copy.version));
        let rest = place.and_then(|place| place.strip_prefix(folder(copy)));
        if rest.is_some_and(|rest| rest.starts_with([')', '?', '#'])) {
            let features = features.trim_end_matches(" (*)").split(',');
            let storages = features.filter(|f| f.starts_with("lc-"));
            let found: &mut BTreeSet<String> = found.get_or_insert_default();
            found.extend(storages.map(str::to_string));
        }
    }
    found
}

/// Each of the storages, with the packages that ask for it: none, if it was asked for on the
/// command line only.
fn askers(
    metadata: &Metadata,
    copy: &Package,
    storages: BTreeSet<String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let asking = |storage: &str| {
        nodes(metadata)
            .filter(|(user, _)| user.dependencies.contains(&copy.id))
            .filter(|(user, package)| asks(user, package, storage))
            .map(|(_, package)| package.name.to_string())
            .collect()
    };
    storages
        .into_iter()
        .map(|storage| {
            let who = asking(&storage);
            (storage, who)
        })
        .collect()
}

/// Whether a dependency line or an active feature of `package` turns `storage` on.
fn asks(node: &Node, package: &Package, storage: &str) -> bool {
    let mut lines = package
        .dependencies
        .iter()
        .filter(|d| d.name == NAME && d.kind == DependencyKind::Normal);
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
