//! From variants to programs, each checked to be what it is called before anything is timed.
//!
//! One target folder serves all variants, so that what does not depend on `bellpepper-core` is
//! compiled once; each program is copied out right after its own build, from the place that cargo
//! names. Which crate is inside is taken from what cargo says it compiled, not from what it was
//! asked for.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::Duration,
};

use anyhow::{bail, ensure, Context, Result};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{
    census,
    executor::Programs,
    plan::{Plan, Prover},
    process::{self, Conditions},
    progress::{Kind, Progress},
    session::Program,
    stage::{self, Core, Stage, CORE},
    variant::{Source, Variant},
};

/// Everything of this program's that lies in a target folder.
pub struct Folders {
    /// The checked programs.
    programs: PathBuf,
    /// What cargo builds into, of the workspace's own programs and of provers.
    build: PathBuf,
    prover_build: PathBuf,
    /// Of the fork's workspace.
    stage: PathBuf,
    /// The copy of the registry's crate that counts temporaries.
    census: PathBuf,
    /// For what tools leave behind.
    pub scratch: PathBuf,
    pub reports: PathBuf,
    /// Why nothing keeps a second session away, where nothing does.
    pub remark: Option<String>,
    /// Held as long as the folders are in use: two sessions at once would disturb each other in
    /// every respect.
    _lock: File,
}

impl Folders {
    pub fn open(target_dir: &Path) -> Result<Self> {
        let dir = target_dir.join("lc-ab");
        fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let dir = dir.canonicalize()?;
        let lock = File::create(dir.join("lock"))?;
        let remark = match lock.try_lock() {
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => bail!(
                "another session is running in {}: wait for it",
                dir.display()
            ),
            Err(TryLockError::Error(error)) => Some(format!(
                "The file system of {} has no file locks ({error}): see to it that no other \
                 session runs there.",
                dir.display()
            )),
        };
        let scratch = dir.join("scratch");
        fs::create_dir_all(&scratch)?;
        Ok(Self {
            programs: dir.join("bin"),
            build: dir.join("build"),
            prover_build: dir.join("prover-build"),
            stage: dir.join("stage"),
            census: dir.join("census"),
            scratch,
            reports: dir.join("reports"),
            remark,
            _lock: lock,
        })
    }

    /// Where the variants of the workspace at `root` are put together.
    pub fn stage(&self, root: &Path) -> Result<Stage> {
        Stage::new(root, self.stage.clone())
    }
}

pub struct Builds {
    pub programs: Vec<Program>,
    pub paths: Programs,
    /// By variant; none where nothing is to be explained.
    pub explained: Vec<Explained>,
    /// The folder of the registry's crate, if a variant is built on it.
    pub registry_crate: Option<PathBuf>,
}

/// The programs that are looked into to explain a variant.
pub struct Explained {
    /// The measured program, in its first layout.
    pub synth: PathBuf,
    pub count: PathBuf,
    pub walk: PathBuf,
}

/// Builds and checks every variant, in every layout, and the probes if it is to be explained. Of
/// `progress`, takes a build for each variant.
pub fn build(
    plan: &Plan,
    stage: &Stage,
    folders: &Folders,
    with_probes: bool,
    interrupted: &AtomicBool,
    progress: &Progress,
) -> Result<Builds> {
    let cores: Vec<Core> = plan
        .variants
        .iter()
        .map(|variant| stage.core_of(variant))
        .collect::<Result<_>>()?;
    stage.lay_out(&cores)?;
    let lock = plan.prover.as_ref().map(ProverLock::of).transpose()?;
    // Programs of an earlier session must not be taken for this one's; those of another plan of
    // this one stay.
    let dir = folders.programs.join(plan.name_of_program());
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir)?;

    let mut programs: Vec<Program> = Vec::new();
    let mut paths = BTreeMap::new();
    let mut explained = Vec::new();
    let mut registry_crate = None;
    for (subject, variant) in plan.variants.iter().enumerate() {
        let (core, number, all) = (&cores[subject], subject + 1, plan.variants.len());
        progress.stage(&format!(
            "building {} on {} ({number} of {all})",
            plan.name_of_program(),
            variant.label
        ));
        let cargo = Cargo {
            plan,
            stage,
            folders,
            config: stage.set(core)?,
            variant,
            interrupted,
        };
        let built = cargo.build(core, with_probes)?;
        match &lock {
            Some(lock) => lock.check_and_restore(variant)?,
            None => stage.check_lock(variant)?,
        }
        for layout in 0..plan.layouts {
            let executable = if plan.layouts > 1 {
                cargo.link_shuffled(layout)?
            } else {
                built.program.clone()
            };
            let path = place(&dir, "synth", subject, layout);
            programs.push(Program {
                subject,
                layout,
                sha256: copy(&executable, &path)?,
                core: stage.name_of(core),
                core_features: built.core_features.clone(),
                core_sha256: match core {
                    Core::Registry(_) => None,
                    Core::Copy { copy, .. } => Some(stage::sha256_of_folder(copy)?),
                },
            });
            paths.insert((subject, layout), path);
        }
        let aside = |kind: &str, executable: &Path| -> Result<PathBuf> {
            let path = place(&dir, kind, subject, 0);
            copy(executable, &path)?;
            Ok(path)
        };
        if let Some(probes) = &built.probes {
            explained.push(Explained {
                synth: paths[&(subject, 0)].clone(),
                count: aside("count", &probes.count)?,
                walk: aside("walks", &probes.walk)?,
            });
        }
        if variant.source == Source::Upstream {
            registry_crate = built.core_dir;
        }
        progress.done(Kind::Build);
    }

    check_that_programs_differ(plan, &programs)?;
    let control: Vec<Program> = programs
        .iter()
        .filter(|program| program.subject == 0)
        .map(|program| Program {
            subject: plan.control(),
            ..program.clone()
        })
        .collect();
    for program in &control {
        let path = place(&dir, "synth", program.subject, program.layout);
        copy(&paths[&(0, program.layout)], &path)?;
        paths.insert((program.subject, program.layout), path);
    }
    programs.extend(control);
    Ok(Builds {
        programs,
        paths,
        explained,
        registry_crate,
    })
}

