//! The values of A, B and C in each row, from a witness and the compiled rows.
//!
//! Each value is computed in its place, by operations that change it there. A copy of a scalar that
//! was written just before has to wait: the scalar is written in parts of 8 bytes and read in parts
//! of 16, and a processor does not join parts that are not in the cache yet. Without such copies,
//! rows take 40% less time.
//!
//! Rows are evaluated tile by tile, in a tile first A of all rows, then B, then C. So a form is
//! looked at once per tile and not once per row.
//!
//! No branch depends on a value: the rows alone say which additions, doublings and multiplications
//! there are.

use std::mem::swap;

use ff::PrimeField;
use rayon::prelude::*;

use crate::{
    block::{Block, Column, Cursor, INDEX_MASK, KIND_SHIFT},
    coeffs::{self, CoeffId},
    error::{check_len, Error},
    form::Sum,
    shape::{Rows, Shape},
    witness::{set_len, Witness},
};

/// Rows that are a task of their own.
const TASK: usize = 1 << 13;
/// The most rows of a tile. It is of one run: its rows have the same form.
const TILE: usize = 128;

/// The values of A, B and C: one per row, in the order of the rows. The closing rows, one per
/// input, come last: there A is the input's value, B and C are zero. Nothing is padded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Products<S> {
    /// A·z.
    pub a: Vec<S>,
    /// B·z.
    pub b: Vec<S>,
    /// C·z.
    pub c: Vec<S>,
}

impl<S: PrimeField> Shape<S> {
    /// Evaluates all rows, on the threads of the current rayon pool. Old values in `products` are
    /// replaced, and its memory is used again. That saves the page faults of fresh memory, which is
    /// also filled with zeros first. Takes no other memory.
    ///
    /// # Errors
    /// Before a row is evaluated: the witness has another length, or its first input is not one;
    /// there is no memory.
    pub fn evaluate(&self, witness: &Witness<S>, products: &mut Products<S>) -> Result<(), Error> {
        check_len("inputs", witness.inputs.len(), self.inputs())?;
        check_len("auxiliaries", witness.aux.len(), self.aux())?;
        if witness.inputs[0] != S::ONE {
            return Err(Error::NoOne);
        }
        self.reserve_products(products)?;
        let Products { a, b, c } = products;
        for vector in [&mut *a, b, c] {
            set_len(vector, self.rows());
        }
        a.par_chunks_mut(TASK)
            .zip(b.par_chunks_mut(TASK))
            .zip(c.par_chunks_mut(TASK))
            .enumerate()
            .for_each(|(task, ((a, b), c))| self.evaluate_rows(task * TASK, witness, [a, b, c]));
        Ok(())
    }

    /// Evaluates the rows from `row` on, one per place in `values`, into A, B and C.
    fn evaluate_rows(&self, mut row: usize, witness: &Witness<S>, values: [&mut [S]; 3]) {
        let first_closing = self.rows() - self.inputs();
        let [mut a, mut b, mut c] = values;
        while row < first_closing && !a.is_empty() {
            let mut place = place(self, witness, row);
            let rows = place.rows_left.min(a.len());
            let values = [&mut a, &mut b, &mut c].map(|side| {
                let first;
                (first, *side) = std::mem::take(side).split_at_mut(rows);
                first
            });
            place.evaluate(&self.rows, values);
            row += rows;
        }
        if !a.is_empty() {
            a.copy_from_slice(&witness.inputs[row - first_closing..][..a.len()]);
            b.fill(S::ZERO);
            c.fill(S::ZERO);
        }
    }
}

/// A place in one instance of a block.
struct Place<'a, S> {
    block: &'a Block,
    /// By the kind of a column.
    variables: [&'a [S]; 4],
    cursor: Cursor,
    rows_left: usize,
}

/// The place of `row`, which is no closing row.
fn place<'a, S: PrimeField>(
    shape: &'a Shape<S>,
    witness: &'a Witness<S>,
    row: usize,
) -> Place<'a, S> {
    let Rows {
        prefix,
        block,
        widths,
        ..
    } = &*shape.rows;
    let shared = prefix.counts;
    let (block, row, inputs, aux) = match row.checked_sub(shared.rows) {
        None => (prefix, row, &[][..], &[][..]),
        Some(row) => {
            let own = block.counts;
            let repetition = row / own.rows;
            (
                block,
                row % own.rows,
                &witness.inputs[shared.inputs + repetition * own.inputs..][..own.inputs],
                &witness.aux[shared.aux + repetition * own.aux..][..own.aux],
            )
        }
    };
    Place {
        block,
        variables: [
            &witness.inputs[..shared.inputs],
            inputs,
            &witness.aux[..shared.aux],
            aux,
        ],
        cursor: block.seek(row, widths),
        rows_left: block.counts.rows - row,
    }
}

