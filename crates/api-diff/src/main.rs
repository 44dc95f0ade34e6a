//! Compares the public API of a drop-in with the original's, from the JSON that rustdoc makes of
//! each: nothing may be missing or changed, and what was added must be on a list.
//!
//! `api-diff THEIRS.json OURS.json ADDITIONS.txt` prints a line for each item that differs, after a
//! `-` (missing, or changed) or a `+` (added, or what it was changed to). Exit codes: 0, nothing is
//! missing and the additions are those listed; 1, otherwise; 2, wrong usage; 3, a file can't be
//! read.
//!
//! `scripts/public_api.sh` makes the files.

#![forbid(unsafe_code)]

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use public_api::{Builder, PublicItem};

/// Markers that the compiler adds by itself, for itself.
const INTERNAL_MARKERS: [&str; 3] = [
    " core::marker::Freeze for ",
    " core::marker::StructuralPartialEq for ",
    " core::marker::UnsafeUnpin for ",
];

/// Traits that the compiler implements by itself. Under which conditions on a type parameter
/// follows from private fields, so only whether a type can have the trait is compared.
const AUTO_TRAITS: [&str; 5] = [
    " core::marker::Send for ",
    " core::marker::Sync for ",
    " core::marker::Unpin for ",
    " core::panic::unwind_safe::RefUnwindSafe for ",
    " core::panic::unwind_safe::UnwindSafe for ",
];

/// Traits that every scalar has, so that deriving asks for no more than writing by hand does.
const IMPLIED_BY_PRIME_FIELD: [&str; 3] = [
    "core::clone::Clone",
    "core::cmp::PartialEq",
    "core::fmt::Debug",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [theirs, ours, additions] = arguments.as_slice() else {
        eprintln!(
            "error: three files are needed\nusage: api-diff THEIRS.json OURS.json ADDITIONS.txt"
        );
        return ExitCode::from(2);
    };
    match compare(theirs, ours, additions) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

/// Prints the differences, and returns whether they are those expected.
fn compare(theirs: &str, ours: &str, additions: &str) -> anyhow::Result<bool> {
    let theirs = items(theirs)?;
    let ours = items(ours)?;
    let listed =
        fs::read_to_string(additions).with_context(|| format!("can't read {additions}"))?;
    let listed: BTreeSet<String> = listed.lines().map(str::to_string).collect();

    let missing: BTreeSet<String> = theirs.difference(&ours).cloned().collect();
    let added: BTreeSet<String> = ours.difference(&theirs).cloned().collect();
    for item in &missing {
        println!("- {item}");
    }
    for item in &added {
        println!("+ {item}");
    }
    for item in added.difference(&listed) {
        eprintln!("not listed in {additions}: {item}");
    }
    for item in listed.difference(&added) {
        eprintln!("listed in {additions}, but not added: {item}");
    }
    Ok(missing.is_empty() && added == listed)
}

/// The public items of a crate, a line each, without what is prescribed or makes no difference.
fn items(json: &str) -> anyhow::Result<BTreeSet<String>> {
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .build()
        .with_context(|| {
            format!("can't read {json}; if the toolchain is newer than the public-api crate, update that")
        })?;
    let implementations: HashSet<_> = api
        .items()
        .filter(|item| {
            let line = item.to_string();
            line.starts_with("impl") && line.contains(" for ")
        })
        .map(PublicItem::id)
        .collect();
    let prescribed_by_a_trait = |item: &&PublicItem| {
        let in_implementation = item
            .parent_id()
            .is_some_and(|id| implementations.contains(&id));
        in_implementation && item.to_string().starts_with("pub fn ")
    };
    Ok(api
        .items()
        .filter(|item| !prescribed_by_a_trait(item))
        .map(PublicItem::to_string)
        .filter(|line| !INTERNAL_MARKERS.iter().any(|marker| line.contains(marker)))
        .map(|line| normal_form(&line))
        .collect())
}

/// The line in the form that all its equivalents share.
fn normal_form(line: &str) -> String {
    if line.starts_with("pub fn ") {
        return line.to_string();
    }
    let mut line = without_lifetimes(line);
    for implied in IMPLIED_BY_PRIME_FIELD {
        line = line.replace(&format!("{implied} + ff::PrimeField"), "ff::PrimeField");
    }
    if AUTO_TRAITS.iter().any(|auto| line.contains(auto)) {
        line.truncate(line.find(" where ").unwrap_or(line.len()));
    }
    line
}

/// Leaves out lifetimes: outside functions they say no more than that there is a reference.
fn without_lifetimes(line: &str) -> String {
    let mut parts = line.split('\'');
    let mut rest = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let after_name = part.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let after_separator = after_name.strip_prefix(',').unwrap_or(after_name);
        rest.push_str(after_separator.trim_start());
    }
    rest.replace("<>", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lifetimes_make_no_difference() {
        for line in [
            "impl<'cs, S: F> C<S> for N<'cs, S>",
            "impl<S: F> C<S> for N<'_, S>",
        ] {
            assert_eq!(normal_form(line), "impl<S: F> C<S> for N<S>");
        }
        for line in ["impl<'a> C for &'a mut S", "impl C for &mut S"] {
            assert_eq!(normal_form(line), "impl C for &mut S");
        }
    }

    #[test]
    fn functions_are_compared_as_they_are() {
        let line = "pub fn f<'a>(&'a str, &str) -> &'a str";
        assert_eq!(normal_form(line), line);
    }

    #[test]
    fn bounds_that_every_scalar_meets_make_no_difference() {
        assert_eq!(
            normal_form("impl<S: core::fmt::Debug + ff::PrimeField> core::fmt::Debug for L<S>"),
            "impl<S: ff::PrimeField> core::fmt::Debug for L<S>"
        );
    }

    #[test]
    fn conditions_of_auto_traits_make_no_difference_but_their_absence_does() {
        let send = "impl<S> core::marker::Send for L<S>";
        assert_eq!(
            normal_form(&format!("{send} where S: core::marker::Send")),
            send
        );
        assert_ne!(normal_form("impl<S> !core::marker::Send for L<S>"), send);
        let other = "impl<S> core::fmt::Debug for L<S> where S: core::fmt::Debug";
        assert_eq!(normal_form(other), other);
    }
}