/// The counting probe on a copy of the registry's crate that counts what is dropped.
pub fn census(
    plan: &Plan,
    builds: &Builds,
    stage: &Stage,
    folders: &Folders,
    interrupted: &AtomicBool,
) -> Result<PathBuf> {
    let upstream = plan.variants.iter().find(|v| v.source == Source::Upstream);
    let (variant, original) = upstream.zip(builds.registry_crate.as_ref()).context(
        "not available here: temporaries are counted on the registry's crate, and \
        `upstream` is not among the variants",
    )?;
    census::plant(original, &folders.census)?;
    let core = Core::Copy {
        original: original.clone(),
        copy: folders.census.canonicalize()?,
        features: Vec::new(),
    };
    let cargo = Cargo {
        plan,
        stage,
        folders,
        config: stage.set(&core)?,
        variant,
        interrupted,
    };
    let arguments = [
        "build",
        "-p",
        "lc-probe",
        "-p",
        "porep-synth",
        "--bin",
        "lc-count",
    ];
    let features = ["porep-synth/upstream", "lc-probe/census"].map(str::to_owned);
    executable(&cargo.run_staged(&arguments, &features, &[])?, "lc-count")
}

/// The length of a program's name is part of what its stack looks like, so all are equally long.
fn place(dir: &Path, kind: &str, subject: usize, layout: usize) -> PathBuf {
    dir.join(format!("{kind}-{subject:02}-{layout:02}"))
}

/// Copies a program and returns the SHA-256 of the copy.
fn copy(from: &Path, to: &Path) -> Result<String> {
    fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    sha256_of(to)
}

pub fn sha256_of(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(stage::hex(&Sha256::digest(bytes)))
}

fn check_that_programs_differ(plan: &Plan, programs: &[Program]) -> Result<()> {
    for (index, this) in programs.iter().enumerate() {
        for other in &programs[..index] {
            let (a, b) = (&plan.variants[this.subject], &plan.variants[other.subject]);
            // These differ in the program; other settings are told to it.
            let asked_for = (&a.source, a.settings.jemalloc) == (&b.source, b.settings.jemalloc);
            if this.sha256 != other.sha256 || (asked_for && this.subject != other.subject) {
                continue;
            }
            if this.subject == other.subject {
                bail!(
                    "layouts {} and {} of `{}` are the same program: the linker did not shuffle \
                     its sections; --layouts needs LLD",
                    other.layout,
                    this.layout,
                    a.label
                );
            }
            bail!(
                "`{}` and `{}` are the same program, so comparing them says nothing: \
                 look whether both names stand for the same code",
                b.label,
                a.label
            );
        }
    }
    Ok(())
}

/// The lock file of a prover's workspace, which each build with an override changes: every variant
/// begins with the one that was found, and it is there again in the end.
struct ProverLock {
    file: PathBuf,
    /// `None` if there is none.
    found: Option<String>,
}

