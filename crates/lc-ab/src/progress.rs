//! What a session is doing and how long it will still take: a bar on a terminal, lines in a log
//! file. Nothing here decides anything.

use std::{
    collections::{BTreeMap, VecDeque},
    io::{self, IsTerminal},
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// How far apart the lines of steps are in a log, which are many more than stages.
const STEP_LINES: Duration = Duration::from_secs(15);

/// Steps of one kind take times that are alike, but for a factor that shows as they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Build,
    Process,
    Look,
}

pub struct Progress {
    bar: ProgressBar,
    lines: bool,
    state: Mutex<State>,
}

struct State {
    started: Instant,
    /// When the last step ended.
    mark: Instant,
    last_line: Option<Instant>,
    work: BTreeMap<Kind, Work>,
}

/// Seconds.
#[derive(Default)]
struct Work {
    /// Of each step that is left.
    left: VecDeque<f64>,
    expected: f64,
    taken: f64,
}

impl Work {
    fn seconds_left(&self) -> f64 {
        let scale = if self.expected > 0.0 {
            self.taken / self.expected
        } else {
            1.0
        };
        scale * self.left.iter().sum::<f64>()
    }

    fn done(&mut self, seconds: f64) {
        self.expected += self.left.pop_front().unwrap_or_default();
        self.taken += seconds;
    }
}

impl Progress {
    /// Shows on standard error the progress of steps that are expected to take so many
    /// seconds each.
    pub fn new(steps: impl IntoIterator<Item = (Kind, f64)>) -> Self {
        let mut work: BTreeMap<Kind, Work> = BTreeMap::new();
        for (kind, seconds) in steps {
            work.entry(kind).or_default().left.push_back(seconds);
        }
        let terminal = io::stderr().is_terminal();
        let bar = if terminal {
            let steps = work.values().map(|work| work.left.len() as u64).sum();
            let style = ProgressStyle::with_template("{spinner} {bar:20} {msg}");
            let bar = ProgressBar::new(steps).with_style(style.expect("a valid template"));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self::showing(bar, !terminal, work)
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self::showing(ProgressBar::hidden(), false, BTreeMap::new())
    }

    fn showing(bar: ProgressBar, lines: bool, work: BTreeMap<Kind, Work>) -> Self {
        let now = Instant::now();
        Self {
            bar,
            lines,
            state: Mutex::new(State {
                started: now,
                mark: now,
                last_line: None,
                work,
            }),
        }
    }

    /// A new stage begins: a line in a terminal and in a log.
    pub fn stage(&self, what: &str) {
        let line = self.line(what);
        if self.lines {
            eprintln!("{line}");
        } else {
            self.bar.println(&line);
            self.bar.set_message(line);
        }
        self.state().last_line = Some(Instant::now());
    }

    /// A step of a stage begins: shown in place on a terminal, and now and then in a log.
    pub fn step(&self, what: &str) {
        let due = |last: Option<Instant>| last.is_none_or(|last| last.elapsed() >= STEP_LINES);
        if !self.lines {
            self.bar.set_message(self.line(what));
        } else if due(self.state().last_line) {
            self.stage(what);
        }
    }

    /// A step of this kind is over.
    pub fn done(&self, kind: Kind) {
        let mut state = self.state();
        let seconds = state.mark.elapsed().as_secs_f64();
        state.mark = Instant::now();
        state.work.entry(kind).or_default().done(seconds);
        self.bar.inc(1);
    }

    /// A step of this kind is left out.
    pub fn skip(&self, kind: Kind) {
        self.state().work.entry(kind).or_default().left.pop_front();
        self.bar.inc(1);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, what: &str) -> String {
        let state = self.state();
        let left = state.work.values().map(Work::seconds_left).sum();
        let taken = state.started.elapsed().as_secs();
        format!(
            "[{}:{:02}] {what}; {}",
            taken / 60,
            taken % 60,
            in_words(left)
        )
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics with it")
    }
}

fn in_words(seconds_left: f64) -> String {
    match (seconds_left / 60.0).ceil() as u64 {
        0 | 1 => "less than a minute left".to_owned(),
        minutes => format!("about {minutes} minutes left"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_follows_what_the_others_took() {
        let mut work = Work {
            left: VecDeque::from([150.0, 50.0, 50.0]),
            ..Work::default()
        };
        assert_eq!(work.seconds_left(), 250.0);
        work.done(300.0);
        assert_eq!(work.seconds_left(), 200.0);
        work.done(0.0);
        assert_eq!(work.seconds_left(), 75.0);
    }

    #[test]
    fn minutes_are_begun_ones() {
        assert_eq!(in_words(59.0), "less than a minute left");
        assert_eq!(in_words(61.0), "about 2 minutes left");
    }
}
