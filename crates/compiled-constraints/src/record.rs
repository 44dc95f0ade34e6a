//! The constraint system that records a circuit's rows and needs no values.
//!
//! A circuit that repeats itself is recorded once up to the end of its first repetition. Its second
//! and third are only compared with the first: they must be the same rows, over the same shared
//! variables, with the repetition's own variables moved.

use std::ops::Range;

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

use crate::{
    block::{self, Block, Column, Counts, Cursor, INDEX_MASK, KIND_SHIFT},
    coeffs::{self, CoeffId},
    count,
    error::{check_len, Difference, Error},
    form::{Form, Tables},
    shape::{Rows, Shape},
};

impl<S: PrimeField> Shape<S> {
    /// Records `circuit` whole. The closures that give values are not called. Costs a synthesis, on
    /// the current thread, and a vector that grows with the rows: at most twice what
    /// [`held_bytes`](Self::held_bytes) says afterwards, and its copy where the allocator copies.
    ///
    /// # Errors
    /// The circuit's own; it has 2^30 or more variables of a kind.
    pub fn record<C: Circuit<S>>(circuit: C) -> Result<Self, Error> {
        let mut recorder = Recorder::whole();
        recorder.one();
        circuit.synthesize(&mut recorder)?;
        recorder.finish()
    }

    /// Records a circuit that repeats itself: `circuit(n)` has n repetitions. Only the rows of the
    /// first repetition and those before it are kept; [`repeated`](Self::repeated) makes any number
    /// of repetitions of them. This shape has one.
    ///
    /// Costs two counting passes, of one and two repetitions, and the synthesis of three, all on
    /// the current thread. Memory is that of [`record`](Self::record) for one repetition.
    ///
    /// # Errors
    /// The circuit's own; three repetitions have 2^30 or more variables of a kind; the circuit does
    /// not repeat itself, where the first row that differs is named if there is one. Then
    /// [`record`](Self::record) keeps it whole.
    pub fn record_repeating<C, F>(circuit: F) -> Result<Self, Error>
    where
        C: Circuit<S>,
        F: Fn(usize) -> Result<C, SynthesisError>,
    {
        let one = Counts::of(circuit(1)?)?;
        let two = Counts::of(circuit(2)?)?;
        let (Some(block), true) = (two.checked_sub(one), two.rows > one.rows) else {
            return Err(Error::NoRepetition);
        };
        let Some(prefix) = one.checked_sub(block).filter(|prefix| prefix.inputs > 0) else {
            return Err(Error::NoRepetition);
        };
        let mut recorder = Recorder::repeating(prefix, block);
        recorder.one();
        circuit(3)?.synthesize(&mut recorder)?;
        if let Some(difference) = recorder.difference {
            let name = count::name_of_row(circuit(3)?, difference.row);
            return Err(Error::Differs(Difference { name, ..difference }));
        }
        if recorder.counts.checked_sub(two) != Some(block) {
            return Err(Error::NoRepetition);
        }
        Ok(recorder.finish()?.repeated(1))
    }

    /// Compares the rows of `circuit` with these, one by one.
    ///
    /// # Errors
    /// The circuit's own; the first row that differs; another number of rows or variables.
    pub(crate) fn compare<C: Circuit<S> + Clone>(&self, circuit: C) -> Result<(), Error> {
        let mut recorder = Recorder::against(self);
        recorder.one();
        circuit.clone().synthesize(&mut recorder)?;
        let counts = recorder.counts;
        if let Some(difference) = recorder.difference {
            let name = count::name_of_row(circuit, difference.row);
            return Err(Error::Differs(Difference { name, ..difference }));
        }
        check_len("rows", counts.rows, self.rows() - self.inputs())?;
        check_len("inputs", counts.inputs, self.inputs())?;
        check_len("auxiliaries", counts.aux, self.aux())
    }
}

/// While rows are recorded, a column is a variable of the whole circuit: its index, with this bit
/// for an auxiliary.
const AUX: u32 = 1 << 31;

/// What is done with rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Rows of the prefix and of the first repetition are recorded, all others compared.
    Record,
    /// All are compared.
    Compare,
}