impl ProverLock {
    fn of(prover: &Prover) -> Result<Self> {
        let output = Command::new("cargo")
            .args(["locate-project", "--workspace", "--message-format", "plain"])
            .current_dir(&prover.dir)
            .output()
            .with_context(|| format!("cannot run cargo in {}", prover.dir.display()))?;
        ensure!(
            output.status.success(),
            "there is no cargo project in {}: name the prover's folder with --prover\n{}",
            prover.dir.display(),
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
        let manifest = String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned();
        let file = Path::new(&manifest).with_file_name("Cargo.lock");
        let found = fs::read_to_string(&file).ok();
        Ok(Self { file, found })
    }

    fn check_and_restore(&self, variant: &Variant) -> Result<()> {
        let used = fs::read_to_string(&self.file)?;
        self.restore()?;
        if let Some(found) = &self.found {
            if let Some(other) = stage::other_version(found, &used)? {
                bail!(
                    "`{}` would be built with {other}, which is not in {}: variants have to differ \
                     in {CORE} alone; bring the lock file up to date first",
                    variant.label,
                    self.file.display()
                );
            }
        }
        Ok(())
    }

    fn restore(&self) -> std::io::Result<()> {
        match &self.found {
            Some(text) => fs::write(&self.file, text),
            None => fs::remove_file(&self.file),
        }
    }
}

impl Drop for ProverLock {
    fn drop(&mut self) {
        // A build that failed may have changed it, or made none.
        let _ = self.restore();
    }
}

struct Cargo<'a> {
    plan: &'a Plan,
    stage: &'a Stage,
    folders: &'a Folders,
    /// Puts the wanted crate under the build.
    config: PathBuf,
    variant: &'a Variant,
    interrupted: &'a AtomicBool,
}

struct Built {
    program: PathBuf,
    probes: Option<Probes>,
    core_dir: Option<PathBuf>,
    core_features: Vec<String>,
}

struct Probes {
    count: PathBuf,
    walk: PathBuf,
}

/// What cargo says of each thing it has compiled, or found to be up to date.
#[derive(Deserialize)]
struct Artifact {
    package_id: String,
    manifest_path: PathBuf,
    target: Target,
    features: Vec<String>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

impl Cargo<'_> {
    fn build(&self, core: &Core, with_probes: bool) -> Result<Built> {
        let artifacts = match &self.plan.prover {
            Some(prover) => self.run_in_prover(prover)?,
            None => {
                let package = self.plan.name_of_program();
                let mut arguments = vec!["build", "-p", package];
                if with_probes {
                    arguments.extend(["-p", "lc-probe"]);
                }
                let features = self.variant.package_features(package);
                self.run_staged(&arguments, &features, &[])?
            }
        };
        let cores: Vec<&Artifact> = artifacts
            .iter()
            .filter(|artifact| artifact.target.name == "bellpepper_core")
            .collect();
        for found in &cores {
            check_core(self.variant, core, found)?;
        }
        let found = cores.first().with_context(|| {
            format!("`{}`: cargo compiled no {CORE} at all", self.variant.label)
        })?;
        let program = match &self.plan.prover {
            Some(_) => only_executable(&artifacts)?,
            None => executable(&artifacts, self.plan.name_of_program())?,
        };
        Ok(Built {
            program,
            probes: if with_probes {
                Some(Probes {
                    count: executable(&artifacts, "lc-count")?,
                    walk: executable(&artifacts, "lc-walk")?,
                })
            } else {
                None
            },
            core_dir: found.manifest_path.parent().map(Path::to_owned),
            core_features: found.features.clone(),
        })
    }

    /// Links the program again, with its functions in another order.
    fn link_shuffled(&self, layout: usize) -> Result<PathBuf> {
        let package = self.plan.name_of_program();
        let seed = layout + 1;
        let artifacts = self.run_staged(
            &["rustc", "-p", package, "--bin", package],
            &self.variant.package_features(package),
            &["-C", &format!("link-arg=-Wl,--shuffle-sections=*={seed}")],
        )?;
        executable(&artifacts, package)
    }

    /// A build of the workspace's own programs.
    fn run_staged(
        &self,
        arguments: &[&str],
        features: &[String],
        rustc_arguments: &[&str],
    ) -> Result<Vec<Artifact>> {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(self.stage.programs());
        for config in self.stage.workspace_configs() {
            command.arg("--config").arg(config);
        }
        command.args(["--features", &features.join(",")]);
        self.run(command, &self.folders.build, rustc_arguments)
    }

    /// A build of a prover, in its own folder and with its own configuration.
    fn run_in_prover(&self, prover: &Prover) -> Result<Vec<Artifact>> {
        let mut command = Command::new("cargo");
        command
            .arg("build")
            .args(&prover.cargo_args)
            .current_dir(&prover.dir);
        self.run(command, &self.folders.prover_build, &[])
    }

