//! Makes a program that loses as short as it can be.

use std::time::{Duration, Instant};

use super::program::*;
use super::{Loser, Ratio};

/// A shorter program is taken if it loses at least this part of what the longer one lost.
const KEPT: f64 = 0.85;

/// How often a program has to lose in the end, with nothing changed.
const CONFIRMED: usize = 2;

/// The shortest program found in this time, or `None` if the loser turns out to be none.
pub fn shrunk(
    loser: &Loser,
    time: Duration,
    measure: &mut dyn FnMut(&Program) -> Option<Ratio>,
) -> Option<Loser> {
    let start = Instant::now();
    let mut best = confirmed(loser, measure)?;
    let enough = 1.0 + (best.ratio.excess() - 1.0) * KEPT;
    let mut shorter = shorter(&best.program).into_iter();
    while let Some(program) = shorter.next() {
        if start.elapsed() > time {
            break;
        }
        let loser = measure(&program).map(|ratio| Loser { ratio, program });
        let loses = |loser: &Loser| loser.ratio.excess() >= enough;
        let loser = loser.filter(loses);
        if let Some(loser) = loser
            .and_then(|loser| confirmed(&loser, measure))
            .filter(loses)
        {
            shorter = self::shorter(&loser.program).into_iter();
            best = loser;
        }
    }
    Some(best)
}

/// The loser with the least of its ratios, if it loses each time: an interrupted measurement is no
/// loss.
fn confirmed(loser: &Loser, measure: &mut dyn FnMut(&Program) -> Option<Ratio>) -> Option<Loser> {
    let mut least = loser.clone();
    for _ in 0..CONFIRMED {
        let ratio = measure(&loser.program)?;
        if ratio.excess() < least.ratio.excess() {
            least.ratio = ratio;
        }
    }
    (least.ratio.excess() > 1.0).then_some(least)
}

/// Programs that are a little shorter or simpler.
fn shorter(program: &Program) -> Vec<Program> {
    let measured = shorter_steps(&program.measured).into_iter();
    let measured = measured.map(|measured| Program {
        measured,
        ..program.clone()
    });
    let setup = shorter_steps(&program.setup).into_iter();
    let setup = setup.map(|setup| Program {
        setup,
        ..program.clone()
    });
    let lists = program.lists.iter().enumerate();
    let lists = lists.flat_map(|(list, terms)| {
        simpler_terms(terms).into_iter().map(move |terms| {
            let mut program = program.clone();
            program.lists[list] = terms;
            program
        })
    });
    measured.chain(setup).chain(lists).collect()
}

fn shorter_steps(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    let mut replace = |at: usize, by: Vec<Step>| {
        let mut changed = steps.to_vec();
        changed.splice(at..=at, by);
        all.push(changed);
    };
    for at in 0..steps.len() {
        replace(at, vec![]);
    }
    for (at, step) in steps.iter().enumerate() {
        if let Step::Repeat(times, steps) = step {
            replace(at, steps.clone());
            replace(at, vec![Step::Repeat(times / 2, steps.clone())]);
            for steps in shorter_steps(steps) {
                replace(at, vec![Step::Repeat(*times, steps)]);
            }
        }
        for simpler in simpler(step) {
            replace(at, vec![simpler]);
        }
    }
    all
}

/// The step with each of its parts in turn made the simplest one, where it is not.
fn simpler(step: &Step) -> Vec<Step> {
    let mut all = Vec::new();
    let unscaled = |by: By| {
        let scales = [None, Some(Scale::Random)].map(|scale| By { scale, ..by });
        let [plain, random] = scales;
        let all = [By { minus: false, ..by }, plain, random];
        let known = |other: &By| *other != by && (by.scale.is_some() || other.scale.is_none());
        all.into_iter().filter(known).collect::<Vec<_>>()
    };
    match *step {
        Step::Push(to, list, push, read) => {
            if push != Push::Term {
                all.push(Step::Push(to, list, Push::Term, read));
            }
            if read.is_some() {
                all.push(Step::Push(to, list, push, None));
            }
        }
        Step::Combine(to, from, by) => {
            all.extend(
                unscaled(by)
                    .into_iter()
                    .map(|by| Step::Combine(to, from, by)),
            );
        }
        Step::Parts(list, parts) => {
            let Parts { of, .. } = parts;
            let fewer = [of / 2, of - 1].map(|of| Parts {
                of: of.max(1),
                ..parts
            });
            let simple = Parts {
                push: Push::Term,
                ..parts
            };
            let others = [
                simple,
                Parts {
                    read: None,
                    ..parts
                },
                Parts {
                    keep: false,
                    ..parts
                },
            ];
            let simpler = fewer
                .into_iter()
                .chain(others)
                .filter(|other| *other != parts);
            all.extend(simpler.map(|parts| Step::Parts(list, parts)));
        }
        Step::Collect(to, by, collect) => {
            all.extend(
                unscaled(by)
                    .into_iter()
                    .map(|by| Step::Collect(to, by, collect)),
            );
            let simpler = [
                Collect {
                    read: None,
                    ..collect
                },
                Collect {
                    clone: false,
                    ..collect
                },
            ];
            let simpler = simpler.into_iter().filter(|other| *other != collect);
            all.extend(simpler.map(|collect| Step::Collect(to, by, collect)));
        }
        Step::Read(from, read) if read != Read::Len => {
            all.push(Step::Read(from, Read::Len));
            if read != Read::EvalRandom {
                all.push(Step::Read(from, Read::EvalRandom));
            }
        }
        Step::DropKept(Thread::Another) => all.push(Step::DropKept(Thread::This)),
        _ => {}
    }
    all
}

fn simpler_terms(terms: &Terms) -> Vec<Terms> {
    let Terms { len, coeffs, .. } = *terms;
    let shorter = [len / 2, len * 3 / 4, len.saturating_sub(1)];
    let shorter = shorter.map(|len| Terms { len, ..*terms });
    let mut simpler = vec![
        Terms {
            kinds: Kinds::Aux,
            ..*terms
        },
        Terms { start: 0, ..*terms },
        Terms {
            stride: 1,
            ..*terms
        },
        Terms {
            order: Order::Ascending,
            ..*terms
        },
        Terms {
            coeffs: Coeffs::One,
            ..*terms
        },
    ];
    if coeffs != Coeffs::One {
        simpler.push(Terms {
            coeffs: Coeffs::Random,
            ..*terms
        });
    }
    let all = shorter.into_iter().chain(simpler);
    all.filter(|other| other != terms).collect()
}
