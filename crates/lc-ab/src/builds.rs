//! From variants to programs, each checked to be what it is called before anything is timed.
//!
//! One target folder serves all variants, so that what does not depend on `bellpepper-core` is
//! compiled once; each program is copied out right after its own build, from the place that cargo
//! names. Which crate is inside is taken from what cargo says it compiled, not from what it was
//! asked for.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::Duration,
};

use anyhow::{bail, ensure, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{
    census,
    executor::Programs,
    plan::Plan,
    process::{self, Conditions},
    session::Program,
    stage::{Core, Stage, CORE},
    variant::{Source, Variant},
};

/// Everything of this program's that lies in a target folder.
pub struct Folders {
    /// The checked programs.
    programs: PathBuf,
    /// What cargo builds into.
    build: PathBuf,
    /// Of the fork's workspace.
    stage: PathBuf,
    /// The copy of the registry's crate that counts temporaries.
    census: PathBuf,
    /// For what tools leave behind.
    pub scratch: PathBuf,
    pub reports: PathBuf,
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
        lock.try_lock().map_err(|_| {
            anyhow::anyhow!(
                "another session is running in {}: wait for it",
                dir.display()
            )
        })?;
        let scratch = dir.join("scratch");
        fs::create_dir_all(&scratch)?;
        Ok(Self {
            programs: dir.join("bin"),
            build: dir.join("build"),
            stage: dir.join("stage"),
            census: dir.join("census"),
            scratch,
            reports: dir.join("reports"),
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

/// Builds and checks every variant, in every layout, and the probes if it is to be explained.
pub fn build(
    plan: &Plan,
    stage: &Stage,
    folders: &Folders,
    with_probes: bool,
    interrupted: &AtomicBool,
) -> Result<Builds> {
    let cores: Vec<Core> = plan
        .variants
        .iter()
        .map(|variant| stage.core_of(variant))
        .collect::<Result<_>>()?;
    // Programs of an earlier session must not be taken for this one's.
    let _ = fs::remove_dir_all(&folders.programs);
    fs::create_dir_all(&folders.programs)?;

    let bar = progress(plan.variants.len());
    let cargo = Cargo {
        stage,
        build: &folders.build,
        interrupted,
    };
    let mut programs: Vec<Program> = Vec::new();
    let mut paths = BTreeMap::new();
    let mut explained = Vec::new();
    let mut registry_crate = None;
    for (subject, variant) in plan.variants.iter().enumerate() {
        bar.set_message(format!("building {}", variant.label));
        stage.set(&cores[subject])?;
        let built = cargo.build(variant, &cores[subject], with_probes)?;
        stage.check_lock(variant)?;
        for layout in 0..plan.layouts {
            let executable = if plan.layouts > 1 {
                cargo.link_shuffled(variant, layout)?
            } else {
                built.program.clone()
            };
            let path = place(&folders.programs, "synth", subject, layout);
            programs.push(Program {
                subject,
                layout,
                sha256: copy(&executable, &path)?,
                core: stage.name_of(&cores[subject]),
                core_features: built.core_features.clone(),
            });
            paths.insert((subject, layout), path);
        }
        let aside = |kind: &str, executable: &Path| -> Result<PathBuf> {
            let path = place(&folders.programs, kind, subject, 0);
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
        bar.inc(1);
    }
    bar.finish_and_clear();

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
        let path = place(&folders.programs, "synth", program.subject, program.layout);
        copy(&paths[&(0, program.layout)], &path)?;
        paths.insert((program.subject, program.layout), path);
    }
    programs.extend(control);
    Ok(Builds {
        programs,
        paths: Programs::Built(paths),
        explained,
        registry_crate,
    })
}

/// For a command in place of `porep-synth`: a file for cargo's `--config` for each subject, which
/// puts the variant under the crates of whoever uses it.
pub fn configs(plan: &Plan, stage: &Stage, folders: &Folders, template: &str) -> Result<Builds> {
    let _ = fs::remove_dir_all(&folders.programs);
    fs::create_dir_all(&folders.programs)?;
    let mut configs = Vec::new();
    for subject in 0..plan.subjects() {
        let variant = plan.variant_of(subject);
        let mut config = toml_edit::DocumentMut::new();
        // The control uses its original's builds.
        let target = folders.build.join(format!("command-{variant:02}"));
        config["build"]["target-dir"] = toml_edit::value(target.display().to_string());
        if let Core::Path(dir) = stage.core_of(&plan.variants[variant])? {
            config["patch"]["crates-io"][CORE]["path"] =
                toml_edit::value(dir.display().to_string());
        }
        let file = folders.programs.join(format!("{subject:02}.toml"));
        fs::write(&file, config.to_string())?;
        configs.push(file);
    }
    Ok(Builds {
        programs: Vec::new(),
        paths: Programs::Command {
            template: template.to_owned(),
            configs,
        },
        explained: Vec::new(),
        registry_crate: None,
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
    let (variant, original) = upstream
        .zip(builds.registry_crate.as_ref())
        .context("not available here: temporaries are counted on the registry's crate, and `upstream` is not among the variants")?;
    let core = Core::Path(census::plant(original, &folders.census)?);
    stage.set(&core)?;
    let cargo = Cargo {
        stage,
        build: &folders.build,
        interrupted,
    };
    let artifacts = cargo.run(
        &[
            "build",
            "-p",
            "lc-probe",
            "-p",
            "porep-synth",
            "--bin",
            "lc-count",
        ],
        &["porep-synth/upstream", "lc-probe/census"],
        &[],
        &variant.label,
    )?;
    executable(&artifacts, "lc-count")
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
    Ok(Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

fn check_that_programs_differ(plan: &Plan, programs: &[Program]) -> Result<()> {
    for (index, this) in programs.iter().enumerate() {
        for other in &programs[..index] {
            let (a, b) = (&plan.variants[this.subject], &plan.variants[other.subject]);
            let asked_for = (&a.source, a.jemalloc) == (&b.source, b.jemalloc);
            if this.sha256 != other.sha256 || (asked_for && this.subject != other.subject) {
                continue;
            }
            if this.subject == other.subject {
                bail!(
                    "layouts {} and {} of `{}` are the same program: the linker did not shuffle its sections; \
                     --layouts needs LLD",
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

fn progress(variants: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} ({pos} of {len} done, {elapsed})")
        .expect("a valid template");
    let bar = ProgressBar::new(variants as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

struct Cargo<'a> {
    stage: &'a Stage,
    build: &'a Path,
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
    fn build(&self, variant: &Variant, core: &Core, with_probes: bool) -> Result<Built> {
        let mut arguments = vec!["build", "-p", "porep-synth"];
        if with_probes {
            arguments.extend(["-p", "lc-probe"]);
        }
        let artifacts = self.run(&arguments, &variant.cargo_features(), &[], &variant.label)?;
        let cores: Vec<&Artifact> = artifacts
            .iter()
            .filter(|artifact| artifact.target.name == "bellpepper_core")
            .collect();
        for found in &cores {
            check_core(variant, core, found)?;
        }
        let found = cores
            .first()
            .with_context(|| format!("`{}`: cargo compiled no {CORE} at all", variant.label))?;
        Ok(Built {
            program: executable(&artifacts, "porep-synth")?,
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
    fn link_shuffled(&self, variant: &Variant, layout: usize) -> Result<PathBuf> {
        let seed = layout + 1;
        let artifacts = self.run(
            &["rustc", "-p", "porep-synth", "--bin", "porep-synth"],
            &variant.cargo_features(),
            &["-C", &format!("link-arg=-Wl,--shuffle-sections=*={seed}")],
            &variant.label,
        )?;
        executable(&artifacts, "porep-synth")
    }

    fn run(
        &self,
        arguments: &[&str],
        features: &[impl AsRef<str>],
        rustc_arguments: &[&str],
        label: &str,
    ) -> Result<Vec<Artifact>> {
        let features: Vec<&str> = features.iter().map(AsRef::as_ref).collect();
        let mut command = Command::new("cargo");
        command
            .args(arguments)
            .args(["--release", "--message-format=json-render-diagnostics"])
            // Named on the command line, no setting of the user's comes before it.
            .arg("--target-dir")
            .arg(self.build)
            .args(["--features", &features.join(",")])
            .current_dir(self.stage.dir());
        if !rustc_arguments.is_empty() {
            command.arg("--").args(rustc_arguments);
        }
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

fn check_core(variant: &Variant, core: &Core, found: &Artifact) -> Result<()> {
    let asked_for = match core {
        Core::Registry(version) => {
            found.package_id.starts_with("registry+")
                && found.package_id.ends_with(&format!("@{version}"))
        }
        Core::Path(dir) => {
            let found_in = found.manifest_path.parent();
            found_in.and_then(|dir| dir.canonicalize().ok()).as_ref() == Some(dir)
        }
    };
    ensure!(
        asked_for,
        "`{}` was built with {}, which is not the {CORE} asked for ({core:?}): something depends \
         on a version that no patch can stand in for; `cargo tree -i {CORE}` in {} shows what",
        variant.label,
        found.package_id,
        found.manifest_path.display(),
    );
    for feature in variant.core_features() {
        ensure!(
            found.features.contains(feature),
            "`{}` was built without the feature `{feature}` of {CORE}",
            variant.label
        );
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