    fn run(
        &self,
        mut command: Command,
        target_dir: &Path,
        rustc_arguments: &[&str],
    ) -> Result<Vec<Artifact>> {
        command
            .args(["--release", "--message-format=json-render-diagnostics"])
            // Named on the command line, no setting of the user's comes before them.
            .arg("--target-dir")
            .arg(target_dir)
            .arg("--config")
            .arg(&self.config);
        if !rustc_arguments.is_empty() {
            command.arg("--").args(rustc_arguments);
        }
        let label = &self.variant.label;
        let finished = process::run(
            command,
            &Conditions {
                timeout: Duration::MAX,
                interrupted: self.interrupted,
                cpus: None,
            },
        )
        .with_context(|| format!("building `{label}`"))?;
        ensure!(
            finished.status.success(),
            "`{label}` could not be built:\n{}",
            finished.last_words()
        );
        Ok(finished
            .stdout
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }
}

fn executable(artifacts: &[Artifact], name: &str) -> Result<PathBuf> {
    artifacts
        .iter()
        .filter(|artifact| artifact.target.name == name)
        .find_map(|artifact| artifact.executable.clone())
        .with_context(|| format!("cargo says of no program {name} where it is"))
}

/// Which of several is meant cannot be known.
fn only_executable(artifacts: &[Artifact]) -> Result<PathBuf> {
    let programs: Vec<&Artifact> = artifacts
        .iter()
        .filter(|artifact| artifact.executable.is_some())
        .collect();
    match programs.as_slice() {
        [program] => Ok(program.executable.clone().expect("it has one")),
        [] => bail!(
            "the prover's build made no program: name one with `-- --bin NAME`, or `-- \
        --example NAME`"
        ),
        several => bail!(
            "the prover's build made several programs ({}): choose one with `-- --bin NAME`",
            several
                .iter()
                .map(|a| a.target.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

fn check_core(variant: &Variant, core: &Core, found: &Artifact) -> Result<()> {
    let (asked_for, is_it) = match core {
        Core::Registry(version) => (
            format!("the registry's {version}"),
            found.package_id.starts_with("registry+")
                && found.package_id.ends_with(&format!("@{version}")),
        ),
        Core::Copy { original, copy, .. } => {
            let found_in = found.manifest_path.parent();
            (
                format!("the one of {}", original.display()),
                found_in.and_then(|dir| dir.canonicalize().ok()).as_ref() == Some(copy),
            )
        }
    };
    ensure!(
        is_it,
        "`{}` was built with {} in {}, and not with the {CORE} asked for, {asked_for}: nothing \
         was timed. Either a [patch] or a path in a manifest or a configuration of cargo's puts \
         another one there (take it away while you measure), or something depends on a version \
         that no patch can stand in for; `cargo tree -i {CORE}` shows what",
        variant.label,
        found.package_id,
        found
            .manifest_path
            .parent()
            .unwrap_or(Path::new(""))
            .display(),
    );
    for feature in variant.core_features() {
        ensure!(
            found.features.contains(feature),
            "`{}` was built without the feature `{feature}` of {CORE}: everything that depends on \
             it leaves its default features out; leave them in for one dependency",
            variant.label
        );
    }
    if let Source::Storage(storage) = &variant.source {
        let is_other = |feature: &&String| feature.starts_with("lc-") && *feature != storage;
        if let Some(other) = found.features.iter().find(is_other) {
            bail!(
                "`{}` was built with the storage `{other}` asked for as well, by a dependency \
                 line or a feature of the prover's: one of the two serves the whole build; take \
                 it away while you measure",
                variant.label
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::options::Options;

    fn check(variants: &str, layouts: usize, hashes: &[&str]) -> Result<()> {
        let layouts_text = layouts.to_string();
        let line = ["lc-ab", "--variants", variants, "--layouts", &layouts_text];
        let plan = Plan::new(&Options::parse_from(line).compare)?;
        let programs: Vec<Program> = hashes
            .iter()
            .enumerate()
            .map(|(index, hash)| Program {
                subject: index / layouts,
                layout: index % layouts,
                sha256: hash.to_string(),
                core: String::new(),
                core_features: Vec::new(),
                core_sha256: None,
            })
            .collect();
        check_that_programs_differ(&plan, &programs)
    }

    #[test]
    fn one_program_cannot_stand_for_two_variants() {
        assert!(check("upstream,lc-vec", 1, &["a", "b"]).is_ok());
        let refused = check("upstream,lc-vec", 1, &["a", "a"]).unwrap_err();
        assert!(refused
            .to_string()
            .contains("`upstream` and `lc-vec` are the same program"));
        assert!(check("lc-vec,lc-vec+jemalloc", 1, &["a", "a"]).is_err());
        assert!(check("upstream,upstream", 1, &["a", "a"]).is_ok());
    }

    #[test]
    fn one_program_cannot_stand_for_two_layouts() {
        assert!(check("upstream,lc-vec", 2, &["a", "b", "c", "d"]).is_ok());
        let refused = check("upstream,lc-vec", 2, &["a", "b", "c", "c"]).unwrap_err();
        assert!(refused.to_string().contains("needs LLD"));
        assert!(check("upstream,upstream", 2, &["a", "b", "a", "b"]).is_ok());
    }
}
