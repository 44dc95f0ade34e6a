//! The forms of rows: which coefficients a row has, and in which order its terms are added.
//!
//! Few forms serve millions of rows, so a row needs no more than its form's number and its
//! columns. A form says how the row is evaluated. The constant one has no column: its coefficient
//! is where a sum starts. Terms of one coefficient, or of its negative, are added before they are
//! multiplied, and coefficients c, 2c, 4c, ... are a chain that is evaluated by doubling, from the
//! highest down, with one multiplication by c at its end:
//!
//! ```text
//! 5 + x - 3y + 6z + 12u - 12v   =   5 + x + 3 (2 (2 (u - v) + z) - y)
//! ```

use ff::PrimeField;
use rustc_hash::FxHashMap;

use crate::coeffs::{self, CoeffId, Interner};

/// How many powers of two a chain may skip. A doubling costs a fifth of a multiplication.
const MAX_GAP: usize = 3;

/// Terms of one coefficient in a chain, and of its negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Level {
    pub(crate) plus: u32,
    pub(crate) minus: u32,
}

/// factor · (level_n + 2 · (level_n-1 + 2 · (... level_0))), the highest coefficient's level first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain<'a> {
    pub(crate) factor: CoeffId,
    levels: &'a [u32],
}

impl Chain<'_> {
    /// At least one.
    #[inline(always)]
    pub(crate) fn levels(&self) -> impl ExactSizeIterator<Item = Level> + '_ {
        levels_of(self.levels)
    }
}

/// The levels that pairs of words are.
#[inline(always)]
pub(crate) fn levels_of(words: &[u32]) -> impl ExactSizeIterator<Item = Level> + '_ {
    let level = |words: &[u32]| Level {
        plus: words[0],
        minus: words[1],
    };
    words.chunks_exact(2).map(level)
}

/// A linear combination without its variables and its constant. The terms take the row's columns in
/// order: chain by chain, level by level, in a level first those to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sum {
    /// Of each chain its factor, the number of its levels, and their numbers of terms: in one
    /// piece, as a circuit can have a sum per row.
    words: Vec<u32>,
}

impl Sum {
    /// Adds a chain, which has a level.
    pub(crate) fn push(&mut self, factor: CoeffId, levels: impl ExactSizeIterator<Item = Level>) {
        self.words.extend([factor, levels.len() as u32]);
        self.words
            .extend(levels.flat_map(|level| [level.plus, level.minus]));
    }

    #[inline(always)]
    pub(crate) fn chains(&self) -> impl Iterator<Item = Chain<'_>> {
        let mut words = &self.words[..];
        std::iter::from_fn(move || {
            let [factor, count, rest @ ..] = words else {
                return None;
            };
            let levels;
            (levels, words) = rest.split_at(2 * *count as usize);
            Some(Chain {
                factor: *factor,
                levels,
            })
        })
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The chain, if there is just one, of one level.
    #[inline(always)]
    pub(crate) fn single(&self) -> Option<(CoeffId, Level)> {
        match self.words[..] {
            [factor, 1, plus, minus] => Some((factor, Level { plus, minus })),
            _ => None,
        }
    }

    /// All chains, as a file has them.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// How many columns the sum takes.
    pub(crate) fn terms(&self) -> usize {
        let terms = |chain: Chain| -> usize {
            let levels = chain.levels();
            levels.map(|l| l.plus as usize + l.minus as usize).sum()
        };
        self.chains().map(terms).sum()
    }

    /// In memory.
    pub(crate) fn held_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.words[..])
    }
}

/// A row without its columns: for A, B and C the coefficient of the constant one, and the number of
/// the sum over all other variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    pub(crate) constants: [CoeffId; 3],
    pub(crate) sums: [u32; 3],
}

/// The number of columns of a row of each form.
pub(crate) fn widths(sums: &[Sum], forms: &[Form]) -> Vec<usize> {
    let terms: Vec<usize> = sums.iter().map(Sum::terms).collect();
    let width = |form: &Form| form.sums.iter().map(|sum| terms[*sum as usize]).sum();
    forms.iter().map(width).collect()
}

/// How to evaluate combinations whose coefficients come in one particular sequence.
struct Plan {
    sum: u32,
    /// Which term of the sequence is taken first, second, and so on.
    order: Vec<u32>,
}

/// All coefficients, sums and forms of a circuit, each once.
pub(crate) struct Tables<S: PrimeField> {
    pub(crate) coeffs: Interner<S>,
    sums: Vec<Sum>,
    sum_ids: FxHashMap<Sum, u32>,
    forms: Vec<Form>,
    form_ids: FxHashMap<Form, u32>,
    plans: Vec<Plan>,
    /// By the coefficients.
    plan_ids: FxHashMap<Vec<CoeffId>, usize>,
}

impl<S: PrimeField> Tables<S> {
    pub(crate) fn new(coeffs: &[S], sums: &[Sum], forms: &[Form]) -> Self {
        let number = |index: usize| index as u32;
        Tables {
            coeffs: Interner::new(coeffs),
            sums: sums.to_vec(),
            sum_ids: sums.iter().cloned().zip((0..).map(number)).collect(),
            forms: forms.to_vec(),
            form_ids: forms.iter().copied().zip((0..).map(number)).collect(),
            plans: Vec::new(),
            plan_ids: FxHashMap::default(),
        }
    }

