//! What the reports promise: to be whole, self-contained, drawn from the raw data alone, and not
//! broken by any name or message.

mod common;
#[path = "common/made_up.rs"]
mod made_up;

use std::{collections::BTreeSet, fs};

use common::plan;
use lc_ab::{
    analysis,
    caches::Cpu,
    executor::Job,
    explanation::{Allocations, Count, Explanation, Histogram, Simulated, VariantExplanation},
    report::{self, summary::Named},
    session::{Failure, Session},
};
use made_up::made_up;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

const HOSTILE: &str = "<script>alert('x')</script> | \"quoted\"";

fn example() -> Session {
    let mut plan = plan("upstream,lc-vec,lc-pooled", 8, 1);
    plan.variants[1].label = HOSTILE.to_owned();
    let mut model = |job: &Job, random: &mut ChaCha8Rng| {
        let faster = if job.subject == 2 { 0.4 } else { 0.0 };
        random.gen_range(-0.005..0.005) - faster
    };
    let mut session = made_up(&plan, 3, &mut model);
    session.failures.push(Failure {
        subject: 1,
        round: Some(4),
        reason: HOSTILE.to_owned(),
    });
    let variant = |combination_bytes: usize| VariantExplanation {
        count: Ok(Count {
            combination_bytes,
            term_bytes: 40,
            inline_terms: 0,
            lists: if combination_bytes > 16 { 2 } else { 1 },
            constraints: 1000,
            a: Histogram::from([(1, 900), (2, 99), (700, 1)]),
            b: Histogram::from([(1, 1000)]),
            c: Histogram::from([(0, 250), (3, 750)]),
            live_bytes: Histogram::from([(400, 990), (4000, 10)]),
            enforce: Allocations {
                calls: 3410,
                bytes: 1 << 20,
            },
            synthesis: Allocations {
                calls: 5000,
                bytes: 1 << 21,
            },
            dropped: None,
        }),
        simulated: Ok(Simulated {
            constraints: 1000,
            instructions: 4321.0,
            data_accesses: 1500.0,
            l1d_misses: 12.5,
            ll_misses: 0.25,
        }),
        counters: Err("not available here: no counters".to_owned()),
    };
    session.explanation = Some(Explanation {
        caches: Cpu::Zen2.caches(),
        variants: vec![variant(96), variant(384), variant(8)],
        census: Ok(Histogram::from([(0, 500), (1, 4000), (3, 750)])),
    });
    session
}

#[test]
fn reports_are_drawn_again_from_the_raw_data() {
    let session = example();
    let analysis = analysis::analyse(&session);
    let dir = tempfile::tempdir().unwrap();
    report::json::write(dir.path(), &session, &analysis).unwrap();
    let read = report::json::read(&dir.path().join("report.json")).unwrap();
    let again = analysis::analyse(&read);
    assert!(report::html::page(&read, &again) == report::html::page(&session, &analysis));
    assert!(report::markdown::text(&read, &again) == report::markdown::text(&session, &analysis));
    assert!(report::terminal::table(&read, &again) == report::terminal::table(&session, &analysis));
    assert!(read.samples == session.samples);
}

#[test]
fn the_page_is_one_file_that_names_cannot_break() {
    let session = example();
    let page = report::html::page(&session, &analysis::analyse(&session));
    for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    assert!(page.contains("prefers-color-scheme: dark"));
    assert!(page.contains("width=device-width"));
    assert!(!page.contains("NaN") && !page.contains("inf%"));
}

/// Under a policy of `style-src 'self'`, neither the style sheet nor an attribute of style counts.
#[test]
fn drawings_need_no_style() {
    let session = example();
    let page = report::html::page(&session, &analysis::analyse(&session));
    assert!(!page.contains(" style=\""));
    for (mark, colour) in [
        ("<line", "stroke="),
        ("<rect", "fill="),
        ("<circle", "fill="),
    ] {
        let mut marks = page.split(mark).skip(1).peekable();
        assert!(marks.peek().is_some(), "no {mark}");
        assert!(marks.all(|mark| mark.split('>').next().unwrap().contains(colour)));
    }
}

/// One dot a pair and one a process, and one interval a variant and control.
#[test]
fn every_sample_is_drawn() {
    let session = example();
    let page = report::html::page(&session, &analysis::analyse(&session));
    let dots = page.matches("class=\"dot\"").count();
    assert_eq!(dots, 3 * 8 + 4 * 8);
    assert_eq!(page.matches("class=\"interval\"").count(), 3);
}

