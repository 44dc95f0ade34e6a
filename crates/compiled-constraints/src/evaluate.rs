//! The values of A, B and C in each row, from a witness and the compiled rows.
//!
//! Rows are evaluated in tiles that a first-level cache holds: run by run, and in a run first A of
//! all rows, then B, then C. So a form is looked at once per run and not once per row. A tile's
//! results go to rayon's unzipping collector, which writes each to its place on the thread that
//! computed it; fresh memory is touched there for the first time.
//!
//! No branch depends on a value: the rows alone say which additions, doublings and multiplications
//! there are.

use std::ops::Range;

use ff::PrimeField;
use rayon::{
    iter::plumbing::{bridge, Consumer, Producer, ProducerCallback, UnindexedConsumer},
    prelude::*,
};

use crate::{
    block::{Block, Column, Cursor, INDEX_MASK, KIND_SHIFT},
    coeffs::{self, CoeffId},
    error::{check_len, Error},
    form::{Level, Sum},
    shape::{Rows, Shape},
    witness::Witness,
};

/// Rows evaluated at once: their A, B and C are 12 KiB where a scalar has 32 bytes.
const TILE: usize = 128;
/// The fewest rows that are worth a task of their own.
const TASK: usize = 1 << 12;

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
    /// replaced; its memory is used again, which saves the page faults of fresh memory. Takes none
    /// besides, but for some KiB per thread.
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
        let all = AllRows {
            shape: self,
            witness,
            range: 0..self.rows(),
        };
        let emptied = |vector: &mut Vec<S>| {
            vector.clear();
            std::mem::take(vector)
        };
        let Products { a, b, c } = products;
        let mut vectors = (emptied(a), (emptied(b), emptied(c)));
        vectors.par_extend(all);
        (*a, (*b, *c)) = vectors;
        Ok(())
    }
}

/// Rows to be evaluated, as an iterator of rayon's.
#[derive(Clone)]
struct AllRows<'a, S> {
    shape: &'a Shape<S>,
    witness: &'a Witness<S>,
    range: Range<usize>,
}

impl<S: PrimeField> ParallelIterator for AllRows<'_, S> {
    type Item = (S, (S, S));

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    /// With it, the vectors know where each row's values go.
    fn opt_len(&self) -> Option<usize> {
        Some(self.range.len())
    }
}

impl<S: PrimeField> IndexedParallelIterator for AllRows<'_, S> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<CB: ProducerCallback<Self::Item>>(self, callback: CB) -> CB::Output {
        callback.callback(self)
    }
}

impl<'a, S: PrimeField> Producer for AllRows<'a, S> {
    type Item = (S, (S, S));
    type IntoIter = Tiles<'a, S>;

    fn into_iter(self) -> Tiles<'a, S> {
        Tiles {
            values: [(); 3].map(|()| vec![S::ZERO; TILE]),
            next: 0,
            filled: 0,
            place: None,
            rows: self,
        }
    }

    fn min_len(&self) -> usize {
        TASK
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let middle = self.range.start + index;
        let with = |range| AllRows {
            range,
            ..self.clone()
        };
        (with(self.range.start..middle), with(middle..self.range.end))
    }
}

/// The values of rows in order, a tile at a time.
struct Tiles<'a, S> {
    /// Those that are not in the tile yet.
    rows: AllRows<'a, S>,
    /// Of A, B and C.
    values: [Vec<S>; 3],
    /// The next of the tile's rows, and their number.
    next: usize,
    filled: usize,
    /// The place of the next row that is not in the tile.
    place: Option<Place<'a, S>>,
}

/// A place in one instance of a block.
struct Place<'a, S> {
    block: &'a Block,
    /// By the kind of a column.
    variables: [&'a [S]; 4],
    cursor: Cursor,
    rows_left: usize,
}

