//! The table of distinct coefficients. Rows refer to them by a number.

use ff::PrimeField;
use rustc_hash::FxHashMap;

/// A coefficient's number in the table.
pub(crate) type CoeffId = u32;

pub(crate) const ZERO: CoeffId = 0;
pub(crate) const ONE: CoeffId = 1;
pub(crate) const MINUS_ONE: CoeffId = 2;
pub(crate) const TWO: CoeffId = 3;

/// The coefficients that every table begins with: 0, 1, -1, 2, -2.
pub(crate) fn fixed<S: PrimeField>() -> [S; 5] {
    let two = S::ONE.double();
    [S::ZERO, S::ONE, -S::ONE, two, -two]
}

/// Numbers coefficients in the order in which they come.
pub(crate) struct Interner<S: PrimeField> {
    values: Vec<S>,
    ids: FxHashMap<Vec<u8>, CoeffId>,
    /// The number of twice a coefficient, where known; `ZERO` where not.
    doubles: Vec<CoeffId>,
}

impl<S: PrimeField> Interner<S> {
    /// Continues a table, which begins with the fixed coefficients and has each only once.
    pub(crate) fn new(table: &[S]) -> Self {
        let mut interner = Interner {
            values: Vec::new(),
            ids: FxHashMap::default(),
            doubles: Vec::new(),
        };
        for value in table {
            interner.insert(value);
        }
        interner
    }

    pub(crate) fn values(&self) -> &[S] {
        &self.values
    }

    pub(crate) fn into_values(self) -> Vec<S> {
        self.values
    }

    /// The number of `value`. `previous` is the number of the coefficient that came before it in
    /// its row: most long rows double from term to term, and then nothing is hashed.
    #[inline]
    pub(crate) fn id(&mut self, value: &S, previous: CoeffId) -> CoeffId {
        if *value == S::ONE {
            return ONE;
        }
        if *value == self.values[MINUS_ONE as usize] {
            return MINUS_ONE;
        }
        let guess = self.doubles[previous as usize];
        if self.values[guess as usize] == *value {
            return guess;
        }
        let id = self.find(value).unwrap_or_else(|| self.insert(value));
        if self.values[previous as usize].double() == *value {
            self.doubles[previous as usize] = id;
        }
        id
    }

    pub(crate) fn find(&self, value: &S) -> Option<CoeffId> {
        self.ids.get(value.to_repr().as_ref()).copied()
    }

    fn insert(&mut self, value: &S) -> CoeffId {
        // Memory ends long before 2^32 coefficients.
        let id = self.values.len() as CoeffId;
        self.values.push(*value);
        self.doubles.push(ZERO);
        self.ids.insert(value.to_repr().as_ref().to_vec(), id);
        id
    }
}