#[test]
fn what_is_concluded_is_in_every_report() {
    let session = example();
    let analysis = analysis::analyse(&session);
    for text in [
        report::html::page(&session, &analysis),
        report::markdown::text(&session, &analysis),
        report::terminal::table(&session, &analysis),
    ] {
        for part in [
            "lc-pooled is faster than upstream",
            "upstream (A/A control)",
            "Noise floor",
            "failed in round 5",
            "lc-pooled is the fastest",
            "8 bytes to move about, not 96",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}

/// An interval over several layouts has in it what one of a single layout leaves out.
#[test]
fn an_interval_of_one_layout_says_so() {
    let mut session = example();
    for (layouts, said) in [(1, true), (2, false)] {
        session.plan.layouts = layouts;
        for sample in &mut session.samples {
            sample.layout = sample.round % layouts;
        }
        let analysis = analysis::analyse(&session);
        let mut texts = vec![
            report::html::page(&session, &analysis),
            report::markdown::text(&session, &analysis),
            report::terminal::table(&session, &analysis),
        ];
        for text in &texts {
            assert_eq!(text.contains("interval, one layout"), said, "{text}");
            assert_eq!(text.contains("interval of one layout"), said, "{text}");
        }
        let named = Named {
            name: "session".to_owned(),
            session: session.clone(),
            analysis,
        };
        texts.push(report::summary::text_of(&[named]));
        for text in texts {
            assert_eq!(text.contains("Intervals of one layout"), said, "{text}");
        }
    }
}

#[test]
fn temporaries_are_told_apart_from_final_combinations() {
    let session = example();
    let text = report::markdown::text(&session, &analysis::analyse(&session));
    // 4000 with one term were dropped, 1900 of which were final; of the others, all were.
    assert!(text.contains("| temporaries | 2350 | 1 |"), "{text}");
}

#[test]
fn what_is_no_report_is_refused_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.json");
    let refusal = |text: &str| {
        fs::write(&file, text).unwrap();
        format!("{:#}", report::json::read(&file).unwrap_err())
    };
    assert!(refusal("{}").contains("no report.json of lc-ab"));
    assert!(refusal("{\"format\": 2}").contains("format 2"));
    assert!(refusal("{\"format\": 1}").contains("damaged"));
    assert!(refusal("[1,").contains("no report.json of lc-ab"));
}

/// A file that was written or edited by others must not end the program.
#[test]
fn a_sample_of_no_variant_or_layout_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let spoil = |spoil: fn(&mut Session)| {
        let mut session = example();
        let analysis = analysis::analyse(&session);
        spoil(&mut session);
        report::json::write(dir.path(), &session, &analysis).unwrap();
        let read = report::json::read(&dir.path().join("report.json"));
        read.map_err(|error| error.to_string())
    };
    assert!(spoil(|_| ()).is_ok());
    let spoilers: [fn(&mut Session); 5] = [
        |session| session.samples[3].layout = 1,
        |session| session.samples[3].subject = 4,
        |session| session.samples[3].scenario = 1,
        |session| session.failures[0].subject = 9,
        |session| session.plan.layouts = 0,
    ];
    for spoiler in spoilers {
        assert!(spoil(spoiler).unwrap_err().contains("is damaged"));
    }
}

/// Equals of the best are not told apart by one being a little ahead.
#[test]
fn only_what_is_shown_to_be_faster_than_the_others_is_the_fastest() {
    let fastest = |ahead: f64| {
        let plan = plan("upstream,lc-vec,lc-pooled", 12, 1);
        let mut model = |job: &Job, random: &mut ChaCha8Rng| {
            let faster = [0.0, 0.4, 0.4 + ahead, 0.0][job.subject];
            random.gen_range(-0.02..0.02) - faster
        };
        let session = made_up(&plan, 5, &mut model);
        analysis::analyse(&session).scenarios[0].fastest.clone()
    };
    assert_eq!(fastest(0.2), [2]);
    let mut equals = fastest(0.0);
    equals.sort();
    assert_eq!(equals, [1, 2]);
}

#[test]
fn a_session_without_a_single_round_is_still_reported() {
    let mut session = example();
    session.samples.clear();
    session.interrupted = true;
    session.explanation = None;
    let analysis = analysis::analyse(&session);
    let page = report::html::page(&session, &analysis);
    assert!(page.contains("Interrupted"));
    assert!(page.contains("fewer than two pairs"));
    assert!(!page.contains("NaN"));
}

/// The example was written by the program that introduced the format. Whoever changes what is
/// written so that it cannot be read any more has to raise the format's number.
#[test]
fn a_report_of_this_format_stays_readable() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/example/report.json");
    let session = report::json::read(file.as_ref()).unwrap();
    let analysis = analysis::analyse(&session);
    assert_eq!(session.plan.variants.len(), 5);
    assert_eq!(session.samples.len(), 6 * 6);
    let page = report::html::page(&session, &analysis);
    assert!(page.contains("lc-pooled") && page.contains("temporaries"));
}

/// Two sizes make a line for each variant; the tables have a row for each comparison and summary.
#[test]
fn several_sessions_become_one_summary() {
    let named = |name: &str, constraints: u64| {
        let mut session = example();
        for sample in &mut session.samples {
            sample.output.constraints = Some(constraints);
        }
        Named {
            name: name.to_owned(),
            analysis: analysis::analyse(&session),
            session,
        }
    };
    let sessions = [named("small", 1_000_000), named("large", 4_000_000)];
    let dir = tempfile::tempdir().unwrap();
    report::summary::draw(dir.path(), &sessions).unwrap();
    let text = fs::read_to_string(dir.path().join("summary.md")).unwrap();
    let rows = |name: &str| text.matches(&format!("| {name} |")).count();
    assert_eq!((rows("small"), rows("large")), (2 + 3, 2 + 3));
    assert!(text.contains("| 4.00 | 1 |"), "{text}");
    assert!(text.contains("| 4321 | 3410.00 |"), "{text}");
    let plot = fs::read_to_string(dir.path().join("scaling.svg")).unwrap();
    assert_eq!(plot.matches("<polyline").count(), 3);
    assert_eq!(plot.matches("<circle").count(), 6);
    let strokes = plot.split("stroke=\"hsl").skip(1);
    let colours: BTreeSet<_> = strokes.filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(colours.len(), 3, "{colours:?}");

    fs::remove_file(dir.path().join("scaling.svg")).unwrap();
    let of_one_size = [named("one", 1_000_000), named("other", 1_000_000)];
    report::summary::draw(dir.path(), &of_one_size).unwrap();
    assert!(!dir.path().join("scaling.svg").exists());
}
