//! Memory: what the machine and the control groups around this process have left, and what the
//! process has used at most. Linux only; elsewhere, and where the system does not say, nothing is
//! known, and nothing refused.
//!
//! What a synthesis will need is known to what it is synthesized into (`synthesize`).

use std::{fs, path::Path};

use anyhow::{bail, Context, Result};
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

/// How much memory can still be used, how much swap beside it, and what sets that bound.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Room {
    bytes: u64,
    swap_bytes: u64,
    of: String,
}

/// The memory that this process may take.
pub struct Memory {
    /// Not known, if the system does not say.
    room: Option<Room>,
    allow_swap: bool,
}

impl Memory {
    /// What is left around this process, where that is least: in the machine or a control group.
    /// With `allow_swap`, free swap counts as memory.
    pub fn here(allow_swap: bool) -> Memory {
        let rooms = Meminfo::current().map_or_else(
            |_| Vec::new(),
            |machine| Room::all(machine.mem_available, machine.swap_free),
        );
        Memory::tightest(rooms, allow_swap)
    }

    fn tightest(rooms: Vec<Room>, allow_swap: bool) -> Memory {
        let usable = |room: &Room| room.usable_bytes(allow_swap);
        Memory {
            room: rooms.into_iter().min_by_key(usable),
            allow_swap,
        }
    }

    /// How much can be used, if that is known.
    pub fn usable_bytes(&self) -> Option<u64> {
        let room = self.room.as_ref()?;
        Some(room.usable_bytes(self.allow_swap))
    }

    /// Asks for memory. Answers with the line that says how much is going to be used.
    ///
    /// # Errors
    /// There is known to be less. `advice` says how to do with less.
    pub fn ask(&self, needed_bytes: u64, advice: &str) -> Result<String> {
        let needed = BinaryBytes(needed_bytes);
        let Some(room) = &self.room else {
            return Ok(format!(
                "memory: up to {needed} needed, and what is left cannot be read"
            ));
        };
        let left = BinaryBytes(room.bytes);
        let of = &room.of;
        let swap = match (room.swap_bytes, self.allow_swap) {
            (0, _) => String::new(),
            (bytes, true) => format!(" with {} of swap", BinaryBytes(bytes)),
            (bytes, false) => format!(", beside {} of swap", BinaryBytes(bytes)),
        };
        if needed_bytes > room.usable_bytes(self.allow_swap) {
            bail!(
                "not enough memory: up to {needed} are needed, {left} are left in {of}{swap} \
                 ({advice})"
            );
        }
        let swap = if self.allow_swap { &swap } else { "" };
        Ok(format!(
            "memory: up to {needed} needed, {left} left in {of}{swap}"
        ))
    }
}

impl Room {
    fn usable_bytes(&self, allow_swap: bool) -> u64 {
        let swap_bytes = if allow_swap { self.swap_bytes } else { 0 };
        self.bytes.saturating_add(swap_bytes)
    }

    /// Of the machine, if it says, and of the control groups that bound this process.
    fn all(machine_bytes: Option<u64>, swap_bytes: u64) -> Vec<Room> {
        let machine = machine_bytes.map(|bytes| Room {
            bytes,
            swap_bytes,
            of: "the machine".to_owned(),
        });
        let groups = Process::myself().and_then(|process| process.cgroups());
        let groups = groups.into_iter().flatten().filter_map(|group| {
            let first_version = group.controllers.iter().any(|name| name == "memory");
            // Of the second version there is one hierarchy, numbered 0, for all controllers.
            if first_version {
                let root = Path::new("/sys/fs/cgroup/memory");
                Room::of_group(Version::One, root, &group.pathname, swap_bytes)
            } else if group.hierarchy == 0 {
                let root = Path::new("/sys/fs/cgroup");
                Room::of_group(Version::Two, root, &group.pathname, swap_bytes)
            } else {
                None
            }
        });
        groups.chain(machine).collect()
    }

    /// The smallest of the control group `path` below `root` and the groups that it is in. A group
    /// without a limit, or which a container does not show, bounds nothing.
    fn of_group(
        version: Version,
        root: &Path,
        path: &str,
        machine_swap_bytes: u64,
    ) -> Option<Room> {
        let group = root.join(path.trim_start_matches('/'));
        let above = group.ancestors();
        let above = above.take_while(|folder| folder.starts_with(root));
        above
            .filter_map(|folder| {
                let (bytes, swap_bytes) = match version {
                    Version::One => left_in_one(folder),
                    Version::Two => left_in_two(folder),
                }?;
                Some(Room {
                    bytes,
                    swap_bytes: swap_bytes.unwrap_or(u64::MAX).min(machine_swap_bytes),
                    of: format!("the control group {}", folder.display()),
                })
            })
            .min_by_key(|room| room.bytes)
    }
}

/// Of a hierarchy of control groups.
#[derive(Clone, Copy)]
enum Version {
    One,
    Two,
}

