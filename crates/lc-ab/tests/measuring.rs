//! Taking samples from subjects that misbehave.

mod common;

use common::{plan, sample, session};
use lc_ab::{
    analysis::{self, Decision, Verdict},
    executor::{Executor, Job, RunError},
    measure::{CheckError, Measurer},
    plan::{Plan, Prover},
    process::Stopped,
    progress::Progress,
    session::{Sample, Session},
};

/// An executor whose runs `answer` may spoil.
struct Spoilt<F> {
    plan: Plan,
    checked: bool,
    answer: F,
}

impl<F: FnMut(&Job, &mut Sample, bool) -> Result<(), RunError>> Executor for Spoilt<F> {
    fn run(&mut self, job: &Job) -> Result<Sample, RunError> {
        let variant = &self.plan.variants[self.plan.variant_of(job.subject)];
        let scatter = 1.0 + 0.001 * ((job.round * 5 + job.subject * 3) % 7) as f64;
        let mut sample = sample(job, scatter, variant.storage());
        // Every subject has been checked when the last one has.
        let timed = self.checked;
        self.checked |= job.subject == self.plan.control();
        (self.answer)(job, &mut sample, timed)?;
        Ok(sample)
    }
}

fn spoilt<F>(plan: &Plan, answer: F) -> Spoilt<F> {
    Spoilt {
        plan: plan.clone(),
        checked: false,
        answer,
    }
}

fn crash() -> RunError {
    RunError::Crashed {
        status: "exit status: 101".to_owned(),
        stderr: "index out of bounds".to_owned(),
    }
}

#[test]
fn one_that_fails_is_named_and_the_others_go_on() {
    let plan = plan("upstream,lc-vec,lc-pooled", 8, 1);
    let session = session(
        &plan,
        spoilt(&plan, |job: &Job, sample: &mut Sample, timed: bool| match (
            timed,
            job.subject,
            job.round,
        ) {
            (true, 1, 3) => Err(crash()),
            (true, 2, 5) => {
                sample.output.digest = "another".to_owned();
                Ok(())
            }
            _ => Ok(()),
        }),
    );
    let failures: Vec<_> = session
        .failures
        .iter()
        .map(|f| (f.subject, f.round))
        .collect();
    assert_eq!(failures, [(1, Some(3)), (2, Some(5))]);
    assert!(session.failures[0].reason.contains("index out of bounds"));
    assert!(session.failures[1].reason.contains("another"));
    let rounds_of = |subject: usize| {
        session
            .samples
            .iter()
            .filter(|sample| sample.subject == subject)
            .count()
    };
    assert_eq!(
        [rounds_of(0), rounds_of(1), rounds_of(2), rounds_of(3)],
        [8, 3, 5, 8]
    );
    let analysis = analysis::analyse(&session);
    assert!(analysis.scenarios[0]
        .comparisons
        .iter()
        .all(|comparison| comparison.verdict == Verdict::Failed));
    assert_eq!(analysis::exit_code(&session, &analysis), 3);
}

/// Nothing was found out about variants that did not run to the end.
#[test]
fn a_decision_over_variants_that_failed_is_open() {
    let mut plan = plan("upstream,lc-vec,lc-pooled", 8, 1);
    plan.fail_if_slower = Some(0.05);
    for failing in [&[1, 2][..], &[1]] {
        let session = session(
            &plan,
            spoilt(&plan, |job: &Job, _: &mut Sample, timed: bool| {
                if timed && failing.contains(&job.subject) {
                    return Err(crash());
                }
                Ok(())
            }),
        );
        let analysis = analysis::analyse(&session);
        assert_eq!(analysis.decision, Some(Decision::Open), "{failing:?}");
        assert_eq!(analysis::exit_code(&session, &analysis), 3);
    }
}

/// What went wrong in the rows beside the judged rounds leaves these as they are.
#[test]
fn a_failure_in_bellperson_leaves_the_verdicts() {
    let plan = plan("upstream,lc-vec", 6, 1);
    let whole = || {
        session(
            &plan,
            spoilt(&plan, |_: &Job, _: &mut Sample, _: bool| Ok(())),
        )
    };
    let verdicts = |session: &Session| {
        let analysis = analysis::analyse(session);
        let code = analysis::exit_code(session, &analysis);
        (analysis.scenarios[0].comparisons[0].verdict, code)
    };
    let (verdict, code) = verdicts(&whole());
    assert_eq!(code, 0);
    assert_ne!(verdict, Verdict::Failed);
    let mut with_failure = whole();
    with_failure.in_bellperson = Some(Err("it could not be built".to_owned()));
    assert_eq!(verdicts(&with_failure), (verdict, 3));
    let failed = |job: &Job, _: &mut Sample, timed: bool| match (timed, job.subject) {
        (true, 1) => Err(crash()),
        _ => Ok(()),
    };
    let inner = session(&plan, spoilt(&plan, failed));
    with_failure.in_bellperson = Some(Ok(Box::new(inner)));
    assert_eq!(verdicts(&with_failure), (verdict, 3));
}

#[test]
fn without_the_baseline_there_is_nothing_to_go_on_for() {
    let mut plan = plan("upstream,lc-vec", 6, 1);
    plan.fail_if_slower = Some(0.5);
    let session = session(
        &plan,
        spoilt(&plan, |job: &Job, _: &mut Sample, timed: bool| {
            if timed && job.subject == 0 && job.round == 2 {
                return Err(crash());
            }
            Ok(())
        }),
    );
    assert_eq!(session.samples.iter().map(|s| s.round).max(), Some(2));
    assert_eq!(session.failures.len(), 1);
    let analysis = analysis::analyse(&session);
    assert_eq!(analysis.decision, Some(Decision::Open));
}

