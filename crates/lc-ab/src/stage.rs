//! The workspace in which the variants are built: the sources of `porep-synth` and of the probe
//! under manifests of their own, with the lock file of the real workspace and the wanted
//! `bellpepper-core` patched in.
//!
//! The real workspace cannot do it: the fork is a member there, and no other package of its name
//! can stand beside it. All variants are built in the same folder one after the other, so that no
//! path tells their programs apart. Nothing outside of the folder is written to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{bail, ensure, Context, Result};
use toml_edit::{value, Array, DocumentMut, Item, Table};

use crate::variant::{Source, Variant};

/// The crate that variants differ in.
pub const CORE: &str = "bellpepper-core";
/// The packages that are built, by their folders in the real workspace. Their sources stand beside
/// their manifests, or one folder up.
const PACKAGES: [&str; 2] = ["crates/porep-synth/upstream", "crates/lc-ab/probe"];
const SOURCES: [&str; 2] = ["crates/porep-synth/src", "crates/lc-ab/probe/src"];

pub struct Stage {
    dir: PathBuf,
    root: PathBuf,
    /// The fork in the workspace.
    fork: PathBuf,
    /// Its version, which is also that of the registry's crate to compare with.
    version: String,
    storages: Vec<String>,
}

/// Which `bellpepper-core` a build has to contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// The registry's, of this version.
    Registry(String),
    /// The one in this folder.
    Path(PathBuf),
}

