//! In which order the subjects of a round run.
//!
//! Rows of Williams designs: over a whole design, every subject takes every place equally often,
//! and follows every other equally often, so that neither a place in the round nor what ran just
//! before favours anybody. Which subject plays which part, and the order of the rows, are drawn
//! anew for each design.

use rand::{seq::SliceRandom, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The rounds of one whole design.
pub fn rounds_in_a_design(subjects: usize) -> usize {
    if subjects.is_multiple_of(2) {
        subjects
    } else {
        2 * subjects
    }
}

/// `rounds` permutations of `0..subjects`; a `rounds` that is no multiple of
/// [`rounds_in_a_design`] ends in a part of a design.
pub fn orders(subjects: usize, rounds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut orders = Vec::with_capacity(rounds);
    while orders.len() < rounds {
        let mut names: Vec<usize> = (0..subjects).collect();
        names.shuffle(&mut random);
        let mut rows = williams(subjects);
        rows.shuffle(&mut random);
        let missing = rounds - orders.len();
        orders.extend(
            rows.into_iter()
                .take(missing)
                .map(|row| row.into_iter().map(|part| names[part]).collect()),
        );
    }
    orders
}

/// The first row zig-zags 0, 1, n-1, 2, n-2, …, so that its neighbouring differences are all
/// different; the others add a constant. For an odd number of subjects the differences pair up,
/// and the reversed rows restore the balance.
fn williams(subjects: usize) -> Vec<Vec<usize>> {
    let zigzag: Vec<usize> = (0..subjects)
        .map(|place| {
            if place % 2 == 1 {
                place.div_ceil(2)
            } else {
                (subjects - place / 2) % subjects
            }
        })
        .collect();
    let mut rows: Vec<Vec<usize>> = (0..subjects)
        .map(|shift| {
            zigzag
                .iter()
                .map(|part| (part + shift) % subjects)
                .collect()
        })
        .collect();
    if !subjects.is_multiple_of(2) {
        let reversed: Vec<Vec<usize>> = rows
            .iter()
            .map(|row| row.iter().rev().copied().collect())
            .collect();
        rows.extend(reversed);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_whole_design_balances_places_and_neighbours() {
        for subjects in 2..=9 {
            let rounds = rounds_in_a_design(subjects);
            for seed in 0..5 {
                let orders = orders(subjects, 3 * rounds, seed);
                let mut places = HashMap::new();
                let mut neighbours = HashMap::new();
                for order in &orders {
                    for (place, &subject) in order.iter().enumerate() {
                        *places.entry((place, subject)).or_insert(0) += 1;
                    }
                    for pair in order.windows(2) {
                        *neighbours.entry((pair[0], pair[1])).or_insert(0) += 1;
                    }
                }
                assert_eq!(places.len(), subjects * subjects);
                assert!(places.values().all(|&count| count == 3 * rounds / subjects));
                assert_eq!(neighbours.len(), subjects * (subjects - 1));
                assert!(neighbours
                    .values()
                    .all(|&count| count == 3 * rounds / subjects));
            }
        }
    }

    #[test]
    fn a_part_of_a_design_is_still_permutations() {
        for order in orders(5, 7, 1) {
            let mut sorted = order.clone();
            sorted.sort();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
        }
        assert_eq!(orders(5, 7, 1).len(), 7);
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(orders(6, 12, 7), orders(6, 12, 7));
        assert_ne!(orders(6, 12, 7), orders(6, 12, 8));
    }
}