#[test]
fn an_interrupt_keeps_whole_rounds_only() {
    let mut plan = plan("upstream,lc-vec", 6, 1);
    plan.fail_if_slower = Some(0.5);
    let mut runs = 0;
    let session = session(
        &plan,
        spoilt(&plan, |_: &Job, _: &mut Sample, _: bool| {
            runs += 1;
            // Three checks, four rounds of three, and one process of the fifth.
            if runs > 3 + 4 * 3 + 1 {
                return Err(RunError::Stopped(Stopped::Interrupted));
            }
            Ok(())
        }),
    );
    assert!(session.interrupted);
    assert!(session.failures.is_empty());
    assert_eq!(session.samples.len(), 4 * 3);
    let analysis = analysis::analyse(&session);
    assert_eq!(analysis.decision, Some(Decision::Open));
    assert_eq!(analysis::exit_code(&session, &analysis), 5);
}

fn check_of(
    plan: &Plan,
    answer: impl FnMut(&Job, &mut Sample, bool) -> Result<(), RunError>,
) -> Result<Vec<String>, CheckError> {
    Measurer::new(plan, spoilt(plan, answer), &Progress::hidden()).check()
}

#[test]
fn a_wrong_result_stops_everything_before_the_timing() {
    let plan = plan("upstream,lc-vec,lc-pooled", 6, 1);
    let refused = check_of(&plan, |job: &Job, sample: &mut Sample, _: bool| {
        if job.subject == 2 {
            sample.output.digest = "wrong".to_owned();
        }
        Ok(())
    })
    .unwrap_err();
    assert!(matches!(&refused, CheckError::OtherDigest { name, .. } if name == "lc-pooled"));
    assert!(refused.to_string().contains("nothing was timed"));
}

#[test]
fn a_program_must_say_what_it_was_built_as() {
    let plan = plan("upstream,lc-vec", 6, 1);
    let with_storage = |storage: Option<&'static str>| {
        check_of(&plan, move |job: &Job, sample: &mut Sample, _: bool| {
            if job.subject == 1 {
                sample.output.storage = storage.map(str::to_owned);
            }
            Ok(())
        })
    };
    assert!(with_storage(Some("lc-vec")).is_ok());
    for wrong in [Some("lc-pooled"), None] {
        assert!(matches!(
            with_storage(wrong),
            Err(CheckError::OtherIdentity { name, expected, .. })
                if name == "lc-vec" && expected == "lc-vec"
        ));
    }
    let jemalloc = check_of(&plan, |job: &Job, sample: &mut Sample, _: bool| {
        if job.subject == 1 {
            sample.output.allocator = Some("jemalloc".to_owned());
        }
        Ok(())
    });
    assert!(matches!(jemalloc, Err(CheckError::OtherIdentity { .. })));
}

#[test]
fn a_variant_that_does_not_start_is_left_out_and_a_baseline_is_not() {
    let plan = plan("upstream,lc-vec,lc-pooled", 6, 1);
    let without = |subject: usize| {
        check_of(&plan, move |job: &Job, _: &mut Sample, _: bool| {
            if job.subject == subject {
                return Err(RunError::Silent);
            }
            Ok(())
        })
    };
    assert!(without(1).is_ok());
    assert!(matches!(without(0), Err(CheckError::Baseline { .. })));
}

#[test]
fn other_constraints_are_another_circuit() {
    let plan = plan("upstream,lc-vec", 6, 1);
    let refused = check_of(&plan, |job: &Job, sample: &mut Sample, _: bool| {
        if job.subject == 1 {
            sample.output.constraints = Some(7);
        }
        Ok(())
    });
    assert!(matches!(
        refused,
        Err(CheckError::OtherConstraints { found: 7, .. })
    ));
}

/// A prover that was built on the registry's crate cannot know a storage of the fork.
#[test]
fn a_prover_that_names_a_storage_is_no_upstream() {
    let mut plan = plan("upstream,lc-vec", 6, 1);
    plan.prover = Some(Prover {
        dir: ".".into(),
        cargo_args: Vec::new(),
    });
    let with_storages = |upstream: Option<&'static str>, storage: Option<&'static str>| {
        check_of(&plan, move |job: &Job, sample: &mut Sample, _: bool| {
            let said = if job.subject == 1 { storage } else { upstream };
            sample.output.storage = said.map(str::to_owned);
            Ok(())
        })
    };
    assert!(with_storages(None, None).is_ok());
    assert!(with_storages(Some("Vec"), Some("lc-vec")).is_ok());
    for (upstream, storage) in [
        (Some("lc-pooled"), Some("lc-vec")),
        (None, Some("lc-pooled")),
        (None, Some("upstream")),
    ] {
        assert!(matches!(
            with_storages(upstream, storage),
            Err(CheckError::OtherIdentity { .. })
        ));
    }
}

#[test]
fn compiled_constraints_have_to_have_been_used() {
    let plan = plan("upstream,lc-pooled+compiled", 6, 1);
    let with_rows = |rows: Option<u64>| {
        check_of(&plan, move |job: &Job, sample: &mut Sample, _: bool| {
            if job.subject == 1 {
                sample.output.compiled_rows = rows;
            }
            Ok(())
        })
    };
    assert!(with_rows(Some(1000)).is_ok());
    for none in [None, Some(0)] {
        assert_eq!(
            with_rows(none),
            Err(CheckError::NothingCompiled("lc-pooled+compiled".to_owned()))
        );
    }
}
