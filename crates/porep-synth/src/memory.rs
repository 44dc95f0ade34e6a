//! Memory: what the machine and the control groups around this process have left, and what the
//! process has used at most. Linux only.
//!
//! What a synthesis will need is known to what it is synthesized into (`synthesize`).

use std::{fs, path::Path};

use anyhow::{ensure, Context, Result};
use indicatif::BinaryBytes;
use procfs::{process::Process, Current, Meminfo};

/// The most resident bytes this process image has had (`VmHWM`, which does not survive exec).
///
/// # Errors
/// `/proc` is not there or does not say.
pub fn peak_rss_bytes() -> Result<u64> {
    let status = Process::myself()?.status()?;
    let kib = status.vmhwm.context("/proc/self/status has no VmHWM")?;
    Ok(kib * 1024)
}

/// How much memory can still be used, and what sets that bound.
pub struct Room {
    pub bytes: u64,
    of: String,
}

impl Room {
    /// Says on standard error how much of it is going to be used.
    ///
    /// # Errors
    /// There is not so much.
    pub fn announce(&self, needed_bytes: u64) -> Result<()> {
        let Room { bytes, of } = self;
        ensure!(
            needed_bytes <= *bytes,
            "not enough memory: up to {} are needed, {} are left in {of} (try --reserve, --stream or fewer partitions)",
            BinaryBytes(needed_bytes),
            BinaryBytes(*bytes),
        );
        eprintln!(
            "memory: up to {} needed, {} left in {of}",
            BinaryBytes(needed_bytes),
            BinaryBytes(*bytes),
        );
        Ok(())
    }

    /// What is left around this process, where that is least: in the machine or a control group.
    ///
    /// # Errors
    /// `/proc` is not there or does not say.
    pub fn here() -> Result<Room> {
        let machine = Room {
            bytes: Meminfo::current()?
                .mem_available
                .context("/proc/meminfo has no MemAvailable")?,
            of: "the machine".to_owned(),
        };
        let groups = Process::myself()?.cgroups()?;
        let rooms = groups.into_iter().filter_map(|group| {
            let first_version = group.controllers.iter().any(|name| name == "memory");
            // Of the second version there is one hierarchy, numbered 0, for all controllers.
            if first_version {
                Room::of_group(&V1, Path::new("/sys/fs/cgroup/memory"), &group.pathname)
            } else if group.hierarchy == 0 {
                Room::of_group(&V2, Path::new("/sys/fs/cgroup"), &group.pathname)
            } else {
                None
            }
        });
        let rooms = rooms.chain([machine]);
        rooms
            .min_by_key(|room| room.bytes)
            .context("the machine is one")
    }

    /// The smallest of the control group `path` below `root` and the groups that it is in. A group
    /// without a limit, or which a container does not show, bounds nothing.
    fn of_group(version: &Version, root: &Path, path: &str) -> Option<Room> {
        let group = root.join(path.trim_start_matches('/'));
        group
            .ancestors()
            .take_while(|folder| folder.starts_with(root))
            .filter_map(|folder| {
                let limit = number(&folder.join(version.limit))?;
                let usage = number(&folder.join(version.usage))?;
                let used = usage.saturating_sub(reclaimable(folder, version.reclaimable));
                Some(Room {
                    bytes: limit.saturating_sub(used),
                    of: format!("the control group {}", folder.display()),
                })
            })
            .min_by_key(|room| room.bytes)
    }
}

/// The names of a hierarchy's files, by its version.
struct Version {
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` with the page cache that gives way, for the group and below.
    reclaimable: &'static str,
}

const V1: Version = Version {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};
const V2: Version = Version {
    limit: "memory.max",
    usage: "memory.current",
    reclaimable: "inactive_file",
};

/// The number in a file, if it is there and has one ("max" is none).
fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn reclaimable(folder: &Path, name: &str) -> u64 {
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    stat.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(key, _)| *key == name)
        .and_then(|(_, bytes)| bytes.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn hierarchy(files: &[(&str, &str)]) -> TempDir {
        let root = TempDir::new().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        root
    }

    #[test]
    fn the_tightest_group_above_counts() {
        let root = hierarchy(&[
            ("jobs/memory.max", "1000\n"),
            ("jobs/memory.current", "700\n"),
            (
                "jobs/memory.stat",
                "anon 500\ninactive_file 150\nactive_file 50\n",
            ),
            ("jobs/one/memory.max", "800\n"),
            ("jobs/one/memory.current", "100\n"),
            ("jobs/one/free/memory.max", "max\n"),
            ("jobs/one/free/memory.current", "90\n"),
        ]);
        let room = Room::of_group(&V2, root.path(), "/jobs/one/free").unwrap();
        assert_eq!(room.bytes, 450);
        assert!(room.of.ends_with("/jobs"), "{}", room.of);
        let room = Room::of_group(&V2, root.path(), "/elsewhere");
        assert!(room.is_none(), "a group that is not shown bounds nothing");
    }

    #[test]
    fn the_first_version_has_other_names() {
        let root = hierarchy(&[
            ("memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory.usage_in_bytes", "5000\n"),
            ("job/memory.limit_in_bytes", "3000\n"),
            ("job/memory.usage_in_bytes", "4000\n"),
            ("job/memory.stat", "total_inactive_file 1500\n"),
        ]);
        assert_eq!(Room::of_group(&V1, root.path(), "/job").unwrap().bytes, 500);
    }

    #[test]
    fn more_than_there_is_gets_refused() {
        let room = Room::here().unwrap();
        let error = room.announce(u64::MAX).unwrap_err().to_string();
        assert!(error.starts_with("not enough memory"), "{error}");
        assert!(!error.contains('\n'), "{error}");
        room.announce(1 << 20).unwrap();
    }

    #[test]
    fn the_peak_is_of_this_process() {
        let before = peak_rss_bytes().unwrap();
        let block = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = peak_rss_bytes().unwrap();
        assert!(after >= block.len() as u64, "{after}");
        assert!(after >= before);
    }
}