impl<S: PrimeField> Place<'_, S> {
    /// Evaluates the next rows, one per place in `values`, into A, B and C.
    fn evaluate(&mut self, rows: &Rows<S>, mut values: [&mut [S]; 3]) {
        let mut done = 0;
        let wanted = values[0].len();
        while done < wanted {
            let run = self.block.runs[self.cursor.run];
            let form = &rows.forms[run.form as usize];
            let width = rows.widths[run.form as usize];
            let rows_left = run.rows as usize - self.cursor.row_in_run;
            let count = rows_left.min(wanted - done).min(TILE);
            let columns = &self.block.columns[self.cursor.column..][..count * width];
            let mut side_start = 0;
            for (side, values) in values.iter_mut().enumerate() {
                let sum = &rows.sums[form.sums[side] as usize];
                side_start += Side {
                    coeffs: &rows.coeffs,
                    variables: self.variables,
                    constant: form.constants[side],
                    sum,
                }
                .evaluate(columns, width, side_start, &mut values[done..][..count]);
            }
            self.block.advance(&mut self.cursor, count, width);
            done += count;
        }
    }
}

/// One of A, B and C in all rows of a form.
struct Side<'a, S> {
    coeffs: &'a [S],
    variables: [&'a [S]; 4],
    constant: CoeffId,
    sum: &'a Sum,
}

impl<S: PrimeField> Side<'_, S> {
    /// Evaluates one row per place in `values`. A row has `width` columns, of which this side's
    /// begin at `start`. Returns how many are this side's.
    fn evaluate(&self, columns: &[Column], width: usize, start: usize, values: &mut [S]) -> usize {
        if self.sum.is_empty() {
            values.fill(self.coeffs[self.constant as usize]);
            return 0;
        }
        let Some((factor, level)) = self.sum.single() else {
            return self.evaluate_chains(columns, width, start, values);
        };
        let (plus, minus) = (level.plus as usize, level.minus as usize);
        let rows = || columns.chunks_exact(width).map(|row| &row[start..]);
        match (factor, plus, minus) {
            (coeffs::ONE, 1, 0) if self.constant == coeffs::ZERO => {
                for (value, row) in values.iter_mut().zip(rows()) {
                    *value = *self.variable(row[0]);
                }
            }
            (coeffs::ONE, _, _) => {
                let constant = self.coeffs[self.constant as usize];
                for (value, row) in values.iter_mut().zip(rows()) {
                    let (plus, minus) = row[..plus + minus].split_at(plus);
                    match self.constant {
                        coeffs::ZERO => self.set(value, plus, minus),
                        _ => {
                            *value = constant;
                            self.add(value, plus, minus);
                        }
                    }
                }
            }
            (coeffs::TWO, 1, 0) if self.constant == coeffs::ZERO => {
                for (value, row) in values.iter_mut().zip(rows()) {
                    *value = *self.variable(row[0]);
                    *value += self.variable(row[0]);
                }
            }
            _ => return self.evaluate_chains(columns, width, start, values),
        }
        plus + minus
    }

    /// [`evaluate`](Self::evaluate) for any sum, term by term.
    fn evaluate_chains(
        &self,
        columns: &[Column],
        width: usize,
        start: usize,
        values: &mut [S],
    ) -> usize {
        let mut terms = 0;
        let mut sums = (S::ZERO, S::ZERO);
        for (value, row) in values.iter_mut().zip(columns.chunks_exact(width)) {
            let mut rest = &row[start..];
            let mut take = |terms: u32| {
                let columns;
                (columns, rest) = rest.split_at(terms as usize);
                columns
            };
            *value = self.coeffs[self.constant as usize];
            for chain in self.sum.chains() {
                let (mut sum, mut next) = (&mut sums.0, &mut sums.1);
                let mut levels = chain.levels();
                match levels.next() {
                    Some(level) => self.set(sum, take(level.plus), take(level.minus)),
                    None => *sum = S::ZERO,
                }
                for level in levels {
                    self.set(next, take(level.plus), take(level.minus));
                    *next += &*sum;
                    *next += &*sum;
                    swap(&mut sum, &mut next);
                }
                match chain.factor {
                    coeffs::ONE => {}
                    coeffs::TWO => *value += &*sum,
                    factor => *sum *= &self.coeffs[factor as usize],
                }
                *value += &*sum;
            }
            terms = row.len() - start - rest.len();
        }
        terms
    }

    #[inline(always)]
    fn variable(&self, column: Column) -> &S {
        &self.variables[(column >> KIND_SHIFT) as usize][(column & INDEX_MASK) as usize]
    }

    /// The terms of one level, into `sum`.
    #[inline(always)]
    fn set(&self, sum: &mut S, plus: &[Column], minus: &[Column]) {
        let (first, plus) = match plus.split_first() {
            Some((first, plus)) => (self.variable(*first), plus),
            None => (&S::ZERO, plus),
        };
        *sum = *first;
        self.add(sum, plus, minus);
    }

    #[inline(always)]
    fn add(&self, sum: &mut S, plus: &[Column], minus: &[Column]) {
        for column in plus {
            *sum += self.variable(*column);
        }
        for column in minus {
            *sum -= self.variable(*column);
        }
    }
}
