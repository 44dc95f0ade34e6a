//! The workspace in which the variants are built: copies of the sources of the workspace's own
//! programs under manifests of their own, with the lock file of the real workspace; and copies of
//! the `bellpepper-core`s, each to be patched in by a file for cargo's `--config`.
//!
//! The real workspace cannot do it: the fork is a member there, and no other package of its name
//! can stand beside it. Everything is copied once, before the first build, so that no edit between
//! two builds mixes sources. Nothing outside of the folder is written to.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{bail, ensure, Context, Result};
use sha2::{Digest, Sha256};
use toml_edit::{value, Array, DocumentMut, Item, Table};

use crate::variant::{Source, Variant};

/// The crate that variants differ in.
pub const CORE: &str = "bellpepper-core";

/// Packages that are built here: name, folder of the manifest, folder of the sources. Not every
/// workspace has the last.
const PACKAGES: [(&str, &str, &str); 3] = [
    (
        "porep-synth",
        "crates/porep-synth/upstream",
        "crates/porep-synth/src",
    ),
    ("lc-probe", "crates/lc-ab/probe", "crates/lc-ab/probe/src"),
    (
        "prover-synth",
        "crates/prover-synth/upstream",
        "crates/prover-synth/src",
    ),
];

pub struct Stage {
    dir: PathBuf,
    root: PathBuf,
    /// The fork in the workspace.
    fork: PathBuf,
    /// Its version, which is also that of the registry's crate to compare with.
    version: String,
}

