//! Combinations that move between threads, outlive the thread that made them, or are built and
//! dropped while a thread's local values are being destroyed.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::sync::mpsc::{channel, Sender};
use std::thread;

use bellpepper_core::{Index, LinearCombination, Variable};
use blstrs::Scalar;
use ff::Field;

/// Lengths of combinations: about every size up to which a storage may treat them alike.
const LENGTHS: std::ops::Range<usize> = 0..70;

/// `1·a₀ + 2·a₁ + … + n·aₙ₋₁`, and half of it over inputs.
fn combination(length: usize) -> LinearCombination<Scalar> {
    (0..length).fold(LinearCombination::zero(), |lc, i| {
        let coefficient = Scalar::from(i as u64 + 1);
        let lc = lc + (coefficient, Variable(Index::Aux(i)));
        match i % 2 {
            0 => lc + (coefficient, Variable(Index::Input(i))),
            _ => lc,
        }
    })
}

/// What [`combination`] has to come to where every variable is one.
fn value(length: usize) -> Scalar {
    let length = length as u64;
    let all: u64 = (1..=length).sum();
    let odd: u64 = (1..=length).filter(|n| n % 2 == 1).sum();
    Scalar::from(all + odd)
}

fn eval(lc: &LinearCombination<Scalar>) -> Scalar {
    let ones = vec![Scalar::ONE; LENGTHS.end];
    lc.eval(&ones, &ones)
}

#[test]
fn made_on_one_thread_and_dropped_on_another() {
    let (to_dropper, from_makers) = channel::<(usize, LinearCombination<Scalar>)>();
    let dropper = thread::spawn(move || {
        let mut received = 0;
        for (length, lc) in from_makers {
            assert_eq!(eval(&lc), value(length));
            // Grown here, so that it is resized by a thread that did not make it.
            let grown = lc.clone() + &lc + &combination(LENGTHS.end - 1);
            assert_eq!(
                eval(&grown),
                value(length).double() + value(LENGTHS.end - 1)
            );
            received += 1;
        }
        received
    });
    let makers: Vec<_> = (0..4)
        .map(|_| {
            let to_dropper = to_dropper.clone();
            thread::spawn(move || {
                for length in LENGTHS.cycle().take(50 * LENGTHS.len()) {
                    let sent = to_dropper.send((length, combination(length)));
                    sent.expect("the dropper listens");
                }
            })
        })
        .collect();
    drop(to_dropper);
    for maker in makers {
        maker.join().expect("a maker does not panic");
    }
    let received = dropper.join().expect("the dropper does not panic");
    assert_eq!(received, 4 * 50 * LENGTHS.len());
}

#[test]
fn outlives_its_thread() {
    let made = thread::spawn(|| LENGTHS.map(combination).collect::<Vec<_>>());
    let made = made.join().expect("the thread does not panic");
    for (length, lc) in made.into_iter().enumerate() {
        assert_eq!(eval(&lc), value(length));
        assert_eq!(eval(&(lc + &combination(length))), value(length).double());
    }
}

/// Combinations in a thread's local storage, and work with them when the thread ends.
struct UntilExit {
    kept: Vec<LinearCombination<Scalar>>,
    report: Sender<Vec<Scalar>>,
}

impl Drop for UntilExit {
    fn drop(&mut self) {
        let work = self.kept.drain(..).enumerate().map(|(length, lc)| {
            let sum = lc.clone() + &combination(length);
            eval(&(sum - &lc + (Scalar::ONE, Variable(Index::Aux(length)))))
        });
        self.report.send(work.collect()).expect("the test listens");
    }
}

thread_local! {
    static UNTIL_EXIT: RefCell<Option<UntilExit>> = const { RefCell::new(None) };
}

/// Runs a thread that leaves combinations to its exit. `first` is done before the thread's local
/// value is registered for destruction: whatever a storage registers itself then comes before it,
/// else after it, and the two are destroyed in these orders.
fn work_at_exit(first: fn()) {
    let (report, reports) = channel();
    let thread = thread::spawn(move || {
        first();
        UNTIL_EXIT.with(|slot| {
            *slot.borrow_mut() = Some(UntilExit {
                kept: Vec::new(),
                report,
            })
        });
        let made: Vec<_> = LENGTHS.map(combination).collect();
        UNTIL_EXIT.with(|slot| slot.borrow_mut().as_mut().expect("just set").kept = made);
    });
    thread.join().expect("the thread does not panic");
    let expected: Vec<_> = LENGTHS.map(|length| value(length) + Scalar::ONE).collect();
    assert_eq!(reports.recv().expect("the thread reported"), expected);
}

#[test]
fn used_at_thread_exit_by_what_was_registered_before_the_storage() {
    work_at_exit(|| ());
}

#[test]
fn used_at_thread_exit_by_what_was_registered_after_the_storage() {
    work_at_exit(|| drop(combination(LENGTHS.end)));
}
