//! Which variables occur in A and in B: a prover's multiexponentiations skip all others.

use ff::PrimeField;

use crate::{
    block::{self, Block, INDEX_MASK, KIND_SHIFT},
    coeffs,
    shape::{Rows, Shape},
};

/// A bit per variable, set where the variable occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    /// The bits, 64 per word, from the lowest bit of the first word on. Bits past the last
    /// variable's are zero.
    pub words: Vec<u64>,
    /// The number of variables.
    pub len: usize,
    /// How many bits are set.
    pub total: usize,
}

impl Density {
    /// Of `len` variables, none of which occurs.
    fn new(len: usize) -> Self {
        Density {
            words: vec![0; len.div_ceil(64)],
            len,
            total: 0,
        }
    }

    /// Whether the variable `index`, counted from 0, occurs.
    ///
    /// # Panics
    /// There is no such variable.
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "variable {index} of {}", self.len);
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    fn set(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Sets the bits of `other` from bit `start` on.
    fn set_all(&mut self, other: &Density, start: usize) {
        let (word, shift) = (start / 64, start % 64);
        for (index, bits) in other.words.iter().enumerate() {
            self.words[word + index] |= bits << shift;
            // Bits past the end are zero, and there need be no word for them.
            let high = bits.checked_shr(64 - shift as u32).unwrap_or(0);
            if high != 0 {
                self.words[word + index + 1] |= high;
            }
        }
    }

    fn count(mut self) -> Self {
        self.total = self
            .words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum();
        self
    }
}

/// The densities that a Groth16 prover needs. All inputs occur in A, by their closing rows; C has
/// no multiexponentiation of its own. A coefficient of zero is no occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Densities {
    /// The auxiliary variables that occur in A.
    pub a_aux: Density,
    /// The inputs that occur in B, the constant one among them.
    pub b_input: Density,
    /// The auxiliary variables that occur in B.
    pub b_aux: Density,
}

/// The occurrences in the rows of a block: of shared variables and of its own.
struct Occurrences {
    shared: Densities,
    own: Densities,
}

impl<S: PrimeField> Shape<S> {
    /// The densities of a prover's assignment. They depend on the circuit alone, so compute them
    /// once. Costs one pass over the compiled rows, on two threads, and a bit per variable and
    /// density.
    pub fn densities(&self) -> Densities {
        let (prefix, block) = rayon::join(
            || occurrences(&self.rows, &self.rows.prefix),
            || occurrences(&self.rows, &self.rows.block),
        );
        let join = |len: usize, kind: fn(&Densities) -> &Density, first: usize, each: usize| {
            let mut density = Density::new(len);
            density.set_all(kind(&prefix.shared), 0);
            if self.repetitions > 0 {
                density.set_all(kind(&block.shared), 0);
            }
            for repetition in 0..self.repetitions {
                density.set_all(kind(&block.own), first + repetition * each);
            }
            density.count()
        };
        let (first, each) = (self.prefix(), self.block());
        Densities {
            a_aux: join(self.aux(), |d| &d.a_aux, first.aux, each.aux),
            b_input: join(self.inputs(), |d| &d.b_input, first.inputs, each.inputs),
            b_aux: join(self.aux(), |d| &d.b_aux, first.aux, each.aux),
        }
    }
}

fn occurrences<S: PrimeField>(rows: &Rows<S>, block: &Block) -> Occurrences {
    let densities = |inputs: usize, aux: usize| Densities {
        a_aux: Density::new(aux),
        b_input: Density::new(inputs),
        b_aux: Density::new(aux),
    };
    let prefix = rows.prefix.counts;
    let mut found = Occurrences {
        shared: densities(prefix.inputs, prefix.aux),
        own: densities(block.counts.inputs, block.counts.aux),
    };
    let Occurrences { shared, own } = &mut found;
    let mut rest = &block.columns[..];
    let mut take = |terms: usize| {
        let columns;
        (columns, rest) = rest.split_at(terms);
        columns
    };
    let terms: Vec<usize> = rows.sums.iter().map(|sum| sum.terms()).collect();
    for run in &block.runs {
        let form = rows.forms[run.form as usize];
        let [a, b, c] = form.sums.map(|sum| terms[sum as usize]);
        if form.constants[1] != coeffs::ZERO {
            shared.b_input.set(0);
        }
        for _ in 0..run.rows {
            for column in take(a) {
                let index = (column & INDEX_MASK) as usize;
                match column >> KIND_SHIFT << KIND_SHIFT {
                    block::SHARED_AUX => shared.a_aux.set(index),
                    block::OWN_AUX => own.a_aux.set(index),
                    _ => (),
                }
            }
            for column in take(b) {
                let index = (column & INDEX_MASK) as usize;
                match column >> KIND_SHIFT << KIND_SHIFT {
                    block::SHARED_INPUT => shared.b_input.set(index),
                    block::OWN_INPUT => own.b_input.set(index),
                    block::SHARED_AUX => shared.b_aux.set(index),
                    _ => own.b_aux.set(index),
                }
            }
            take(c);
        }
    }
    found
}