/// Which `bellpepper-core` a build has to contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// The registry's, of this version.
    Registry(String),
    /// A copy of what is in a folder, with these features on by default.
    Copy {
        original: PathBuf,
        copy: PathBuf,
        features: Vec<String>,
    },
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
        })
    }

    /// Where the workspace's own programs are built.
    pub fn programs(&self) -> PathBuf {
        self.dir.join("programs")
    }

    pub fn lock_file(&self) -> PathBuf {
        self.root.join("Cargo.lock")
    }

    fn lock_copy(&self) -> PathBuf {
        self.dir.join("workspace.lock")
    }

    /// Whether the workspace has the sources of the program `name`.
    pub fn has(&self, name: &str) -> bool {
        self.packages().any(|(package, ..)| package == name)
    }

    fn packages(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + '_ {
        let there = |(_, manifest, _): &(_, &str, _)| self.root.join(manifest).is_dir();
        PACKAGES.into_iter().filter(there)
    }

    /// Folders of the crates of the workspace that the packages depend on, beside one another.
    fn libraries(&self) -> Result<Vec<PathBuf>> {
        let mut libraries = Vec::new();
        for (_, folder, _) in self.packages() {
            let manifest = read_toml(&self.root.join(folder).join("Cargo.toml"))?;
            let dependencies = manifest.get("dependencies").and_then(Item::as_table_like);
            let paths = dependencies
                .into_iter()
                .flat_map(|table| table.iter())
                .filter_map(|(_, dependency)| dependency.get("path")?.as_str());
            for path in paths {
                let library = self.root.join(folder).join(path).canonicalize()?;
                let library = library.strip_prefix(&self.root).with_context(|| {
                    format!("{folder}/Cargo.toml depends on {path}, outside of the workspace")
                })?;
                let is_package = PACKAGES
                    .iter()
                    .any(|(_, other, _)| Path::new(other) == library);
                if !is_package && !libraries.contains(&library.to_owned()) {
                    libraries.push(library.to_owned());
                }
            }
        }
        Ok(libraries)
    }

    /// Which crate `variant` is to be built with.
    ///
    /// # Errors
    /// There is no such storage, or no such crate in the folder that a path names.
    pub fn core_of(&self, variant: &Variant) -> Result<Core> {
        let original = match &variant.source {
            Source::Upstream => return Ok(Core::Registry(self.version.clone())),
            Source::Storage(storage) => {
                let core = CoreManifest::read(&self.fork)?;
                ensure!(
                    core.features.contains(storage),
                    "there is no storage `{storage}`; {} has {}",
                    self.fork.display(),
                    core.features.join(", ")
                );
                self.fork.canonicalize()?
            }
            Source::Path { dir, features } => {
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
                if let Some(unknown) = features.iter().find(|f| !core.features.contains(f)) {
                    bail!(
                        "`{}` asks for a feature `{unknown}`, which {}/Cargo.toml has not. After \
                         `path:`, commas separate features of the fork; to name another variant, \
                         begin a new argument: --variants upstream path:{} {unknown}",
                        variant.label,
                        dir.display(),
                        dir.display()
                    );
                }
                dir.canonicalize()?
            }
        };
        // Cargo tells builds apart by the path: one that stays the same from session to session
        // lets it keep what it has compiled.
        let name = hex(&Sha256::digest(original.display().to_string()))[..16].to_owned();
        Ok(Core::Copy {
            copy: self.dir.join("cores").join(name),
            features: variant.core_features().to_vec(),
            original,
        })
    }

    /// How records call `core`: with no path of this machine, if it is in the workspace.
    pub fn name_of(&self, core: &Core) -> String {
        match core {
            Core::Registry(version) => format!("registry, {version}"),
            Core::Copy { original, .. } => original
                .strip_prefix(&self.root)
                .unwrap_or(original)
                .display()
                .to_string(),
        }
    }

    /// Copies all that is built from. Only files that have changed are written, so that cargo does
    /// not see the others as new.
    pub fn lay_out(&self, cores: &[Core]) -> Result<()> {
        let to = self.programs();
        for (_, manifest, sources) in self.packages() {
            mirror(&self.root.join(sources), &to.join(sources), &unchanged)?;
            let mut document = read_toml(&self.root.join(manifest).join("Cargo.toml"))?;
            document.remove("workspace");
            write(&to.join(manifest).join("Cargo.toml"), document.to_string())?;
        }
        for library in self.libraries()? {
            let copy = to.join(&library);
            copy_crate(&self.root.join(library), &copy, &unchanged)?;
            write(&copy.join("Cargo.toml"), fs::read(copy.join(STANDALONE))?)?;
        }
        write(&to.join("Cargo.toml"), self.manifest()?.to_string())?;
        for name in ["rust-toolchain", "rust-toolchain.toml"] {
            if let Ok(text) = fs::read_to_string(self.root.join(name)) {
                write(&to.join(name), text)?;
            }
        }
        let lock = fs::read_to_string(self.lock_file()).with_context(|| {
            format!(
                "no lock file {}: run `cargo generate-lockfile` there",
                self.lock_file().display()
            )
        })?;
        write(&self.lock_copy(), lock)?;
        for core in cores {
            if let Core::Copy { original, copy, .. } = core {
                copy_crate(original, copy, &unchanged)?;
            }
        }
        Ok(())
    }

    /// Makes the next build one with `core`, and returns the file for cargo's `--config` that puts
    /// it under a build.
    pub fn set(&self, core: &Core) -> Result<PathBuf> {
        write(
            &self.programs().join("Cargo.lock"),
            fs::read(self.lock_copy())?,
        )?;
        let mut config = DocumentMut::new();
        if let Core::Copy { copy, features, .. } = core {
            let mut manifest = read_toml(&copy.join(STANDALONE))?;
            // So no build has to hand a feature on, which would stop it on the registry's crate.
            let defaults = manifest["features"]["default"].or_insert(value(Array::new()));
            let defaults = defaults.as_array_mut().context("`default` is no array")?;
            defaults.extend(features);
            write(&copy.join("Cargo.toml"), manifest.to_string())?;
            let path = copy.to_str().context("a folder name is not UTF-8")?;
            config["patch"]["crates-io"][CORE]["path"] = value(path);
        }
        let file = self.dir.join("variant.toml");
        write(&file, config.to_string())?;
        Ok(file)
    }

    /// Configuration files of cargo that hold for the workspace and would not be found from its
    /// copy, the nearest last.
    pub fn workspace_configs(&self) -> Vec<PathBuf> {
        let mut configs: Vec<PathBuf> = self
            .root
            .ancestors()
            .filter(|folder| !self.dir.starts_with(folder))
            .flat_map(|folder| ["config.toml", "config"].map(|n| folder.join(".cargo").join(n)))
            .filter(|file| file.is_file())
            .collect();
        configs.reverse();
        configs
    }

    /// Fails if cargo had to choose other versions than those in the lock file of the workspace.
    pub fn check_lock(&self, variant: &Variant) -> Result<()> {
        let known = fs::read_to_string(self.lock_copy())?;
        let found = fs::read_to_string(self.programs().join("Cargo.lock"))?;
        if let Some(other) = other_version(&known, &found)? {
            bail!(
                "`{}` would be built with {other}, which is not in {}: variants have to differ in \
                 {CORE} alone; run `cargo update --workspace` in the workspace to complete its \
                 lock file",
                variant.label,
                self.lock_file().display()
            );
        }
        Ok(())
    }

    fn manifest(&self) -> Result<DocumentMut> {
        let real = read_toml(&self.root.join("Cargo.toml"))?;
        let mut manifest = DocumentMut::new();
        let mut workspace = Table::new();
        workspace["resolver"] = value("2");
        let members = self.packages().map(|(_, manifest, _)| manifest);
        workspace["members"] = value(Array::from_iter(members));
        let excluded = self.libraries()?;
        let excluded = excluded.iter().filter_map(|library| library.to_str());
        workspace["exclude"] = value(Array::from_iter(excluded));
        manifest["workspace"] = Item::Table(workspace);
        if let Some(profile) = real.get("profile") {
            manifest["profile"] = profile.clone();
        }
        Ok(manifest)
    }
}

