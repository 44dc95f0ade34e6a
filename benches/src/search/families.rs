//! Where programs come from: families of them with random parameters, random steps, and changes to
//! programs that were found.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use super::program::*;

/// The source of random choices.
pub type Dice = rand_chacha::ChaCha8Rng;

/// The register that most measured steps write.
const SUM: Register = OPERANDS;

/// A program touches at most so many terms, as far as one can know before.
const MOST_WORK: usize = 200_000;

/// The most terms of a list.
const MOST_TERMS: usize = 3000;

type Family = (&'static str, fn(&mut Maker));

const FAMILIES: [Family; 13] = [
    ("one by one", Maker::one_by_one),
    ("made and dropped", Maker::made_and_dropped),
    ("kept", Maker::kept),
    ("sum of two", Maker::sum_of_two),
    ("clones of a sum", Maker::clones_of_sum),
    ("sum so far", Maker::sum_so_far),
    ("sum of the kept", Maker::sum_of_kept),
    ("onto zero", Maker::onto_zero),
    ("onto a clone", Maker::onto_clone),
    ("reads", Maker::reads),
    ("compared", Maker::compared),
    ("changed in place", Maker::changed_in_place),
    ("any steps", Maker::any_steps),
];

/// A program of a random family.
pub fn random(dice: &mut Dice) -> Program {
    loop {
        let (family, make) = FAMILIES[dice.gen_range(0..FAMILIES.len())];
        let mut maker = Maker::of(Dice::seed_from_u64(dice.gen()), family);
        make(&mut maker);
        if work(&maker.program) <= MOST_WORK {
            return maker.program;
        }
    }
}

/// Always the same programs for a seed.
pub fn fixed(seed: u64, count: usize) -> Vec<Program> {
    let mut dice = Dice::seed_from_u64(seed);
    (0..count).map(|_| random(&mut dice)).collect()
}

/// A combination of so many auxiliaries, pushed or cloned, as its result.
pub fn result(len: usize, cloned: bool) -> Program {
    let terms = Terms {
        kinds: Kinds::Aux,
        start: 0,
        stride: 1,
        len,
        order: Order::Ascending,
        coeffs: Coeffs::One,
    };
    let push = |to| Step::Push(to, 0, Push::Term, None);
    let (setup, measured) = if cloned {
        (vec![push(0)], vec![Step::Clone(SUM, 0)])
    } else {
        (vec![], vec![push(SUM)])
    };
    Program {
        family: "",
        lists: vec![terms],
        setup,
        measured,
    }
}

/// The program with a few random changes.
pub fn changed(dice: &mut Dice, program: &Program) -> Program {
    loop {
        let mut maker = Maker {
            program: program.clone(),
            dice: Dice::seed_from_u64(dice.gen()),
        };
        for _ in 0..maker.dice.gen_range(1..4) {
            maker.change();
        }
        if work(&maker.program) <= MOST_WORK {
            return maker.program;
        }
    }
}

/// A bound on the terms that a program touches.
fn work(program: &Program) -> usize {
    /// Terms that are added, and how often anything is done with all that there are.
    fn of(lists: &[Terms], steps: &[Step]) -> (usize, usize) {
        let of_step = |step: &Step| match *step {
            Step::Push(_, list, _, None) => (lists[list].len, 0),
            Step::Push(_, list, _, Some(_)) => (lists[list].len, lists[list].len),
            Step::Parts(list, _) => (lists[list].len, 3),
            Step::Collect(..) => (0, 100),
            Step::Read(_, Read::Debug) => (0, 30),
            Step::Repeat(times, ref steps) => {
                let (terms, whole) = of(lists, steps);
                (terms, times * (whole + 1 + terms / 100))
            }
            _ => (0, 1),
        };
        let steps = steps.iter().map(of_step);
        steps.fold((0, 0), |sum, step| (sum.0 + step.0, sum.1 + step.1))
    }
    let setup = of(&program.lists, &program.setup);
    let measured = of(&program.lists, &program.measured);
    (setup.0 + measured.0) * (2 + setup.1 + measured.1)
}

/// For what is short.
fn often(steps: Vec<Step>) -> Step {
    Step::Repeat(20, steps)
}

/// A program in the making.
struct Maker {
    dice: Dice,
    program: Program,
}

impl Maker {
    fn of(dice: Dice, family: &'static str) -> Self {
        let program = Program {
            family,
            lists: Vec::new(),
            setup: Vec::new(),
            measured: Vec::new(),
        };
        Maker { dice, program }
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        *all.choose(&mut self.dice).expect("a choice")
    }

    /// Whether one of so many comes.
    fn one_in(&mut self, count: u32) -> bool {
        self.dice.gen_ratio(1, count)
    }

    fn len(&mut self) -> usize {
        match self.dice.gen_range(0..10) {
            0 => self.dice.gen_range(0..=2),
            1..=3 => self.dice.gen_range(1..=6),
            4..=5 => self.dice.gen_range(7..=40),
            6..=7 => self.dice.gen_range(33..=300),
            8 => self.dice.gen_range(200..=1100),
            _ => self.dice.gen_range(1000..=MOST_TERMS),
        }
    }

    fn times(&mut self) -> usize {
        self.one_of(&[2, 3, 5, 10, 20, 50, 100])
    }

    fn terms(&mut self) -> Terms {
        use {Coeffs::*, Kinds::*, Order::*};
        let kinds = [Aux, Aux, Aux, Aux, OneThenAux, AuxThenOne, Inputs, InTurn];
        let often = [Ascending; 3].into_iter();
        let orders = [
            Descending, Shuffled, Ends, Halves, Words, Twice, Again, Swapped,
        ];
        let orders: Vec<_> = often.chain(orders).collect();
        let coeffs = [One, MinusOne, Powers, Random, Random, Mixed, Coeffs::Zero];
        Terms {
            kinds: self.one_of(&kinds),
            start: self.one_of(&[0, 0, 1, 2, 100, 1000, 5000]),
            stride: self.one_of(&[1, 1, 1, 2, 2, 3, 5]),
            len: self.len(),
            order: self.one_of(&orders),
            coeffs: self.one_of(&coeffs),
        }
    }

    /// Makes terms a list of the program.
    fn list(&mut self, terms: Terms) -> List {
        self.program.lists.push(terms);
        self.program.lists.len() - 1
    }

    fn any_list(&mut self) -> List {
        let terms = self.terms();
        self.list(terms)
    }

    fn push(&mut self) -> Push {
        use Push::*;
        let combinations = [Combination, MinusCombination, ScaledVariable];
        let terms = [Term, Term, MinusTerm, Variable, MinusVariable];
        if self.one_in(3) {
            self.one_of(&combinations)
        } else {
            self.one_of(&terms)
        }
    }

    fn read(&mut self) -> Read {
        use Read::*;
        let iterators = [Iter, IterInputs, IterAux];
        let others = [
            EvalRandom, EvalRandom, EvalBits, EvalZeros, Len, IsEmpty, Debug, Clone,
        ];
        if self.one_in(3) {
            self.one_of(&iterators)
        } else {
            self.one_of(&others)
        }
    }

    fn maybe_read(&mut self) -> Option<Read> {
        self.one_in(3).then(|| self.read())
    }

    fn scale(&mut self) -> Scale {
        use Scale::*;
        self.one_of(&[One, MinusOne, Zero, Shift, Shifts, Random, Fresh, Fresh])
    }

    fn by(&mut self) -> By {
        By {
            minus: self.one_in(3),
            scale: (!self.one_in(3)).then(|| self.scale()),
        }
    }

    fn collect(&mut self) -> Step {
        let to = self.local();
        let collect = Collect {
            clone: self.one_in(3),
            read: self.maybe_read(),
        };
        Step::Collect(to, self.by(), collect)
    }

    /// A register that measured steps write.
    fn local(&mut self) -> Register {
        self.one_of(&[SUM, SUM, SUM, SUM + 1, SUM + 2])
    }

    fn any(&mut self) -> Register {
        self.one_of(&[0, 0, 1, 1, 2, SUM, SUM, SUM + 1, SUM + 2])
    }

    /// Any step of the set-up.
    fn setup_step(&mut self) -> Step {
        let (to, from) = (self.one_of(&[0, 1, 2]), self.one_of(&[0, 1, 2]));
        self.writing_step(to, from)
    }

    /// Any measured step.
    fn step(&mut self) -> Step {
        let (to, from) = (self.local(), self.any());
        match self.dice.gen_range(0..15) {
            0 => Step::Zero(to),
            1 => Step::Equal(from, self.any()),
            2 => Step::Keep(to),
            3 => Step::KeepClone(from),
            4 => self.collect(),
            5 => Step::ReadKept(self.read()),
            6 => Step::DropKept(self.one_of(&[Thread::This, Thread::This, Thread::Another])),
            7 | 8 => Step::Read(from, self.read()),
            _ => self.writing_step(to, from),
        }
    }

    fn writing_step(&mut self, to: Register, from: Register) -> Step {
        match self.dice.gen_range(0..7) {
            0 => self.operand(to),
            1 => Step::Clone(to, from),
            2 => Step::Multiply(to, self.scale()),
            3 => self.parts(true),
            _ => Step::Combine(to, from, self.by()),
        }
    }

    /// Terms pushed, never read meanwhile.
    fn operand(&mut self, to: Register) -> Step {
        Step::Push(to, self.any_list(), self.push(), None)
    }

    /// Terms pushed, perhaps read meanwhile.
    fn pushed(&mut self, to: Register) -> Step {
        let read = self.one_in(5).then(|| self.read());
        Step::Push(to, self.any_list(), self.push(), read)
    }

    /// Operands of related variables: the same, interleaved, disjoint, some of the other's, or any.
    fn related(&mut self, count: usize) {
        let first = Terms {
            stride: 2,
            ..self.terms()
        };
        for register in 0..count {
            let mut terms = Terms {
                coeffs: self.terms().coeffs,
                ..first
            };
            match self.dice.gen_range(0..6) {
                0 => {}
                1 => terms.start += register,
                2 => terms.start += register * 2 * (first.len + 1),
                3 => terms.len = self.dice.gen_range(0..=first.len),
                4 => terms.stride = 3,
                _ => terms = self.terms(),
            }
            let step = Step::Push(register, self.list(terms), self.push(), None);
            self.program.setup.push(step);
        }
    }

    fn parts(&mut self, keep: bool) -> Step {
        let of = self.one_of(&[1, 1, 2, 2, 3, 3, 4, 5, 6, 9, 17, 33, 65]);
        let len = of * self.dice.gen_range(1..=(MOST_TERMS / of).min(300));
        let terms = Terms {
            len,
            ..self.terms()
        };
        let parts = Parts {
            of,
            push: self.push(),
            read: self.maybe_read(),
            keep,
        };
        Step::Parts(self.list(terms), parts)
    }

    fn measured(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.program.measured.extend(steps);
    }

    fn final_reads(&mut self) {
        for _ in 0..self.one_of(&[0, 1, 1, 1, 2, 5]) {
            let read = Step::Read(SUM, self.read());
            self.measured([read]);
        }
    }

    fn one_by_one(&mut self) {
        for _ in 0..self.dice.gen_range(1..3) {
            let step = self.pushed(SUM);
            self.measured([step]);
        }
        self.final_reads();
    }

    fn made_and_dropped(&mut self) {
        let step = self.parts(false);
        self.measured([step]);
    }

    fn kept(&mut self) {
        self.related(2);
        let keep = match self.dice.gen_range(0..4) {
            0 => self.parts(true),
            1 => Step::Repeat(self.times(), vec![Step::KeepClone(0)]),
            2 => Step::Repeat(300, vec![Step::KeepClone(0)]),
            _ => {
                let sum = Step::Combine(SUM, 1, self.by());
                let steps = vec![Step::Clone(SUM, 0), sum, Step::Keep(SUM)];
                Step::Repeat(self.times(), steps)
            }
        };
        self.measured([keep]);
        let then = match self.dice.gen_range(0..5) {
            0 => Step::ReadKept(self.read()),
            1 => Step::DropKept(Thread::Another),
            2 => self.collect(),
            3 => self.parts(true),
            _ => return,
        };
        self.measured([then]);
    }

    fn sum_of_two(&mut self) {
        self.related(2);
        let sum = Step::Combine(SUM, 1, self.by());
        self.measured([Step::Clone(SUM, 0), sum]);
        self.final_reads();
    }

    fn clones_of_sum(&mut self) {
        self.related(3);
        for from in 0..self.dice.gen_range(1..3) {
            let sum = Step::Combine(2, from, self.by());
            self.program.setup.push(sum);
        }
        self.measured([Step::Clone(SUM, 2)]);
        if self.one_in(3) {
            let step = self.step();
            self.measured([step]);
        }
        self.final_reads();
        let steps = std::mem::take(&mut self.program.measured);
        let repeated = Step::Repeat(self.times(), steps);
        self.measured([repeated]);
    }

    fn sum_so_far(&mut self) {
        self.related(4);
        let mut steps = Vec::new();
        for from in 0..self.dice.gen_range(1..5) {
            if self.one_in(4) {
                steps.push(Step::Clone(SUM + 1, SUM));
            }
            steps.push(Step::Combine(SUM, from, self.by()));
            if self.one_in(4) {
                steps.push(Step::Read(SUM, self.read()));
            }
        }
        let times = self.one_of(&[1, 1, 2, 3, 5, 10]);
        self.measured([Step::Repeat(times, steps)]);
        self.final_reads();
    }

    fn sum_of_kept(&mut self) {
        let setup = [self.operand(0), self.parts(true)];
        self.program.setup.extend(setup);
        if self.one_in(2) {
            self.measured([Step::Clone(SUM, 0)]);
        }
        let sum = self.collect();
        self.measured([sum]);
        self.final_reads();
    }

    fn onto_zero(&mut self) {
        self.related(1);
        let sum = Step::Combine(SUM, 0, self.by());
        self.measured([Step::Zero(SUM), sum]);
        self.final_reads();
        let steps = std::mem::take(&mut self.program.measured);
        self.measured([often(steps)]);
    }

    fn onto_clone(&mut self) {
        self.related(1);
        let pushed = self.pushed(SUM);
        self.measured([Step::Clone(SUM, 0), pushed]);
        self.final_reads();
    }

    fn reads(&mut self) {
        self.related(1);
        if self.one_in(2) {
            let more = self.operand(0);
            self.program.setup.push(more);
        }
        let read = Step::Read(0, self.read());
        self.measured([often(vec![read])]);
    }

    fn compared(&mut self) {
        let setup = [self.operand(0), Step::Clone(1, 0), self.operand(2)];
        self.program.setup.extend(setup);
        let equal = Step::Equal(0, self.one_of(&[1, 2]));
        self.measured([often(vec![equal])]);
    }

    fn changed_in_place(&mut self) {
        self.related(2);
        let steps = [Step::Clone(SUM, 0), Step::Multiply(SUM, self.scale())];
        self.measured(steps);
        if self.one_in(2) {
            let step = self.step();
            self.measured([step]);
        }
        self.final_reads();
    }

    fn any_steps(&mut self) {
        self.related(2);
        for _ in 0..self.dice.gen_range(0..3) {
            let step = self.setup_step();
            self.program.setup.push(step);
        }
        for _ in 0..self.dice.gen_range(1..8) {
            let step = self.step();
            self.measured([step]);
        }
        if self.one_in(2) {
            let at = self.dice.gen_range(0..self.program.measured.len());
            let steps = self.program.measured.split_off(at);
            let repeated = Step::Repeat(self.times(), steps);
            self.measured([repeated]);
        }
        self.final_reads();
    }

    /// Changes the program a little.
    fn change(&mut self) {
        if self.one_in(2) && !self.program.lists.is_empty() {
            return self.change_terms();
        }
        if self.one_in(3) {
            let steps = std::mem::take(&mut self.program.setup);
            self.program.setup = self.change_steps(steps, Maker::setup_step);
        } else {
            let steps = std::mem::take(&mut self.program.measured);
            self.program.measured = self.change_steps(steps, Maker::step);
        }
    }

    fn change_terms(&mut self) {
        let (list, other) = (
            self.dice.gen_range(0..self.program.lists.len()),
            self.terms(),
        );
        let factor = self.dice.gen_range(1..=8);
        let terms = &mut self.program.lists[list];
        match self.dice.gen_range(0..7) {
            0 => terms.kinds = other.kinds,
            1 => terms.start = other.start,
            2 => terms.stride = other.stride,
            3 => terms.order = other.order,
            4 => terms.coeffs = other.coeffs,
            5 => terms.len = other.len,
            _ => terms.len = (terms.len * factor / 4 + 1).min(MOST_TERMS),
        }
    }

    fn change_steps(&mut self, mut steps: Vec<Step>, new: fn(&mut Self) -> Step) -> Vec<Step> {
        let at = self.dice.gen_range(0..=steps.len());
        match self.dice.gen_range(0..8) {
            0 => steps.insert(at, new(self)),
            1 if at < steps.len() => drop(steps.remove(at)),
            2 if at < steps.len() => steps.insert(at, steps[at].clone()),
            3 if at < steps.len() => {
                let repeated = steps.split_off(at);
                steps.push(Step::Repeat(self.times(), repeated));
            }
            _ => match steps.get_mut(at) {
                None => steps.push(new(self)),
                Some(Step::Repeat(times, _)) if self.one_in(2) => *times = self.times(),
                Some(Step::Repeat(_, repeated)) => {
                    *repeated = self.change_steps(std::mem::take(repeated), new);
                }
                Some(step) => self.change_step(step),
            },
        }
        steps
    }

    fn change_step(&mut self, step: &mut Step) {
        match step {
            Step::Push(_, _, push, read) => (*push, *read) = (self.push(), self.maybe_read()),
            Step::Combine(_, _, by) => *by = self.by(),
            Step::Read(_, read) | Step::ReadKept(read) => *read = self.read(),
            Step::Multiply(_, scale) => *scale = self.scale(),
            Step::Parts(_, parts) => {
                (parts.of, parts.push) = (self.len().max(1), self.push());
                parts.read = self.maybe_read();
            }
            Step::Collect(_, by, collect) => {
                (*by, collect.clone) = (self.by(), self.one_in(2));
                collect.read = self.maybe_read();
            }
            _ => {}
        }
    }
}
