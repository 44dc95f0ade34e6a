//! What the machine was like: facts that can make one session differ from another. Read before and
//! after; nothing here decides anything.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

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
        let groups = ControlGroups::own();
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
                "cgroup processor time, µs of each period",
                Some(groups.processor_quota()),
            ),
            ("cgroup memory, bytes", Some(groups.memory())),
            (THROTTLED, Some(groups.throttled().to_string())),
            ("kernel", file("/proc/sys/kernel/osrelease")),
            ("libc", first_line(Command::new("ldd").arg("--version"))),
            ("malloc settings", Some(settings(is_malloc_setting))),
            ("build settings", Some(settings(is_build_setting))),
            ("commit", commit(workspace)),
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

    /// Whether, between the two, the control group's processor time was used up.
    pub fn throttled_between(before: &Self, after: &Self) -> bool {
        let count = |environment: &Self| environment.0.get(THROTTLED)?.parse::<u64>().ok();
        count(before) < count(after)
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

/// Periods in which the control group had used up its processor time.
const THROTTLED: &str = "cgroup periods throttled";

/// The control groups that this process is in, of either version, each with those above it.
struct ControlGroups {
    /// Where they are mounted.
    root: PathBuf,
    /// The lines of /proc/self/cgroup.
    own: String,
}

impl ControlGroups {
    fn own() -> Self {
        Self {
            root: "/sys/fs/cgroup".into(),
            own: fs::read_to_string("/proc/self/cgroup").unwrap_or_default(),
        }
    }

    /// What the file `name` of `controller` (none in version 2) says in the own group and in all
    /// above it. In a container, the own group is often mounted as the root.
    fn values(&self, controller: &str, name: &str) -> Vec<String> {
        let lines = self.own.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            Some((parts.next()?, parts.next()?))
        });
        let mut values = Vec::new();
        for (controllers, group) in lines {
            let mounts: Vec<&str> = match (controllers, controller) {
                ("", "") => vec!["", "unified"],
                (several, one) if several.split(',').any(|c| c == one) => vec![several, one],
                _ => continue,
            };
            for mount in mounts {
                let of_group = Path::new(group.trim_start_matches('/')).ancestors();
                let files = of_group.map(|dir| self.root.join(mount).join(dir).join(name));
                values.extend(files.filter_map(|file| fs::read_to_string(file).ok()));
            }
        }
        values
    }

    /// The least of what is allowed in each period, which is 100000 µs unless said otherwise.
    fn processor_quota(&self) -> String {
        let of_version_1 = self.values("cpu", "cpu.cfs_quota_us");
        let of_version_2 = self.values("", "cpu.max");
        least(of_version_1.iter().chain(&of_version_2))
    }

    fn memory(&self) -> String {
        let mut values = self.values("memory", "memory.limit_in_bytes");
        values.extend(self.values("", "memory.max"));
        values.extend(self.values("", "memory.high"));
        least(&values)
    }

    fn throttled(&self) -> u64 {
        let mut stats = self.values("cpu", "cpu.stat");
        stats.extend(self.values("", "cpu.stat"));
        let lines = stats.iter().flat_map(|stat| stat.lines());
        let counts = lines.filter_map(|line| line.strip_prefix("nr_throttled "));
        counts
            .filter_map(|count| count.parse().ok())
            .max()
            .unwrap_or(0)
    }
}

/// The first number of each, the least of which counts; the kernel writes none, -1, or one that no
/// machine has where there is no limit.
fn least<'a>(values: impl IntoIterator<Item = &'a String>) -> String {
    let first = |value: &String| value.split_whitespace().next()?.parse::<u64>().ok();
    let limit = values.into_iter().filter_map(first).min();
    let real = limit.filter(|&limit| limit < 1 << 60);
    real.map_or_else(|| "no limit".to_owned(), |limit| limit.to_string())
}

/// Variables that change what the allocators do.
fn is_malloc_setting(name: &str) -> bool {
    name.starts_with("MALLOC_")
        || name.contains("MALLOC_CONF")
        || ["LD_PRELOAD", "GLIBC_TUNABLES"].contains(&name)
}

/// Variables that change what cargo and rustc make of the same sources.
fn is_build_setting(name: &str) -> bool {
    name.contains("RUSTFLAGS")
        || ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_"]
            .iter()
            .any(|start| name.starts_with(start) && name != "CARGO_TARGET_DIR")
        || ["RUSTC", "RUSTC_WRAPPER", "RUSTUP_TOOLCHAIN"].contains(&name)
}

fn settings(chosen: fn(&str) -> bool) -> String {
    let settings: Vec<String> = std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value))
        .filter(|(name, _)| chosen(name))
        .map(|(name, value)| format!("{name}={}", value.to_string_lossy()))
        .collect();
    if settings.is_empty() {
        "none in the environment".to_owned()
    } else {
        settings.join(" ")
    }
}

/// The commit of the workspace, and whether its files are those of the commit.
fn commit(workspace: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(workspace).args(arguments).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let commit = git(&["rev-parse", "HEAD"])?;
    let state = match git(&["status", "--porcelain"])?.lines().count() {
        0 => "clean".to_owned(),
        changed => format!("{changed} files changed"),
    };
    Some(format!("{}, {state}", commit.trim_end()))
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

    /// A machine that has both versions: the group's own file, not that of the root.
    #[test]
    fn limits_are_those_of_the_own_groups_and_of_those_above() {
        let dir = tempfile::tempdir().unwrap();
        let groups = ControlGroups {
            root: dir.path().to_owned(),
            own: "4:cpu,cpuacct:/box/job\n2:memory:/box\n0::/box\n".to_owned(),
        };
        let write = |file: &str, text: &str| {
            let file = dir.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        assert_eq!(groups.processor_quota(), "no limit");
        write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        write("cpu,cpuacct/box/job/cpu.cfs_quota_us", "50000\n");
        write(
            "cpu,cpuacct/box/job/cpu.stat",
            "nr_periods 9\nnr_throttled 4\n",
        );
        write("unified/box/cpu.max", "max 100000\n");
        assert_eq!(groups.processor_quota(), "50000");
        assert_eq!(groups.throttled(), 4);
        write("unified/box/cpu.max", "20000 100000\n");
        assert_eq!(groups.processor_quota(), "20000");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("unified/box/memory.max", "max\n");
        assert_eq!(groups.memory(), "no limit");
        write("unified/box/memory.high", "600\n");
        assert_eq!(groups.memory(), "600");
    }

    #[test]
    fn throttling_shows_between_two_readings() {
        let with = |count: &str| Environment::default().with(THROTTLED, count.to_owned());
        assert!(Environment::throttled_between(&with("3"), &with("4")));
        assert!(!Environment::throttled_between(&with("4"), &with("4")));
    }
}