/// The manifest of a copied crate as it is copied; the one beside it, which `set` writes, differs
/// from variant to variant.
const STANDALONE: &str = "standalone.toml";

/// Makes `copy` a copy of the crate in `original`, which builds wherever it is, once it is `set`.
pub fn copy_crate(
    original: &Path,
    copy: &Path,
    change: &dyn Fn(&Path, Vec<u8>) -> Vec<u8>,
) -> Result<()> {
    mirror(original, copy, change)?;
    let manifest = standalone_manifest(original)?;
    write(&copy.join(STANDALONE), manifest.to_string())
}

/// SHA-256 of the names and contents of all files below `dir`, but the manifests that are made
/// here.
pub fn sha256_of_folder(dir: &Path) -> Result<String> {
    fn add(dir: &Path, hasher: &mut Sha256) -> Result<()> {
        let mut entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            if entry.file_name() == "Cargo.toml" {
                continue;
            }
            if entry.path().is_dir() {
                add(&entry.path(), hasher)?;
            } else {
                hasher.update(Sha256::digest(entry.file_name().as_encoded_bytes()));
                hasher.update(Sha256::digest(fs::read(entry.path())?));
            }
        }
        Ok(())
    }
    let mut hasher = Sha256::new();
    add(dir, &mut hasher).with_context(|| format!("cannot read {}", dir.display()))?;
    Ok(hex(&hasher.finalize()))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

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
        // A fork that shares its version with its workspace has the one that was asked for, or
        // cargo will say that it has not.
        Ok(Self {
            version: match package("version") {
                Some(version) => version.to_owned(),
                None => shared_version(dir)?,
            },
            features: features
                .map(|table| table.iter().map(|(name, _)| name.to_owned()).collect())
                .unwrap_or_default(),
        })
    }
}

fn shared_version(dir: &Path) -> Result<String> {
    let manifest = read_toml(&workspace_manifest(dir)?)?;
    let version = |manifest: &DocumentMut| {
        let package = manifest.get("workspace")?.get("package")?;
        Some(package.get("version")?.as_str()?.to_owned())
    };
    version(&manifest).with_context(|| format!("{}: no version", dir.display()))
}

/// The manifest of the workspace that the package in `dir` belongs to: its own if to none.
fn workspace_manifest(dir: &Path) -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["locate-project", "--workspace", "--message-format", "plain"])
        .arg("--manifest-path")
        .arg(dir.canonicalize()?.join("Cargo.toml"))
        .output()
        .context("cannot run cargo")?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", message.trim_end());
    let path = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    Ok(PathBuf::from(path))
}

/// The manifest of the package in `dir`, changed so that the package is the same in another folder:
/// what it takes from its workspace stands in it, and paths are absolute.
fn standalone_manifest(dir: &Path) -> Result<DocumentMut> {
    let mut manifest = read_toml(&dir.join("Cargo.toml"))?;
    let mut workspace = Table::new();
    // A crate that takes nothing from a workspace need not be a member of the one above it.
    if manifest.to_string().contains("workspace") {
        let root = workspace_manifest(dir)?;
        let shared = read_toml(&root)?.get("workspace").cloned();
        for key in ["package", "dependencies", "lints"] {
            if let Some(item) = shared.as_ref().and_then(|shared| shared.get(key)) {
                workspace[key] = item.clone();
            }
        }
        if let Some(dependencies) = workspace.get_mut("dependencies") {
            make_paths_absolute(dependencies, root.parent().unwrap_or(dir));
        }
    }
    manifest["workspace"] = Item::Table(workspace);
    if let Some(package) = manifest["package"].as_table_like_mut() {
        package.remove("workspace");
    }
    // No build looks at them, and cargo would resolve them.
    for unused in ["dev-dependencies", "test", "bench", "example"] {
        manifest.remove(unused);
    }
    for kind in ["dependencies", "build-dependencies"] {
        if let Some(dependencies) = manifest.get_mut(kind) {
            make_paths_absolute(dependencies, dir);
        }
    }
    Ok(manifest)
}