pub(crate) struct Recorder<S: PrimeField> {
    tables: Tables<S>,
    mode: Mode,
    /// Where repetitions begin, and how large they are.
    prefix: Counts,
    repetition: Counts,
    /// What was recorded.
    prefix_rows: Block,
    block_rows: Block,
    /// So far.
    counts: Counts,
    part: Part,
    /// The row to compare with.
    cursor: Cursor,
    difference: Option<Difference>,
    /// The variables of the row in work, as [`AUX`] says.
    columns: Vec<u32>,
    /// The coefficients of one of its combinations.
    ids: Vec<CoeffId>,
    /// The columns of that combination, in the order in which they came.
    unordered: Vec<u32>,
}

/// The prefix or a repetition: the rows and variables that are its own.
struct Part {
    /// 0 for the prefix.
    number: usize,
    end_row: usize,
    inputs: Range<usize>,
    aux: Range<usize>,
}

impl<S: PrimeField> Recorder<S> {
    fn whole() -> Self {
        let everything = Counts {
            rows: usize::MAX,
            inputs: usize::MAX,
            aux: usize::MAX,
        };
        Self::repeating(everything, Counts::default())
    }

    fn repeating(prefix: Counts, repetition: Counts) -> Self {
        Recorder {
            tables: Tables::new(&coeffs::fixed(), &[], &[]),
            mode: Mode::Record,
            prefix,
            repetition,
            prefix_rows: Block::default(),
            block_rows: Block::default(),
            counts: Counts::default(),
            part: Part {
                number: 0,
                end_row: prefix.rows,
                inputs: 0..0,
                aux: 0..0,
            },
            cursor: Cursor::default(),
            difference: None,
            columns: Vec::new(),
            ids: Vec::new(),
            unordered: Vec::new(),
        }
    }

    fn against(shape: &Shape<S>) -> Self {
        let rows = &*shape.rows;
        Recorder {
            tables: Tables::new(&rows.coeffs, &rows.sums, &rows.forms),
            mode: Mode::Compare,
            prefix_rows: rows.prefix.clone(),
            block_rows: rows.block.clone(),
            ..Self::repeating(rows.prefix.counts, rows.block.counts)
        }
    }

    /// Allocates the constant one, as a prover does before the circuit.
    fn one(&mut self) {
        self.counts.inputs = 1;
    }

    fn finish(mut self) -> Result<Shape<S>, Error> {
        block::check_size(self.counts)?;
        let rows = |part: &Block| part.counts.rows;
        self.prefix_rows.counts = Counts {
            rows: rows(&self.prefix_rows),
            inputs: self.prefix.inputs.min(self.counts.inputs),
            aux: self.prefix.aux.min(self.counts.aux),
        };
        self.block_rows.counts = Counts {
            rows: rows(&self.block_rows),
            ..self.repetition
        };
        for block in [&mut self.prefix_rows, &mut self.block_rows] {
            block.runs.shrink_to_fit();
            block.columns.shrink_to_fit();
        }
        let rows = Rows::new(self.tables.into_parts(), self.prefix_rows, self.block_rows);
        Ok(Shape {
            rows: rows.into(),
            repetitions: 0,
        })
    }

    /// Adds a combination to the row in work. Returns the constant and the number of the sum.
    fn combination(&mut self, terms: &LinearCombination<S>) -> (CoeffId, u32) {
        self.ids.clear();
        self.unordered.clear();
        let mut constant = coeffs::ZERO;
        let mut previous = coeffs::ZERO;
        // A zero coefficient counts for nothing, nor does it in a density.
        for (input, coeff) in terms.iter_inputs() {
            if coeff.is_zero_vartime() {
                continue;
            }
            previous = self.tables.coeffs.id(coeff, previous);
            if *input == 0 {
                constant = previous;
            } else {
                self.ids.push(previous);
                self.unordered.push(*input as u32 & !AUX);
            }
        }
        for (aux, coeff) in terms.iter_aux() {
            if coeff.is_zero_vartime() {
                continue;
            }
            previous = self.tables.coeffs.id(coeff, previous);
            self.ids.push(previous);
            self.unordered.push(*aux as u32 | AUX);
        }
        let (sum, order) = self.tables.sum(&self.ids);
        let columns = order.iter().map(|term| self.unordered[*term as usize]);
        self.columns.extend(columns);
        (constant, sum)
    }

    /// Adds a row of this form over the columns in work.
    fn push_row(&mut self, form: u32) {
        let row = self.counts.rows;
        self.counts.rows += 1;
        if self.difference.is_some() {
            return;
        }
        while row == self.part.end_row {
            self.enter_next_part();
        }
        if let Err(reason) = self.place(form) {
            self.difference = Some(Difference {
                row,
                name: None,
                reason,
            });
        }
    }