    /// The number of columns of a row of each form.
    pub(crate) fn widths(&self) -> Vec<usize> {
        widths(&self.sums, &self.forms)
    }

    pub(crate) fn into_parts(self) -> (Vec<S>, Vec<Sum>, Vec<Form>) {
        (self.coeffs.into_values(), self.sums, self.forms)
    }

    /// The number of the sum of terms with these coefficients, and the order in which the sum takes
    /// the terms.
    pub(crate) fn sum(&mut self, coeffs: &[CoeffId]) -> (u32, &[u32]) {
        let id = match self.plan_ids.get(coeffs) {
            Some(id) => *id,
            None => {
                let (sum, order) = plan(&self.coeffs, coeffs);
                let sum = self.sum_id(sum);
                self.plans.push(Plan { sum, order });
                let id = self.plans.len() - 1;
                self.plan_ids.insert(coeffs.to_vec(), id);
                id
            }
        };
        let Plan { sum, order } = &self.plans[id];
        (*sum, order)
    }

    fn sum_id(&mut self, sum: Sum) -> u32 {
        let sums = &mut self.sums;
        *self.sum_ids.entry(sum).or_insert_with_key(|sum| {
            sums.push(sum.clone());
            sums.len() as u32 - 1
        })
    }

    pub(crate) fn form_id(&mut self, form: Form) -> u32 {
        let forms = &mut self.forms;
        *self.form_ids.entry(form).or_insert_with(|| {
            forms.push(form);
            forms.len() as u32 - 1
        })
    }

    /// The number here of a form of other tables.
    pub(crate) fn translate(&mut self, other: &Tables<S>, form: u32) -> u32 {
        let form = other.forms[form as usize];
        let mut id = |id: CoeffId| {
            let value = &other.coeffs.values()[id as usize];
            match id {
                coeffs::ZERO => coeffs::ZERO,
                _ => self.coeffs.id(value, coeffs::ZERO),
            }
        };
        let constants = form.constants.map(&mut id);
        let sums = form.sums.map(|sum| {
            let mut translated = Sum::default();
            for chain in other.sums[sum as usize].chains() {
                translated.push(id(chain.factor), chain.levels());
            }
            translated
        });
        let sums = sums.map(|sum| self.sum_id(sum));
        self.form_id(Form { constants, sums })
    }
}

/// Terms whose coefficient is `value` or its negative.
struct Group<S> {
    value: S,
    factor: CoeffId,
    plus: Vec<u32>,
    minus: Vec<u32>,
    in_chain: bool,
}

fn plan<S: PrimeField>(table: &Interner<S>, ids: &[CoeffId]) -> (Sum, Vec<u32>) {
    let mut groups: Vec<Group<S>> = Vec::new();
    // The group of a coefficient, by its bytes.
    let mut by_value: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    let bytes = |value: &S| value.to_repr().as_ref().to_vec();
    for (term, id) in (0..).zip(ids) {
        let value = table.values()[*id as usize];
        if let Some(group) = by_value.get(&bytes(&value)) {
            groups[*group].plus.push(term);
        } else if let Some(group) = by_value.get(&bytes(&-value)) {
            groups[*group].minus.push(term);
        } else {
            // A chain goes through 2^k, not -2^k, where the table has both; else any will do.
            let negative = (table.find(&-value)).filter(|negative| negative < id);
            let (value, factor) = match negative {
                Some(negative) => (-value, negative),
                None => (value, *id),
            };
            by_value.insert(bytes(&value), groups.len());
            let (plus, minus) = match negative {
                None => (vec![term], vec![]),
                Some(_) => (vec![], vec![term]),
            };
            groups.push(Group {
                value,
                factor,
                plus,
                minus,
                in_chain: false,
            });
        }
    }

    let continues = |value: S| {
        let mut halves = (0..=MAX_GAP).scan(value, |half, _| {
            *half *= S::TWO_INV;
            Some(*half)
        });
        halves.any(|half| by_value.contains_key(&bytes(&half)))
    };
    let mut starts: Vec<usize> = (0..groups.len())
        .filter(|group| !continues(groups[*group].value))
        .collect();
    // In a small field the powers of two can be a circle, which then starts anywhere.
    starts.extend(0..groups.len());

    let mut sum = Sum::default();
    let mut order = Vec::with_capacity(ids.len());
    for start in starts {
        if groups[start].in_chain {
            continue;
        }
        let mut value = groups[start].value;
        let mut chain: Vec<Option<usize>> = Vec::new();
        let mut gap = 0;
        while gap <= MAX_GAP {
            let next = by_value.get(&bytes(&value)).copied();
            let next = next.filter(|group| !groups[*group].in_chain);
            match next {
                Some(group) => {
                    groups[group].in_chain = true;
                    gap = 0;
                }
                None => gap += 1,
            }
            chain.push(next);
            value = value.double();
        }
        chain.truncate(chain.len() - gap);
        let levels = chain.iter().rev().map(|group| {
            let Some(group) = group else {
                return Level::default();
            };
            let Group { plus, minus, .. } = &groups[*group];
            order.extend(plus.iter().chain(minus));
            Level {
                plus: plus.len() as u32,
                minus: minus.len() as u32,
            }
        });
        sum.push(groups[start].factor, levels);
    }
    (sum, order)
}
