//! Instructions and simulated cache misses per constraint, from two runs under cachegrind: one that
//! stops before the first constraint and one that stops later, so that the set-up cancels.

use std::{fs, path::Path, process::Command};

use super::Look;
use crate::{
    caches::{Cache, Caches},
    explanation::{Reading, Simulated},
};

/// How much of the circuit is simulated: all kinds of its parts, at a tenth of a minute for
/// each variant.
const CONSTRAINTS: usize = 400_000;

pub fn simulate(look: &Look, program: &Path, caches: &Caches) -> Reading<Simulated> {
    let start = run(look, program, caches, 0)?;
    let end = run(look, program, caches, CONSTRAINTS)?;
    let each = |total: fn(&Totals) -> u64| {
        total(&end).saturating_sub(total(&start)) as f64 / CONSTRAINTS as f64
    };
    Ok(Simulated {
        constraints: CONSTRAINTS,
        instructions: each(|t| t.instructions),
        data_accesses: each(|t| t.data_accesses),
        l1d_misses: each(|t| t.l1d_misses),
        ll_misses: each(|t| t.ll_misses),
    })
}

fn run(look: &Look, program: &Path, caches: &Caches, constraints: usize) -> Reading<Totals> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let out = look.scratch.join(format!("cachegrind.{name}"));
    let geometry = |name: &str, cache: Cache| {
        let cache = cache.with_power_of_two_sets();
        format!(
            "--{name}={},{},{}",
            cache.bytes, cache.ways, cache.line_bytes
        )
    };
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=cachegrind", "--cache-sim=yes"])
        .arg(geometry("D1", caches.l1d))
        .arg(geometry("LL", caches.l3))
        .arg(format!("--cachegrind-out-file={}", out.display()))
        .arg(program)
        .args(["--layers", &look.plan.scenarios[0].layers.to_string()])
        .args(["--constraints", &constraints.to_string()])
        .env("RAYON_NUM_THREADS", "1");
    look.run(command)
        .map_err(|reason| format!("not available here: {reason}"))?;
    let text =
        fs::read_to_string(&out).map_err(|error| format!("no output of cachegrind: {error}"))?;
    parse(&text).ok_or_else(|| "the output of cachegrind has no summary".to_owned())
}

#[derive(Debug, PartialEq, Eq)]
struct Totals {
    instructions: u64,
    data_accesses: u64,
    l1d_misses: u64,
    ll_misses: u64,
}

fn parse(text: &str) -> Option<Totals> {
    let line = |start: &str| text.lines().find_map(|line| line.strip_prefix(start));
    let values: Vec<u64> = line("summary:")?
        .split_whitespace()
        .filter_map(|value| value.replace(',', "").parse().ok())
        .collect();
    let value = |event: &str| {
        let position = line("events:")?
            .split_whitespace()
            .position(|name| name == event)?;
        values.get(position).copied()
    };
    Some(Totals {
        instructions: value("Ir")?,
        data_accesses: value("Dr")? + value("Dw")?,
        l1d_misses: value("D1mr")? + value("D1mw")?,
        ll_misses: value("DLmr")? + value("DLmw")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_found_by_the_names_of_the_events() {
        let text = "desc: D1 cache\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\nfn=x\n1 2 3\n\
                    summary: 1000 10 9 300 30 3 200 20 2\n";
        assert_eq!(
            parse(text),
            Some(Totals {
                instructions: 1000,
                data_accesses: 500,
                l1d_misses: 50,
                ll_misses: 5
            })
        );
        assert_eq!(parse("events: Ir\nsummary: 5\n"), None);
        assert_eq!(parse(""), None);
    }
}