impl Stage {
    /// Reads what has to be known of the workspace at `root`; writes nothing yet.
    pub fn new(root: &Path, dir: PathBuf) -> Result<Self> {
        let root = root
            .canonicalize()
            .with_context(|| format!("no workspace at {}", root.display()))?;
        let manifest = read_toml(&root.join("Cargo.toml"))?;
        let fork = manifest
            .get("patch")
            .and_then(|patch| patch.get("crates-io")?.get(CORE)?.get("path")?.as_str())
            .with_context(|| {
                format!(
                    "{}/Cargo.toml has no [patch.crates-io] {CORE} = {{ path = … }}: \
                     start in the workspace of the fork, or name it with --workspace",
                    root.display()
                )
            })?;
        let fork = root.join(fork);
        let core = CoreManifest::read(&fork)?;
        Ok(Self {
            dir,
            root,
            fork,
            version: core.version,
            storages: core
                .features
                .into_iter()
                .filter(|feature| feature.starts_with("lc-"))
                .collect(),
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn lock_file(&self) -> PathBuf {
        self.root.join("Cargo.lock")
    }

    /// Which crate `variant` is to be built with.
    ///
    /// # Errors
    /// There is no such storage, or no such crate in the folder that a path names.
    pub fn core_of(&self, variant: &Variant) -> Result<Core> {
        match &variant.source {
            Source::Upstream => Ok(Core::Registry(self.version.clone())),
            Source::Storage(storage) => {
                ensure!(
                    self.storages.contains(storage),
                    "there is no storage `{storage}`; {} has {}",
                    self.fork.display(),
                    self.storages.join(", ")
                );
                Ok(Core::Path(self.fork.canonicalize()?))
            }
            Source::Path { dir, .. } => {
                let core = CoreManifest::read(dir)
                    .with_context(|| format!("`{}` cannot be built", variant.label))?;
                ensure!(
                    line(&core.version) == line(&self.version),
                    "`{}` is of version {}, and the circuit is built on {}: \
                     cargo would leave it out without a word; set its version to {}",
                    variant.label,
                    core.version,
                    self.version,
                    self.version
                );
                Ok(Core::Path(dir.canonicalize()?))
            }
        }
    }

    /// How records call `core`: with no path of this machine, if it is in the workspace.
    pub fn name_of(&self, core: &Core) -> String {
        match core {
            Core::Registry(version) => format!("registry, {version}"),
            Core::Path(dir) => dir
                .strip_prefix(&self.root)
                .unwrap_or(dir)
                .display()
                .to_string(),
        }
    }

    /// Lays the folder out for a build with `core`.
    ///
    /// Sources are copied, so that no build sees a file that is being edited; only files that have
    /// changed are written.
    pub fn set(&self, core: &Core) -> Result<()> {
        for source in SOURCES {
            mirror(&self.root.join(source), &self.dir.join(source))?;
        }
        for package in PACKAGES {
            let mut manifest = read_toml(&self.root.join(package).join("Cargo.toml"))?;
            manifest.remove("workspace");
            write(
                &self.dir.join(package).join("Cargo.toml"),
                manifest.to_string(),
            )?;
        }
        write(
            &self.dir.join("Cargo.toml"),
            self.manifest(core)?.to_string(),
        )?;
        for name in ["rust-toolchain", "rust-toolchain.toml"] {
            if let Ok(text) = fs::read_to_string(self.root.join(name)) {
                write(&self.dir.join(name), text)?;
            }
        }
        let lock = fs::read_to_string(self.lock_file()).with_context(|| {
            format!(
                "no lock file {}: run `cargo generate-lockfile` there",
                self.lock_file().display()
            )
        })?;
        write(&self.dir.join("Cargo.lock"), lock)
    }

    /// Fails if cargo had to choose other versions than those in the lock file of the workspace.
    /// A fork, or the probe, may need packages that the workspace has nothing of.
    pub fn check_lock(&self, variant: &Variant) -> Result<()> {
        let known = locked(&self.lock_file())?;
        for package in locked(&self.dir.join("Cargo.lock"))? {
            let (name, version) = &package;
            // Those without a source are the packages that are built, and the fork.
            let ours = name == CORE || PACKAGE_NAMES.contains(&name.as_str());
            let new = !known.iter().any(|(other, _)| other == name);
            if !ours && !new && !known.contains(&package) {
                bail!(
                    "`{}` would be built with {name} {version}, which is not in {}: \
                     variants have to differ in {CORE} alone; run `cargo update --workspace` \
                     in the workspace to complete its lock file",
                    variant.label,
                    self.lock_file().display()
                );
            }
        }
        Ok(())
    }

    fn manifest(&self, core: &Core) -> Result<DocumentMut> {
        let real = read_toml(&self.root.join("Cargo.toml"))?;
        let mut manifest = DocumentMut::new();
        let mut workspace = Table::new();
        workspace["resolver"] = value("2");
        workspace["members"] = value(Array::from_iter(PACKAGES));
        manifest["workspace"] = Item::Table(workspace);
        if let Some(profile) = real.get("profile") {
            manifest["profile"] = profile.clone();
        }
        if let Core::Path(dir) = core {
            let path = dir.to_str().context("a folder name is not UTF-8")?;
            manifest["patch"]["crates-io"][CORE]["path"] = value(path);
        }
        Ok(manifest)
    }
}

/// The names of [`PACKAGES`].
pub const PACKAGE_NAMES: [&str; 2] = ["porep-synth", "lc-probe"];

struct CoreManifest {
    version: String,
    features: Vec<String>,
}

impl CoreManifest {
    fn read(dir: &Path) -> Result<Self> {
        let manifest = read_toml(&dir.join("Cargo.toml"))?;
        let package = |field: &str| manifest.get("package")?.get(field)?.as_str();
        ensure!(
            package("name") == Some(CORE),
            "{} is not a folder of a package {CORE}",
            dir.display()
        );
        let features = manifest.get("features").and_then(Item::as_table_like);
        Ok(Self {
            version: package("version")
                .with_context(|| format!("{}: no version", dir.display()))?
                .to_owned(),
            features: features
                .map(|table| table.iter().map(|(name, _)| name.to_owned()).collect())
                .unwrap_or_default(),
        })
    }
}

/// Two versions of one line satisfy the same requirement.
fn line(version: &str) -> Vec<&str> {
    let mut line = Vec::new();
    for part in version.split('.') {
        line.push(part);
        if part != "0" {
            break;
        }
    }
    line
}

fn locked(file: &Path) -> Result<Vec<(String, String)>> {
    let lock = read_toml(file)?;
    let packages = lock.get("package").and_then(Item::as_array_of_tables);
    Ok(packages
        .into_iter()
        .flatten()
        .filter_map(|package| {
            let field = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
            Some((field("name")?, field("version")?))
        })
        .collect())
}

fn read_toml(file: &Path) -> Result<DocumentMut> {
    fs::read_to_string(file)
        .with_context(|| format!("cannot read {}", file.display()))?
        .parse()
        .with_context(|| format!("{} is no TOML", file.display()))
}

fn mirror(from: &Path, to: &Path) -> Result<()> {
    mirror_with(from, to, &|_, bytes| bytes)
}

/// Makes `to` a copy of the folder `from`, the bytes of each file (by its place in `to`) put
/// through `change`.
pub fn mirror_with(
    from: &Path,
    to: &Path,
    change: &dyn Fn(&Path, Vec<u8>) -> Vec<u8>,
) -> Result<()> {
    for entry in fs::read_dir(to).into_iter().flatten() {
        let entry = entry?;
        let gone = !from.join(entry.file_name()).exists();
        if gone && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            mirror_with(&entry.path(), &target, change)?;
        } else {
            write(&target, change(&target, fs::read(entry.path())?))?;
        }
    }
    Ok(())
}

/// Leaves a file alone that is as wanted, so that cargo does not see it as new.
fn write(file: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    let text = text.as_ref();
    if fs::read(file).ok().as_deref() == Some(text) {
        return Ok(());
    }
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_what_cargo_takes_for_compatible() {
        assert_eq!(line("0.2.1"), line("0.2.9-alpha"));
        assert_ne!(line("0.2.1"), line("0.3.0"));
        assert_eq!(line("1.2.3"), line("1.9.0"));
    }

    fn stage(root: &Path) -> Stage {
        let file = |name: &str, text: &str| write(&root.join(name), text).unwrap();
        file(
            "Cargo.toml",
            "[patch.crates-io]\nbellpepper-core = { path = \"fork\" }\n[profile.release]\ndebug = 1\n",
        );
        file(
            "fork/Cargo.toml",
            "[package]\nname = \"bellpepper-core\"\nversion = \"0.2.1\"\n[features]\nlc-vec = []\nother = []\n",
        );
        Stage::new(root, root.join("stage")).unwrap()
    }

    fn variant(name: &str) -> Variant {
        name.parse().unwrap()
    }

    #[test]
    fn variants_become_crates() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        assert_eq!(
            stage.core_of(&variant("upstream")).unwrap(),
            Core::Registry("0.2.1".to_owned())
        );
        let fork = dir.path().join("fork").canonicalize().unwrap();
        assert_eq!(stage.name_of(&Core::Path(fork.clone())), "fork");
        assert_eq!(stage.core_of(&variant("lc-vec")).unwrap(), Core::Path(fork));
        assert!(stage.core_of(&variant("lc-none")).is_err());
    }

    #[test]
    fn the_profile_of_the_workspace_is_kept_and_its_patch_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        let registry = stage.manifest(&Core::Registry("0.2.1".to_owned())).unwrap();
        assert_eq!(
            registry["profile"]["release"]["debug"].as_integer(),
            Some(1)
        );
        // One package without optimization lends its unoptimized generic code to what is timed: all
        // storages were slow alike, and `lc-vec` slower than upstream, which it is not.
        assert_eq!(
            registry["profile"]["release"]
                .as_table_like()
                .unwrap()
                .len(),
            1
        );
        assert!(registry.get("patch").is_none());
        let fork = stage.manifest(&Core::Path("/a/b".into())).unwrap();
        let patch = &fork["patch"]["crates-io"]["bellpepper-core"];
        assert_eq!(patch["path"].as_str(), Some("/a/b"));
    }

    #[test]
    fn other_versions_than_the_locked_ones_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        let lock = |name: &str, version: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
        };
        write(&dir.path().join("Cargo.lock"), lock("ff", "0.13.0")).unwrap();
        let check = |text: String| {
            write(&dir.path().join("stage/Cargo.lock"), text).unwrap();
            stage.check_lock(&variant("upstream"))
        };
        assert!(check(lock("ff", "0.13.0")).is_ok());
        assert!(check(lock("new", "1.0.0") + &lock(CORE, "0.2.1")).is_ok());
        let refused = check(lock("ff", "0.13.1")).unwrap_err();
        assert!(refused.to_string().contains("ff 0.13.1"));
    }
}
