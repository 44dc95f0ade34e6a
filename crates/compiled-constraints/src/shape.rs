//! The compiled form of a circuit: its constraints without any values.

use std::sync::Arc;

use ff::PrimeField;

use crate::{
    block::{Block, Counts},
    form::{self, Form, Sum},
};

/// The constraints of a circuit: rows that come once (the prefix) and, where the circuit repeats
/// itself, one block of rows for all repetitions. Closing rows, one for each input, follow; they
/// are not stored.
///
/// A clone shares the constraints, which take [`held_bytes`](Self::held_bytes).
#[derive(Clone, Debug)]
pub struct Shape<S> {
    pub(crate) rows: Arc<Rows<S>>,
    pub(crate) repetitions: usize,
}

/// What all numbers of repetitions have in common.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rows<S> {
    pub(crate) coeffs: Vec<S>,
    pub(crate) sums: Vec<Sum>,
    pub(crate) forms: Vec<Form>,
    /// The number of columns of a row of each form.
    pub(crate) widths: Vec<usize>,
    pub(crate) prefix: Block,
    pub(crate) block: Block,
}

impl<S: PrimeField> Rows<S> {
    pub(crate) fn new(
        (coeffs, sums, forms): (Vec<S>, Vec<Sum>, Vec<Form>),
        mut prefix: Block,
        mut block: Block,
    ) -> Self {
        let widths = form::widths(&sums, &forms);
        prefix.note_places(&widths);
        block.note_places(&widths);
        Rows {
            coeffs,
            sums,
            forms,
            widths,
            prefix,
            block,
        }
    }
}

impl<S: PrimeField> Shape<S> {
    /// The same circuit with another number of repetitions. Nothing is copied. In a circuit that
    /// was recorded whole nothing repeats: its rows stay as they are.
    pub fn repeated(&self, repetitions: usize) -> Self {
        Shape {
            rows: Arc::clone(&self.rows),
            repetitions,
        }
    }

    /// The number of repetitions; 0 for a circuit that was recorded whole.
    pub fn repetitions(&self) -> usize {
        self.repetitions
    }

    /// What comes once, before the repetitions: all of a circuit that was recorded whole. The
    /// constant one is among these inputs.
    pub fn prefix(&self) -> Counts {
        self.rows.prefix.counts
    }

    /// What comes with each repetition.
    pub fn block(&self) -> Counts {
        self.rows.block.counts
    }

    /// The number of inputs, the constant one included.
    pub fn inputs(&self) -> usize {
        self.prefix().inputs + self.repetitions * self.block().inputs
    }

    /// The number of auxiliary variables.
    pub fn aux(&self) -> usize {
        self.prefix().aux + self.repetitions * self.block().aux
    }

    /// The number of rows that a prover has: with the closing row of each input.
    pub fn rows(&self) -> usize {
        self.prefix().rows + self.repetitions * self.block().rows + self.inputs()
    }

    /// About how many bytes the compiled form takes in memory, whatever the number of repetitions.
    pub fn held_bytes(&self) -> usize {
        let rows = &*self.rows;
        size_of_val(&rows.coeffs[..])
            + rows.sums.iter().map(Sum::held_bytes).sum::<usize>()
            + size_of_val(&rows.forms[..])
            + size_of_val(&rows.widths[..])
            + rows.prefix.held_bytes()
            + rows.block.held_bytes()
    }
}
