//! Running one program to its end: on given processors, within a time, until the user interrupts,
//! and with nothing of it left running afterwards. What its output means is left to others.

use std::{
    collections::BTreeSet,
    fs,
    io::Read,
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sched::{sched_getaffinity, sched_setaffinity, CpuSet},
    sys::{
        resource::{getrusage, Usage, UsageWho},
        signal::{killpg, Signal},
        wait::{waitid, Id, WaitPidFlag, WaitStatus},
    },
    unistd::Pid,
};
use thiserror::Error;

/// How often a running program is looked at; its own clock is what is measured with.
const POLL: Duration = Duration::from_millis(10);
/// What a program gets to tidy up when it is told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// Under what a program runs.
pub struct Conditions<'a> {
    pub timeout: Duration,
    /// Becomes true when the user wants to stop.
    pub interrupted: &'a AtomicBool,
    /// The processors to run on; any if `None`.
    pub cpus: Option<&'a [usize]>,
}

/// A program that has ended by itself.
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
    pub user_seconds: f64,
    pub system_seconds: f64,
    pub minor_faults: u64,
    pub major_faults: u64,
    pub involuntary_switches: u64,
}

impl Finished {
    /// The end of what it wrote to standard error, for a message.
    pub fn last_words(&self) -> String {
        let lines: Vec<&str> = self.stderr.trim_end().lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }
}

#[derive(Debug, Error)]
pub enum Stopped {
    #[error("it did not end within {} and was killed (--timeout)", humantime::format_duration(*.0))]
    TimedOut(Duration),
    #[error("interrupted")]
    Interrupted,
    #[error("it could not be run: {0}")]
    NotRun(#[from] std::io::Error),
}

/// Runs `command` with nothing on its standard input, in a process group of its own.
pub fn run(mut command: Command, conditions: &Conditions) -> Result<Finished, Stopped> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let before = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(std::io::Error::from)?;
    let start = Instant::now();
    let mut child = spawn_on(&mut command, conditions.cpus)?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());

    let stopped = wait(&child, start, conditions).err();
    let seconds = start.elapsed().as_secs_f64();
    if stopped.is_some() {
        ask_to_end(&child)?;
    }
    // Whatever it started and left behind would disturb the next, and keep the pipes open. As long
    // as the child is not waited for, its number is no other group's.
    let _ = killpg(group_of(&child), Signal::SIGKILL);
    let status = child.wait()?;
    let (stdout, stderr) = (join(stdout), join(stderr));
    let after = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(std::io::Error::from)?;

    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    let spent = |count: fn(&Usage) -> i64| (count(&after) - count(&before)).max(0) as u64;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    Ok(Finished {
        status,
        stdout,
        stderr,
        seconds,
        user_seconds: (micros(after.user_time()) - micros(before.user_time())) as f64 / 1e6,
        system_seconds: (micros(after.system_time()) - micros(before.system_time())) as f64 / 1e6,
        minor_faults: spent(Usage::minor_page_faults),
        major_faults: spent(Usage::major_page_faults),
        involuntary_switches: spent(Usage::involuntary_context_switches),
    })
}

/// The processors that this process may use, in ascending order; none if that cannot be known.
pub fn allowed_cpus() -> Vec<usize> {
    let set = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    (0..CpuSet::count())
        .filter(|&cpu| set.is_set(cpu).unwrap_or(false))
        .collect()
}

/// A bit for each signal, the lowest for the first, that this process was started to ignore; none
/// if that cannot be known.
pub fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

/// The processors that a program of so many threads is pinned to; `None` where there are not
/// enough.
pub fn cpus_for(threads: usize) -> Option<Vec<usize>> {
    choose(threads, &allowed_cpus(), &|cpu| {
        let topology = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        // Where nothing is said, each is a core of its own.
        fs::read_to_string(topology).unwrap_or(cpu.to_string())
    })
}

/// The last that are allowed, the first being where a system does its own work; and of each core
/// one, as long as there are cores.
fn choose(
    threads: usize,
    allowed: &[usize],
    core_of: &dyn Fn(usize) -> String,
) -> Option<Vec<usize>> {
    if threads > allowed.len() {
        return None;
    }
    let mut cores = BTreeSet::new();
    let (first_of_core, siblings): (Vec<usize>, Vec<usize>) = allowed
        .iter()
        .rev()
        .partition(|&&cpu| cores.insert(core_of(cpu)));
    let mut chosen: Vec<usize> = first_of_core
        .into_iter()
        .chain(siblings)
        .take(threads)
        .collect();
    chosen.sort();
    Some(chosen)
}

/// A child inherits the processors of the thread that starts it. Where the kernel pins nothing, it
/// runs on any.
fn spawn_on(command: &mut Command, cpus: Option<&[usize]>) -> std::io::Result<Child> {
    let this_thread = Pid::from_raw(0);
    let (Some(cpus), Ok(own)) = (cpus, sched_getaffinity(this_thread)) else {
        return command.spawn();
    };
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu)?;
    }
    let pinned = sched_setaffinity(this_thread, &set);
    let child = command.spawn();
    if pinned.is_ok() {
        sched_setaffinity(this_thread, &own)?;
    }
    child
}

