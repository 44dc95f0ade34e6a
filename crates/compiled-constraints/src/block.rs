//! A block of rows that is kept once and stands for each of its repetitions.
//!
//! A column says whether its variable is shared by all repetitions or the repetition's own, and
//! counts inputs and auxiliaries of either from 0. So an instance of a block is four slices of the
//! witness.

use crate::error::Error;

/// A variable of a row: the kind in the upper two bits, the index in the lower 30.
pub(crate) type Column = u32;

pub(crate) const KIND_SHIFT: u32 = 30;
pub(crate) const INDEX_MASK: u32 = (1 << KIND_SHIFT) - 1;
pub(crate) const SHARED_INPUT: u32 = 0 << KIND_SHIFT;
pub(crate) const OWN_INPUT: u32 = 1 << KIND_SHIFT;
pub(crate) const SHARED_AUX: u32 = 2 << KIND_SHIFT;
pub(crate) const OWN_AUX: u32 = 3 << KIND_SHIFT;

/// Neighbouring rows of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) form: u32,
    pub(crate) rows: u32,
}

/// Numbers of rows and variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Constraints, without the closing rows.
    pub rows: usize,
    /// Public inputs; the constant one is counted with those that repetitions share.
    pub inputs: usize,
    /// Auxiliary variables.
    pub aux: usize,
}

impl Counts {
    /// The differences. None where one would be below zero.
    pub(crate) fn checked_sub(self, other: Counts) -> Option<Counts> {
        Some(Counts {
            rows: self.rows.checked_sub(other.rows)?,
            inputs: self.inputs.checked_sub(other.inputs)?,
            aux: self.aux.checked_sub(other.aux)?,
        })
    }
}

/// The place of a row in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) run: usize,
    /// Rows of the run that lie before.
    pub(crate) row_in_run: usize,
    /// Columns of the block that lie before.
    pub(crate) column: usize,
}

/// Rows, in order: their forms in runs, their columns one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) counts: Counts,
    pub(crate) runs: Vec<Run>,
    pub(crate) columns: Vec<Column>,
    /// The place of every `STRIDE`-th row.
    pub(crate) index: Vec<Cursor>,
}

/// How far apart the rows are whose places a block keeps.
const STRIDE: usize = 1 << 12;

impl Block {
    pub(crate) fn push_row(&mut self, form: u32) {
        self.counts.rows += 1;
        match self.runs.last_mut() {
            Some(run) if run.form == form && run.rows < u32::MAX => run.rows += 1,
            _ => self.runs.push(Run { form, rows: 1 }),
        }
    }

    /// Fills the index. `widths` has the number of columns of a row of each form.
    pub(crate) fn note_places(&mut self, widths: &[usize]) {
        let mut index = Vec::with_capacity(self.counts.rows / STRIDE + 1);
        let (mut row, mut column) = (0, 0);
        for (run, Run { form, rows }) in self.runs.iter().enumerate() {
            let (rows, width) = (*rows as usize, widths[*form as usize]);
            while index.len() * STRIDE < row + rows {
                let row_in_run = index.len() * STRIDE - row;
                index.push(Cursor {
                    run,
                    row_in_run,
                    column: column + row_in_run * width,
                });
            }
            row += rows;
            column += rows * width;
        }
        self.index = index;
    }

    /// The place of `row`, one of this block's.
    pub(crate) fn seek(&self, row: usize, widths: &[usize]) -> Cursor {
        let mut cursor = self.index[row / STRIDE];
        let mut left = row % STRIDE;
        while left > 0 {
            let Run { form, rows } = self.runs[cursor.run];
            let rows = (rows as usize - cursor.row_in_run).min(left);
            self.advance(&mut cursor, rows, widths[form as usize]);
            left -= rows;
        }
        cursor
    }

    /// Moves the cursor on by so many rows of its run.
    pub(crate) fn advance(&self, cursor: &mut Cursor, rows: usize, width: usize) {
        cursor.row_in_run += rows;
        cursor.column += rows * width;
        if cursor.row_in_run == self.runs[cursor.run].rows as usize {
            cursor.run += 1;
            cursor.row_in_run = 0;
        }
    }

    /// The bytes in the block's vectors.
    pub(crate) fn held_bytes(&self) -> usize {
        size_of_val(&self.runs[..]) + size_of_val(&self.columns[..]) + size_of_val(&self.index[..])
    }
}

/// # Errors
/// There are more variables than columns can tell apart.
pub(crate) fn check_size(counts: Counts) -> Result<(), Error> {
    for (of, count) in [("inputs", counts.inputs), ("auxiliaries", counts.aux)] {
        if count > INDEX_MASK as usize {
            return Err(Error::TooLarge { of });
        }
    }
    Ok(())
}
