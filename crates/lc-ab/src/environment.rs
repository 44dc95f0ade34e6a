//! What the machine was like: facts that can make one session differ from another. Read before and
//! after; nothing here decides anything.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde::{Deserialize, Serialize};

use crate::process;

/// Facts by name, in the order of their names; what cannot be read here says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment(pub BTreeMap<String, String>);

const UNREADABLE: &str = "not readable here";

impl Environment {
    /// Reads the machine; `workspace` is where the toolchain is asked for its version.
    pub fn read(workspace: &Path) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            cpuinfo
                .lines()
                .find(|line| line.split(':').next().map(str::trim) == Some(name))
                .and_then(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().to_owned())
        };
        let cpu = |path: &str| file(&format!("/sys/devices/system/cpu/{path}"));
        let facts = [
            ("processor", field("model name")),
            ("processor MHz", field("cpu MHz")),
            (
                "processors allowed",
                Some(format!("{:?}", process::allowed_cpus())),
            ),
            ("governor", cpu("cpu0/cpufreq/scaling_governor")),
            ("frequency boost", cpu("cpufreq/boost")),
            ("SMT", cpu("smt/control")),
            (
                "transparent huge pages",
                file("/sys/kernel/mm/transparent_hugepage/enabled"),
            ),
            (
                "ASLR (randomize_va_space)",
                file("/proc/sys/kernel/randomize_va_space"),
            ),
            ("load average", file("/proc/loadavg")),
            ("memory available", memory_available()),
            (
                "cgroup processors",
                cgroup("cpu.max", "cpu/cpu.cfs_quota_us"),
            ),
            (
                "cgroup memory",
                cgroup("memory.max", "memory/memory.limit_in_bytes"),
            ),
            ("kernel", file("/proc/sys/kernel/osrelease")),
            ("libc", first_line(Command::new("ldd").arg("--version"))),
            ("malloc settings", malloc_settings()),
            (
                "rustc",
                first_line(Command::new("rustc").arg("-V").current_dir(workspace)),
            ),
            (
                "cargo",
                first_line(Command::new("cargo").arg("-V").current_dir(workspace)),
            ),
        ];
        Self(
            facts
                .into_iter()
                .map(|(name, value)| {
                    (
                        name.to_owned(),
                        value.unwrap_or_else(|| UNREADABLE.to_owned()),
                    )
                })
                .collect(),
        )
    }

    /// Adds a fact that others know.
    pub fn with(mut self, name: &str, value: String) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }
}

fn file(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn memory_available() -> Option<String> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The limit of this process's own group in version 2, or of the root in version 1.
fn cgroup(version_2: &str, version_1: &str) -> Option<String> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    file(&format!("/sys/fs/cgroup{group}/{version_2}"))
        .or_else(|| file(&format!("/sys/fs/cgroup/{version_2}")))
        .or_else(|| file(&format!("/sys/fs/cgroup/{version_1}")))
}

/// Variables that change what the allocators do.
fn malloc_settings() -> Option<String> {
    let settings: Vec<String> = std::env::vars()
        .filter(|(name, _)| {
            name.starts_with("MALLOC_")
                || name.contains("MALLOC_CONF")
                || ["LD_PRELOAD", "GLIBC_TUNABLES"].contains(&name.as_str())
        })
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    Some(if settings.is_empty() {
        "none in the environment".to_owned()
    } else {
        settings.join(" ")
    })
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_has_a_value_or_says_that_it_has_none() {
        let environment = Environment::read(Path::new(".")).with("lock file", "abc".into());
        assert!(environment.0.values().all(|value| !value.is_empty()));
        assert!(environment.0["kernel"].starts_with(|c: char| c.is_ascii_digit()));
        assert!(environment.0["rustc"].starts_with("rustc "));
        assert_eq!(environment.0["lock file"], "abc");
    }
}