fn make_paths_absolute(dependencies: &mut Item, dir: &Path) {
    let Some(table) = dependencies.as_table_like_mut() else {
        return;
    };
    for (_, dependency) in table.iter_mut() {
        let path = dependency
            .get("path")
            .and_then(Item::as_str)
            .map(str::to_owned);
        if let Some(path) = path {
            dependency["path"] = value(dir.join(path).display().to_string());
        }
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

/// A package that the lock file `found` has in another version than `known`. What `known` has
/// nothing of is none: a fork may need packages that upstream does not.
pub fn other_version(known: &str, found: &str) -> Result<Option<String>> {
    let known = locked(known)?;
    let other = locked(found)?
        .into_iter()
        .find(|(name, version, from_somewhere)| {
            let of_name = |(other, ..): &&(String, String, bool)| other == name;
            let mut known = known.iter().filter(of_name).peekable();
            // Packages without a source are the ones that are built, and the fork.
            *from_somewhere
                && name != CORE
                && known.peek().is_some()
                && !known.any(|(_, other, _)| other == version)
        });
    Ok(other.map(|(name, version, _)| format!("{name} {version}")))
}

/// Name, version, and whether it has a source, of each package of a lock file.
fn locked(text: &str) -> Result<Vec<(String, String, bool)>> {
    let lock: DocumentMut = text.parse().context("a lock file is no TOML")?;
    let packages = lock.get("package").and_then(Item::as_array_of_tables);
    Ok(packages
        .into_iter()
        .flatten()
        .filter_map(|package| {
            let field = |name: &str| Some(package.get(name)?.as_str()?.to_owned());
            let has_source = package.contains_key("source");
            Some((field("name")?, field("version")?, has_source))
        })
        .collect())
}

fn read_toml(file: &Path) -> Result<DocumentMut> {
    fs::read_to_string(file)
        .with_context(|| format!("cannot read {}", file.display()))?
        .parse()
        .with_context(|| format!("{} is no TOML", file.display()))
}

fn unchanged(_: &Path, bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

/// Makes `to` a copy of the sources in the folder `from`, the bytes of each file (by its place in
/// `to`) put through `change`. What cargo, git and editors keep beside sources is left out; what
/// is only in `to` goes, manifests and lock files aside.
fn mirror(from: &Path, to: &Path, change: &dyn Fn(&Path, Vec<u8>) -> Vec<u8>) -> Result<()> {
    for entry in fs::read_dir(to).into_iter().flatten() {
        let path = entry?.path();
        let own = path.extension().is_some_and(|e| e == "toml" || e == "lock");
        if !own && !from.join(path.file_name().unwrap_or_default()).exists() {
            if path.is_dir() {
                fs::remove_dir_all(&path)?;
            } else {
                fs::remove_file(&path)?;
            }
        }
    }
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let hidden = name.as_encoded_bytes().starts_with(b".");
        if hidden || name == "target" || name == "Cargo.toml" || name == "Cargo.lock" {
            continue;
        }
        let target = to.join(name);
        // Links are followed: a fork may share its sources with another line.
        if entry.path().is_dir() {
            mirror(&entry.path(), &target, change)?;
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
            "[workspace]\nmembers = [\"fork\", \"crates/library\"]\n[workspace.package]\nlicense \
            = \"MIT\"\n\
             [patch.crates-io]\nbellpepper-core = { path = \"fork\" }\n[profile.release]\ndebug = \
             1\n",
        );
        file(
            "fork/Cargo.toml",
            "[package]\nname = \"bellpepper-core\"\nversion = \"0.2.1\"\nlicense.workspace = true\n\
             [features]\nlc-vec = []\nother = []\n[dependencies]\nnear = { path = \"../near\" }\n",
        );
        file("fork/src/lib.rs", "");
        file(
            "near/Cargo.toml",
            "[package]\nname = \"near\"\nversion = \"0.1.0\"\n",
        );
        file("near/src/lib.rs", "");
        file("Cargo.lock", "");
        file(
            "crates/library/Cargo.toml",
            "[package]\nname = \"library\"\nversion = \"0.1.0\"\nlicense.workspace = true\n",
        );
        file("crates/library/src/lib.rs", "");
        for (_, manifest, sources) in &PACKAGES[..2] {
            file(
                &format!("{manifest}/Cargo.toml"),
                "[dependencies]\nlibrary = { path = \"../../library\" }\n",
            );
            file(&format!("{sources}/main.rs"), "");
        }
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
        let core = stage.core_of(&variant("lc-vec")).unwrap();
        assert_eq!(stage.name_of(&core), "fork");
        assert!(matches!(core, Core::Copy { original, .. } if original == fork));
        assert!(stage.core_of(&variant("lc-none")).is_err());
    }

    #[test]
    fn a_variant_after_a_path_is_said_to_be_taken_for_its_feature() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        let path = format!("path:{}", dir.path().join("fork").display());
        assert!(stage.core_of(&variant(&format!("{path},other"))).is_ok());
        let refused = stage
            .core_of(&variant(&format!("{path},lc-pooled")))
            .unwrap_err();
        let said = refused.to_string();
        assert!(said.contains("asks for a feature `lc-pooled`"), "{said}");
        assert!(
            said.contains(&format!("--variants upstream {path} lc-pooled")),
            "{said}"
        );
    }

    #[test]
    fn the_profile_of_the_workspace_is_kept_and_its_patch_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = stage(dir.path()).manifest().unwrap();
        // One package without optimization lends its unoptimized generic code to what is timed: all
        // storages were slow alike, and `lc-vec` slower than upstream, which it is not.
        let release = manifest["profile"]["release"].as_table_like().unwrap();
        assert_eq!(release.len(), 1);
        assert_eq!(release.get("debug").unwrap().as_integer(), Some(1));
        assert!(manifest.get("patch").is_none());
    }

    #[test]
    fn an_edit_after_the_first_build_reaches_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        let core = stage.core_of(&variant("lc-vec")).unwrap();
        stage.lay_out(std::slice::from_ref(&core)).unwrap();
        let Core::Copy { copy, .. } = &core else {
            panic!("{core:?}")
        };
        let before = sha256_of_folder(copy).unwrap();
        for file in ["fork/src/lib.rs", "crates/porep-synth/src/main.rs"] {
            write(&dir.path().join(file), "edited").unwrap();
        }
        stage.set(&core).unwrap();
        assert_eq!(fs::read_to_string(copy.join("src/lib.rs")).unwrap(), "");
        let main = stage.programs().join("crates/porep-synth/src/main.rs");
        assert_eq!(fs::read_to_string(main).unwrap(), "");
        assert_eq!(sha256_of_folder(copy).unwrap(), before);
        stage.lay_out(std::slice::from_ref(&core)).unwrap();
        assert_ne!(sha256_of_folder(copy).unwrap(), before);
    }

    #[test]
    fn crates_that_the_programs_depend_on_are_copied_with_them() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        stage.lay_out(&[]).unwrap();
        let library = stage.programs().join("crates/library");
        assert!(library.join("src/lib.rs").is_file());
        let manifest = read_toml(&library.join("Cargo.toml")).unwrap();
        assert_eq!(
            manifest["workspace"]["package"]["license"].as_str(),
            Some("MIT")
        );
        let workspace = read_toml(&stage.programs().join("Cargo.toml")).unwrap();
        let excluded = workspace["workspace"]["exclude"].as_array().unwrap();
        assert_eq!(excluded.len(), 1);
    }

    /// With what it takes from its workspace, what is near it, and its storage without a word.
    #[test]
    fn a_copied_crate_stands_alone_with_its_storage_on() {
        let dir = tempfile::tempdir().unwrap();
        let stage = stage(dir.path());
        let core = stage.core_of(&variant("lc-vec")).unwrap();
        stage.lay_out(std::slice::from_ref(&core)).unwrap();
        let config = read_toml(&stage.set(&core).unwrap()).unwrap();
        let copy = config["patch"]["crates-io"][CORE]["path"].as_str().unwrap();
        let manifest = read_toml(&Path::new(copy).join("Cargo.toml")).unwrap();
        assert_eq!(manifest["features"]["default"][0].as_str(), Some("lc-vec"));
        assert_eq!(
            manifest["workspace"]["package"]["license"].as_str(),
            Some("MIT")
        );
        let near = manifest["dependencies"]["near"]["path"].as_str().unwrap();
        assert!(Path::new(near).join("Cargo.toml").is_file(), "{near}");
    }

    #[test]
    fn other_versions_than_the_locked_ones_are_told() {
        let lock = |name: &str, version: &str, source: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}")
        };
        let registry = "source = \"registry\"\n";
        let known = lock("ff", "0.13.0", registry);
        let other = |found: &str| other_version(&known, found).unwrap();
        assert_eq!(other(&known), None);
        let new = lock("new", "1.0.0", registry) + &lock(CORE, "0.2.1", registry);
        assert_eq!(other(&new), None);
        assert_eq!(other(&lock("ff", "0.1.0", "")), None);
        assert_eq!(
            other(&lock("ff", "0.13.1", registry)),
            Some("ff 0.13.1".to_owned())
        );
    }
}