    fn enter_next_part(&mut self) {
        let Part {
            number, end_row, ..
        } = self.part;
        let after =
            |prefix: usize, size: usize| prefix + number * size..prefix + (number + 1) * size;
        self.part = Part {
            number: number + 1,
            // A whole circuit has no repetition; one that is longer than the compiled ends up here.
            end_row: end_row + self.repetition.rows.max(1),
            inputs: after(self.prefix.inputs, self.repetition.inputs),
            aux: after(self.prefix.aux, self.repetition.aux),
        };
        self.cursor = Cursor::default();
    }

    /// Records or compares the row in work.
    fn place(&mut self, form: u32) -> Result<(), &'static str> {
        let (prefix, part) = (&self.prefix, &self.part);
        let local = |column: &u32| {
            let index = (column & !AUX) as usize;
            let (shared, own, kinds) = match column & AUX {
                0 => (
                    prefix.inputs,
                    &part.inputs,
                    [block::SHARED_INPUT, block::OWN_INPUT],
                ),
                _ => (prefix.aux, &part.aux, [block::SHARED_AUX, block::OWN_AUX]),
            };
            // An index too large for a column is found at the end, by the number of variables.
            if index < shared {
                Ok(kinds[0] | (index as Column & INDEX_MASK))
            } else if own.contains(&index) {
                Ok(kinds[1] | ((index - own.start) as Column & INDEX_MASK))
            } else {
                Err("is over a variable of another repetition")
            }
        };
        let columns = self.columns.iter().map(local);
        let block = match part.number {
            0 => &mut self.prefix_rows,
            _ => &mut self.block_rows,
        };
        if self.mode == Mode::Record && part.number <= 1 {
            for column in columns {
                block.columns.push(column?);
            }
            block.push_row(form);
            return Ok(());
        }
        let Some(run) = block.runs.get(self.cursor.run) else {
            return Err("comes after the last one that was compiled");
        };
        if run.form != form {
            return Err("has other coefficients than the one that was compiled");
        }
        let compiled = &block.columns[self.cursor.column..][..self.columns.len()];
        for (column, compiled) in columns.zip(compiled) {
            if column? != *compiled {
                return Err("is over other variables than the one that was compiled");
            }
        }
        block.advance(&mut self.cursor, 1, self.columns.len());
        Ok(())
    }
}

impl<S: PrimeField> ConstraintSystem<S> for Recorder<S> {
    type Root = Self;

    fn new() -> Self {
        Self::whole()
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.counts.aux += 1;
        Ok(Variable(Index::Aux(self.counts.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.counts.inputs += 1;
        Ok(Variable(Index::Input(self.counts.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        self.columns.clear();
        let a = self.combination(&a(LinearCombination::zero()));
        let b = self.combination(&b(LinearCombination::zero()));
        let c = self.combination(&c(LinearCombination::zero()));
        let form = self.tables.form_id(Form {
            constants: [a.0, b.0, c.0],
            sums: [a.1, b.1, c.1],
        });
        self.push_row(form);
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    /// As a prover answers, since circuits may take another way by it.
    fn is_extensible() -> bool {
        true
    }

    /// The other was made by `new`, so it is whole.
    fn extend(&mut self, other: &Self) {
        let (inputs, aux) = (self.counts.inputs, self.counts.aux);
        let mut rest = &other.prefix_rows.columns[..];
        let widths = other.tables.widths();
        for run in &other.prefix_rows.runs {
            let width = widths[run.form as usize];
            let form = self.tables.translate(&other.tables, run.form);
            for _ in 0..run.rows {
                let columns;
                (columns, rest) = rest.split_at(width);
                self.columns.clear();
                // The other's first input is its own constant one, which no column is.
                self.columns.extend(columns.iter().map(|column| {
                    let index = (column & INDEX_MASK) as usize;
                    match column >> KIND_SHIFT << KIND_SHIFT {
                        block::SHARED_INPUT => (inputs + index - 1) as u32 & !AUX,
                        _ => (aux + index) as u32 | AUX,
                    }
                }));
                self.push_row(form);
            }
        }
        self.counts.inputs += other.counts.inputs.saturating_sub(1);
        self.counts.aux += other.counts.aux;
    }
}