fn wait(child: &Child, start: Instant, conditions: &Conditions) -> Result<(), Stopped> {
    loop {
        if has_ended(child)? {
            return Ok(());
        }
        if conditions.interrupted.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        if start.elapsed() >= conditions.timeout {
            return Err(Stopped::TimedOut(conditions.timeout));
        }
        thread::sleep(POLL);
    }
}

/// Looks without waiting for it, so that its number stays its own.
fn has_ended(child: &Child) -> std::io::Result<bool> {
    let looking = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let status = waitid(Id::Pid(group_of(child)), looking)?;
    Ok(status != WaitStatus::StillAlive)
}

/// So that it can remove its files. The caller insists afterwards.
fn ask_to_end(child: &Child) -> std::io::Result<()> {
    let _ = killpg(group_of(child), Signal::SIGINT);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && !has_ended(child)? {
        thread::sleep(POLL);
    }
    Ok(())
}

fn group_of(child: &Child) -> Pid {
    Pid::from_raw(child.id() as i32)
}

type Collected = thread::JoinHandle<Vec<u8>>;

fn collect(pipe: Option<impl Read + Send + 'static>) -> Collected {
    let mut pipe = pipe.expect("the pipe was asked for");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read is what there is to judge.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

fn join(collected: Collected) -> String {
    let bytes = collected.join().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, conditions: &Conditions) -> Result<Finished, Stopped> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, conditions)
    }

    fn within(timeout: Duration, interrupted: &AtomicBool) -> Conditions<'_> {
        Conditions {
            timeout,
            interrupted,
            cpus: None,
        }
    }

    #[test]
    fn output_and_status_are_kept() {
        let never = AtomicBool::new(false);
        let finished = shell(
            "echo out; echo err >&2; exit 7",
            &within(Duration::from_secs(60), &never),
        )
        .unwrap();
        assert_eq!(finished.status.code(), Some(7));
        assert_eq!(
            (finished.stdout.as_str(), finished.last_words().as_str()),
            ("out\n", "err")
        );
    }

    /// The grandchild ignores the request to stop and would hold the pipe open for ever.
    #[test]
    fn a_hanging_group_is_killed_to_the_last() {
        let never = AtomicBool::new(false);
        let ended = shell(
            "trap '' INT; sleep 1000 & sleep 1000",
            &within(Duration::from_millis(200), &never),
        );
        assert!(matches!(ended, Err(Stopped::TimedOut(_))));
    }

    #[test]
    fn what_it_leaves_running_is_killed_and_not_waited_for() {
        let never = AtomicBool::new(false);
        let finished = shell(
            "sleep 1000 & echo done",
            &within(Duration::from_secs(60), &never),
        )
        .unwrap();
        assert_eq!(finished.stdout, "done\n");
    }

    #[test]
    fn an_interrupt_ends_it() {
        let now = AtomicBool::new(true);
        let ended = shell("sleep 1000", &within(Duration::from_secs(60), &now));
        assert!(matches!(ended, Err(Stopped::Interrupted)));
    }

    #[test]
    fn it_runs_where_it_is_told_to() {
        let never = AtomicBool::new(false);
        let last = *allowed_cpus().last().unwrap();
        let mut conditions = within(Duration::from_secs(60), &never);
        let cpus = [last];
        conditions.cpus = Some(&cpus);
        let finished = shell("grep Cpus_allowed_list /proc/self/status", &conditions).unwrap();
        assert_eq!(
            finished.stdout.split_whitespace().last(),
            Some(last.to_string().as_str())
        );
        assert!(allowed_cpus().contains(&last));
    }

    #[test]
    fn processors_are_the_last_ones_and_of_different_cores() {
        let of_its_own = |cpu: usize| cpu.to_string();
        assert_eq!(choose(1, &[0, 1], &of_its_own), Some(vec![1]));
        assert_eq!(choose(2, &[2, 5, 7], &of_its_own), Some(vec![5, 7]));
        assert_eq!(choose(3, &[0, 1], &of_its_own), None);
        let pairs = |cpu: usize| (cpu / 2).to_string();
        assert_eq!(choose(2, &[0, 1, 2, 3], &pairs), Some(vec![1, 3]));
        assert_eq!(choose(3, &[0, 1, 2, 3], &pairs), Some(vec![1, 2, 3]));
    }

    #[test]
    fn a_missing_program_is_said_to_be_missing() {
        let never = AtomicBool::new(false);
        let ended = run(
            Command::new("/nowhere/at/all"),
            &within(Duration::from_secs(1), &never),
        );
        assert!(matches!(ended, Err(Stopped::NotRun(_))));
    }
}