/// What is left to a group: of memory, and of swap where that has a limit. The page cache that
/// gives way is not counted as used.
type Left = (u64, Option<u64>);

fn left_in_one(folder: &Path) -> Option<Left> {
    let read = |name| number(&folder.join(name));
    let cache = reclaimable(folder, "total_inactive_file");
    let left = |limit: u64, usage: u64| limit.saturating_sub(usage.saturating_sub(cache));
    let bytes = left(
        read("memory.limit_in_bytes")?,
        read("memory.usage_in_bytes")?,
    );
    // These count memory and swap together.
    let both = read("memory.memsw.limit_in_bytes").zip(read("memory.memsw.usage_in_bytes"));
    let swap = both.map(|(limit, usage)| left(limit, usage).saturating_sub(bytes));
    Some((bytes, swap))
}

fn left_in_two(folder: &Path) -> Option<Left> {
    let read = |name| number(&folder.join(name));
    // Above the soft limit, the kernel slows the group down and takes memory back.
    let limits = [read("memory.max"), read("memory.high")];
    let limit = limits.into_iter().flatten().min()?;
    let used = read("memory.current")?.saturating_sub(reclaimable(folder, "inactive_file"));
    let swap = read("memory.swap.max").zip(read("memory.swap.current"));
    let swap = swap.map(|(limit, usage)| limit.saturating_sub(usage));
    Some((limit.saturating_sub(used), swap))
}

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
        let room = Room::of_group(Version::Two, root.path(), "/jobs/one/free", 0).unwrap();
        assert_eq!(room.bytes, 450);
        assert!(room.of.ends_with("/jobs"), "{}", room.of);
        let room = Room::of_group(Version::Two, root.path(), "/elsewhere", 0);
        assert!(room.is_none(), "a group that is not shown bounds nothing");
    }

    #[test]
    fn a_soft_limit_bounds_too() {
        let root = hierarchy(&[
            ("soft/memory.high", "600\n"),
            ("soft/memory.max", "max\n"),
            ("soft/memory.current", "100\n"),
            ("both/memory.high", "600\n"),
            ("both/memory.max", "400\n"),
            ("both/memory.current", "100\n"),
        ]);
        let left = |path| Room::of_group(Version::Two, root.path(), path, 0).map(|room| room.bytes);
        assert_eq!(left("/soft"), Some(500));
        assert_eq!(left("/both"), Some(300));
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
        let room = Room::of_group(Version::One, root.path(), "/job", 0);
        assert_eq!(room.unwrap().bytes, 500);
    }

    #[test]
    fn a_group_bounds_swap() {
        let root = hierarchy(&[
            ("memory.max", "1000\n"),
            ("memory.current", "100\n"),
            ("memory.swap.max", "300\n"),
            ("memory.swap.current", "50\n"),
            ("memory.limit_in_bytes", "1000\n"),
            ("memory.usage_in_bytes", "100\n"),
            ("memory.memsw.limit_in_bytes", "1500\n"),
            ("memory.memsw.usage_in_bytes", "120\n"),
        ]);
        let swap = |version, machine| {
            let room = Room::of_group(version, root.path(), "/", machine);
            room.unwrap().swap_bytes
        };
        assert_eq!(swap(Version::Two, 9999), 250);
        assert_eq!(swap(Version::Two, 7), 7);
        assert_eq!(swap(Version::One, 9999), 480);
    }

    fn room(bytes: u64, swap_bytes: u64) -> Room {
        let of = "the machine".to_owned();
        Room {
            bytes,
            swap_bytes,
            of,
        }
    }

    #[test]
    fn more_than_there_is_gets_refused() {
        let advice = "take less";
        let refusal = |memory: &Memory| memory.ask(3 << 20, advice).unwrap_err().to_string();

        let memory = Memory::tightest(vec![room(1 << 20, 0)], false);
        let error = refusal(&memory);
        assert!(error.starts_with("not enough memory"), "{error}");
        assert!(!error.contains("swap") && !error.contains('\n'), "{error}");
        assert!(error.ends_with("(take less)"), "{error}");
        memory.ask(1 << 20, advice).unwrap();

        let memory = Memory::tightest(vec![room(1 << 20, 2 << 20)], false);
        let error = refusal(&memory);
        assert!(error.contains("beside 2.00 MiB of swap"), "{error}");
        let memory = Memory::tightest(vec![room(1 << 20, 2 << 20)], true);
        memory.ask(3 << 20, advice).unwrap();

        // With swap, another room can be the tightest.
        let rooms = vec![room(1 << 20, 9 << 20), room(2 << 20, 0)];
        refusal(&Memory::tightest(rooms, true));
    }

    #[test]
    fn a_system_that_does_not_say_refuses_nothing() {
        let memory = Memory::tightest(Vec::new(), false);
        assert_eq!(memory.usable_bytes(), None);
        memory.ask(u64::MAX, "").unwrap();
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