impl<'a, S: PrimeField> Tiles<'a, S> {
    /// Evaluates the next rows, of which there must be one.
    #[inline(never)]
    fn fill(&mut self) {
        let AllRows {
            shape,
            witness,
            range,
        } = &mut self.rows;
        self.next = 0;
        self.filled = 0;
        let wanted = range.len().min(TILE);
        while self.filled < wanted {
            let row = range.start;
            let filled = self.filled;
            let first_closing = shape.rows() - shape.inputs();
            let rows = if row >= first_closing {
                let rows = wanted - filled;
                let input = row - first_closing;
                let [a, b, c] = self
                    .values
                    .each_mut()
                    .map(|side| &mut side[filled..][..rows]);
                a.copy_from_slice(&witness.inputs[input..][..rows]);
                b.fill(S::ZERO);
                c.fill(S::ZERO);
                rows
            } else {
                let place = self.place.get_or_insert_with(|| place(shape, witness, row));
                let rows = place.rows_left.min(wanted - filled);
                let values = self
                    .values
                    .each_mut()
                    .map(|side| &mut side[filled..][..rows]);
                place.evaluate(&shape.rows, values);
                if place.rows_left == 0 {
                    self.place = None;
                }
                rows
            };
            self.filled += rows;
            range.start += rows;
        }
    }

    fn value(&self, index: usize) -> (S, (S, S)) {
        let [a, b, c] = &self.values;
        (a[index], (b[index], c[index]))
    }
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
            let count = (run.rows as usize - self.cursor.row_in_run).min(wanted - done);
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
        self.rows_left -= wanted;
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
                    *value = match plus.split_first() {
                        Some((first, plus)) if self.constant == coeffs::ZERO => {
                            self.add(*self.variable(*first), plus, minus)
                        }
                        _ => self.add(constant, plus, minus),
                    };
                }
            }
            (coeffs::TWO, 1, 0) if self.constant == coeffs::ZERO => {
                for (value, row) in values.iter_mut().zip(rows()) {
                    *value = self.variable(row[0]).double();
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
        for (value, row) in values.iter_mut().zip(columns.chunks_exact(width)) {
            let mut rest = &row[start..];
            let mut take = |terms: u32| {
                let columns;
                (columns, rest) = rest.split_at(terms as usize);
                columns
            };
            let mut total = self.coeffs[self.constant as usize];
            for chain in self.sum.chains() {
                let mut levels = chain.levels();
                let mut sum = match levels.next() {
                    // Nearly all chains of sums with many coefficients.
                    Some(Level { plus: 1, minus: 0 }) => *self.variable(take(1)[0]),
                    Some(level) => self.add(S::ZERO, take(level.plus), take(level.minus)),
                    None => S::ZERO,
                };
                for level in levels {
                    sum = self.add(sum.double(), take(level.plus), take(level.minus));
                }
                total += match chain.factor {
                    coeffs::ONE => sum,
                    coeffs::TWO => sum.double(),
                    factor => sum * self.coeffs[factor as usize],
                };
            }
            *value = total;
            terms = row.len() - start - rest.len();
        }
        terms
    }

    #[inline(always)]
    fn variable(&self, column: Column) -> &S {
        &self.variables[(column >> KIND_SHIFT) as usize][(column & INDEX_MASK) as usize]
    }

    #[inline(always)]
    fn add(&self, mut sum: S, plus: &[Column], minus: &[Column]) -> S {
        for column in plus {
            sum += self.variable(*column);
        }
        for column in minus {
            sum -= self.variable(*column);
        }
        sum
    }
}

impl<S: PrimeField> Iterator for Tiles<'_, S> {
    type Item = (S, (S, S));

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.filled {
            if self.rows.range.is_empty() {
                return None;
            }
            self.fill();
        }
        let value = self.value(self.next);
        self.next += 1;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.filled - self.next + self.rows.range.len();
        (left, Some(left))
    }
}

impl<S: PrimeField> ExactSizeIterator for Tiles<'_, S> {}

/// Rayon asks for it and does not use it here.
impl<S: PrimeField> DoubleEndedIterator for Tiles<'_, S> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if let Some(last) = self.rows.range.next_back() {
            let row = AllRows {
                range: last..last + 1,
                ..self.rows.clone()
            };
            return Producer::into_iter(row).next();
        }
        if self.next == self.filled {
            return None;
        }
        self.filled -= 1;
        Some(self.value(self.filled))
    }
}
