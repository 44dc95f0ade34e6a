//! Random circuits on every path, against a full synthesis.

use std::{fs, thread};

use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blake2b_simd::Params;
use blstrs::Scalar;
use ff::{Field, PrimeField};
use rand::{seq::SliceRandom, Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::ThreadPoolBuilder;
use tempfile::TempDir;

use crate::{naive::Naive, Error, Products, Shape, Witness};

/// A field in which powers of two come back soon.
#[derive(PrimeField)]
#[PrimeFieldModulus = "127"]
#[PrimeFieldGenerator = "3"]
#[PrimeFieldReprEndianness = "little"]
struct Small([u64; 1]);

/// A variable as a part of a circuit speaks of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    One,
    SharedInput(usize),
    SharedAux(usize),
    OwnInput(usize),
    OwnAux(usize),
}

type Terms<S> = Vec<(S, Name)>;

/// Rows over the constant one, shared variables and the part's own.
#[derive(Clone)]
struct Part<S> {
    inputs: usize,
    aux: usize,
    rows: Vec<[Terms<S>; 3]>,
}

impl<S: PrimeField> Part<S> {
    fn random(rng: &mut ChaCha8Rng, shared: Option<&Part<S>>, rows: usize) -> Self {
        let (inputs, aux) = (rng.gen_range(0..6), rng.gen_range(0..90));
        let mut names = vec![Name::One];
        names.extend((0..inputs).map(Name::OwnInput));
        names.extend((0..aux).map(Name::OwnAux));
        if let Some(shared) = shared {
            names.extend((0..shared.inputs).map(Name::SharedInput));
            names.extend((0..shared.aux).map(Name::SharedAux));
        }
        let mut rows: Vec<_> = (0..rows)
            .map(|_| [(); 3].map(|()| terms(rng, &names)))
            .collect();
        // Rows that have a form in common, over other variables.
        for index in 1..rows.len() {
            if rng.gen_ratio(1, 2) {
                let mut row = rows[index - 1].clone();
                for (_, name) in row.iter_mut().flatten() {
                    if let Name::OwnAux(aux_index) = name {
                        *aux_index = (*aux_index + 1) % aux;
                    }
                }
                rows[index] = row;
            }
        }
        Part { inputs, aux, rows }
    }

    fn values(&self, rng: &mut ChaCha8Rng) -> Values<S> {
        let mut values = |len: usize| {
            let value = |_| match rng.gen_range(0..3) {
                0 => S::ZERO,
                1 => S::ONE,
                _ => S::random(&mut *rng),
            };
            (0..len).map(value).collect()
        };
        Values {
            inputs: values(self.inputs),
            aux: values(self.aux),
        }
    }
}

/// With terms that repeat and cancel, doubling coefficients with gaps, none at all.
fn terms<S: PrimeField>(rng: &mut ChaCha8Rng, names: &[Name]) -> Terms<S> {
    let mut terms = Terms::new();
    match rng.gen_range(0..8) {
        0 => return terms,
        1 => {
            let mut coeff = [S::ONE, -S::ONE, S::random(&mut *rng)][rng.gen_range(0..3)];
            for _ in 0..rng.gen_range(1..80) {
                terms.push((coeff, *names.choose(rng).unwrap()));
                if rng.gen_ratio(1, 20) {
                    coeff = -coeff;
                }
                for _ in 0..rng.gen_range(0..3) {
                    coeff = coeff.double();
                }
                if rng.gen_ratio(1, 20) {
                    coeff *= S::from(64);
                }
            }
        }
        _ => (),
    }
    for _ in 0..rng.gen_range(0..4) {
        let name = *names.choose(rng).unwrap();
        let one = S::ONE;
        let coeff = match rng.gen_range(0..7) {
            0 | 1 => one,
            2 => -one,
            3 => one.double(),
            4 => -one.double(),
            5 => S::ZERO,
            _ => S::random(&mut *rng),
        };
        terms.push((coeff, name));
        if rng.gen_ratio(1, 4) {
            terms.push((-coeff, name));
        }
    }
    terms
}

#[derive(Clone)]
struct Values<S> {
    inputs: Vec<S>,
    aux: Vec<S>,
}

/// A prefix and as many repetitions of a block as there are values for.
#[derive(Clone)]
struct Random<S> {
    prefix: Part<S>,
    block: Part<S>,
    shared: Values<S>,
    own: Vec<Values<S>>,
    /// Whether repetitions are synthesized apart and joined, where the constraint system can.
    joined: bool,
    /// A row of the block in one repetition which gets another term.
    changed: Option<(usize, usize, (S, Name))>,
}

impl<S: PrimeField> Random<S> {
    fn new(rng: &mut ChaCha8Rng, repetitions: usize) -> Self {
        let joined = rng.gen_ratio(1, 3);
        let rows = rng.gen_range(0..20);
        let prefix = Part::random(rng, None, rows);
        // A part that is joined knows no variables but its own.
        let rows = rng.gen_range(1..300);
        let block = Part::random(rng, (!joined).then_some(&prefix), rows);
        let shared = prefix.values(rng);
        let own = (0..repetitions).map(|_| block.values(rng)).collect();
        Random {
            prefix,
            block,
            shared,
            own,
            joined,
            changed: None,
        }
    }

    /// The circuit of one repetition, that of this number.
    fn repetition(&self, number: usize) -> Self {
        Random {
            own: vec![self.own[number].clone()],
            ..self.clone()
        }
    }

    /// So many repetitions, whatever their values.
    fn sized(&self, repetitions: usize) -> Self {
        let mut own = self.own.clone();
        own.resize(repetitions, self.own[0].clone());
        Random {
            own,
            ..self.clone()
        }
    }

    fn part<CS: ConstraintSystem<S>>(
        &self,
        cs: &mut CS,
        part: &Part<S>,
        values: &Values<S>,
        shared: &[Vec<Variable>; 2],
        changed: Option<(usize, (S, Name))>,
    ) -> Result<[Vec<Variable>; 2], SynthesisError> {
        let mut own = [Vec::new(), Vec::new()];
        for value in &values.inputs {
            own[0].push(cs.alloc_input(|| "input", || Ok(*value))?);
        }
        for value in &values.aux {
            own[1].push(cs.alloc(|| "aux", || Ok(*value))?);
        }
        let variable = |name: &Name| match *name {
            Name::One => CS::one(),
            Name::SharedInput(index) => shared[0][index],
            Name::SharedAux(index) => shared[1][index],
            Name::OwnInput(index) => own[0][index],
            Name::OwnAux(index) => own[1][index],
        };
        let sum = |terms: &Terms<S>, lc: LinearCombination<S>| {
            let terms = terms.iter();
            terms.fold(lc, |lc, (coeff, name)| lc + (*coeff, variable(name)))
        };
        for (index, [a, b, c]) in part.rows.iter().enumerate() {
            let mut cs = cs.namespace(|| "rows");
            cs.enforce(
                || format!("row {index}"),
                |lc| match changed {
                    Some((row, (coeff, name))) if row == index => {
                        sum(a, lc) + (coeff, variable(&name))
                    }
                    _ => sum(a, lc),
                },
                |lc| sum(b, lc),
                |lc| sum(c, lc),
            );
        }
        Ok(own)
    }
}

impl<S: PrimeField> Circuit<S> for Random<S> {
    fn synthesize<CS: ConstraintSystem<S>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let nothing = [Vec::new(), Vec::new()];
        let shared = self.part(cs, &self.prefix, &self.shared, &nothing, None)?;
        for (number, values) in self.own.iter().enumerate() {
            let changed = self
                .changed
                .filter(|(repetition, ..)| *repetition == number);
            let changed = changed.map(|(_, row, term)| (row, term));
            if self.joined && CS::is_extensible() {
                let mut part = CS::new();
                part.alloc_input(|| "one", || Ok(S::ONE))?;
                self.part(&mut part, &self.block, values, &nothing, changed)?;
                cs.extend(&part);
            } else {
                let mut cs = cs.namespace(|| format!("repetition {number}"));
                self.part(&mut cs, &self.block, values, &shared, changed)?;
            }
        }
        Ok(())
    }
}

fn naive<S: PrimeField>(circuit: impl Circuit<S>) -> Naive<S> {
    let mut naive = Naive::new();
    naive.synthesize(circuit).unwrap();
    naive
}

/// All ways to the products and densities of a circuit agree with a full synthesis.
fn agrees<S: PrimeField>(circuit: &Random<S>, threads: usize) {
    let naive = naive(circuit.clone());
    let repetitions = circuit.own.len();
    let repeating = Shape::record_repeating(|n| Ok(circuit.sized(n))).unwrap();
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let parts = (0..repetitions).map(|number| circuit.repetition(number));
    let parts: Vec<_> = parts.collect();

    let blueprint = repeating.repeated(repetitions);
    let flat = Shape::record(circuit.clone()).unwrap();
    let mut witness = Witness::default();
    // Not what is there when it is used again.
    let mut products = Products {
        a: vec![S::ONE; 7],
        ..Products::default()
    };
    let folder = TempDir::new().unwrap();
    let read_back = |shape: &Shape<S>| {
        let file = folder.path().join("shape");
        shape.write_to(&file).unwrap();
        let read: Shape<S> = Shape::read_from(&file).unwrap();
        assert_eq!(read.digest(), shape.digest());
        read
    };
    for shape in [&blueprint, &flat, &read_back(&blueprint), &read_back(&flat)] {
        assert_eq!(shape.rows(), naive.products.a.len());
        assert_eq!(shape.densities(), naive.densities());
        shape.generate(circuit.clone(), &mut witness).unwrap();
        assert_eq!(witness, naive.witness);
        pool.install(|| shape.evaluate(&witness, &mut products))
            .unwrap();
        assert_eq!(products, naive.products);
        shape.check(circuit.clone()).unwrap();
    }
    let generate = || blueprint.generate_repetitions(parts.clone(), &mut witness);
    pool.install(generate).unwrap();
    assert_eq!(witness, naive.witness);
}

#[test]
fn random_circuits_agree() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for round in 0..60 {
        let repetitions = rng.gen_range(1..5);
        agrees(&Random::<Scalar>::new(&mut rng, repetitions), 1 + round % 3);
        agrees(&Random::<Small>::new(&mut rng, repetitions), 1 + round % 3);
    }
}

/// A circuit of at least two repetitions, and a row of its block with an auxiliary to change.
fn changeable(rng: &mut ChaCha8Rng) -> (Random<Scalar>, usize, Name) {
    loop {
        let circuit = Random::new(rng, 2);
        if circuit.block.aux > 1 && !circuit.joined {
            let row = rng.gen_range(0..circuit.block.rows.len());
            let aux = Name::OwnAux(rng.gen_range(0..circuit.block.aux));
            return (circuit, row, aux);
        }
    }
}

#[test]
fn the_first_row_that_differs_is_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for round in 0..40 {
        let (circuit, row, aux) = changeable(&mut rng);
        let repetition = 1 + round % 2;
        let changed = Random {
            changed: Some((repetition, row, (Scalar::from(7), aux))),
            ..circuit.clone()
        };
        // The third repetition is not in the circuits of one and two, so it is seen by its rows.
        let error = Shape::record_repeating(|n| Ok(changed.sized(n))).unwrap_err();
        let Error::Differs(difference) = error else {
            panic!("{error}");
        };
        let rows = circuit.block.rows.len();
        let expected = circuit.prefix.rows.len() + repetition * rows + row;
        assert_eq!(difference.row, expected);
        let name = format!("repetition {repetition}/rows/row {row}");
        assert_eq!(difference.name, Some(name));
        // Whole, it is what it is.
        Shape::record(changed.clone())
            .unwrap()
            .check(changed)
            .unwrap();
    }
}

#[test]
fn a_changed_coefficient_is_refused_by_check() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..40 {
        let (mut circuit, row, aux) = changeable(&mut rng);
        // With all values zero, nothing but the rows themselves tells them apart.
        for values in circuit.own.iter_mut().chain([&mut circuit.shared]) {
            values.aux.fill(Scalar::ZERO);
        }
        let shape = Shape::record_repeating(|n| Ok(circuit.sized(n))).unwrap();
        shape.check(circuit.repetition(0)).unwrap();
        let changed = Random {
            changed: Some((0, row, (Scalar::from(7), aux))),
            ..circuit.repetition(0)
        };
        let error = shape.check(changed).unwrap_err();
        let Error::Differs(difference) = error else {
            panic!("{error}");
        };
        assert_eq!(difference.row, circuit.prefix.rows.len() + row);
        assert!(difference.name.is_some());
    }
}

/// So many rows, each with a variable of its own.
#[derive(Clone, Copy)]
struct Rows(usize);

impl Circuit<Scalar> for Rows {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for index in 0..self.0 {
            let variable = cs.alloc(|| "", || Ok(Scalar::from(index as u64)))?;
            cs.enforce(|| "", |lc| lc + variable, |lc| lc, |lc| lc);
        }
        Ok(())
    }
}

/// Its last value is the number of terms of a combination.
#[derive(Clone, Copy)]
struct Counting;

impl Circuit<Scalar> for Counting {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let one = cs.alloc(|| "", || Ok(Scalar::from(5)))?;
        let other = cs.alloc(|| "", || Ok(Scalar::from(7)))?;
        let terms = (LinearCombination::<Scalar>::zero() + one + other).len() as u64;
        let terms = cs.alloc(|| "", || Ok(Scalar::from(terms)))?;
        cs.enforce(|| "", |lc| lc + one, |lc| lc + other, |lc| lc + terms);
        Ok(())
    }
}

#[test]
fn a_circuit_that_reads_its_combinations_is_refused_by_check() {
    let shape = Shape::record(Counting).unwrap();
    let error = shape.check(Counting).unwrap_err();
    assert!(matches!(error, Error::ReadsVariables), "{error}");
}

#[test]
fn what_does_not_repeat_is_refused() {
    let refused = |circuit: fn(usize) -> Rows| {
        let error = Shape::record_repeating(|n| Ok(circuit(n))).unwrap_err();
        assert!(matches!(error, Error::NoRepetition), "{error}");
    };
    refused(|n| Rows(n * n));
    refused(|_| Rows(9));
    refused(|n| Rows(4 - n));
    refused(|n| Rows([0, 9, 16, 25][n]));
}

#[test]
fn a_witness_of_another_length_is_refused() {
    let shape = Shape::record(Rows(9)).unwrap();
    let (mut witness, mut products) = (Witness::default(), Products::default());
    let expects = |error: Result<(), Error>, part: &str| {
        let text = error.unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    };
    expects(shape.generate(Rows(16), &mut witness), "16 auxiliaries");
    expects(shape.evaluate(&witness, &mut products), "16 auxiliaries");
    expects(shape.generate(Rows(4), &mut witness), "4 auxiliaries");
    shape.generate(Rows(9), &mut witness).unwrap();
    witness.inputs[0] = Scalar::from(2);
    expects(shape.evaluate(&witness, &mut products), "constant one");
    witness.inputs.push(Scalar::ONE);
    expects(shape.evaluate(&witness, &mut products), "2 inputs");
    let parts = vec![Rows(9)];
    expects(
        shape.generate_repetitions(parts, &mut witness),
        "1 circuits",
    );

    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (mut circuit, ..) = changeable(&mut rng);
    let shape = Shape::record_repeating(|n| Ok(circuit.sized(n))).unwrap();
    circuit.prefix.aux += 1;
    circuit.shared.aux.push(Scalar::ONE);
    let longer = vec![circuit.repetition(0)];
    expects(
        shape.generate_repetitions(longer, &mut witness),
        "of one repetition",
    );
}

/// A circuit that must not be synthesized.
#[derive(Clone)]
struct Forbidden;

impl Circuit<Scalar> for Forbidden {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, _: &mut CS) -> Result<(), SynthesisError> {
        panic!("synthesized before there was memory");
    }
}

#[test]
fn memory_is_refused_before_work() {
    let shape = Shape::record_repeating(|n| Ok(Rows(n))).unwrap();
    // More than any address space.
    let shape = shape.repeated(1 << 56);
    let (mut witness, mut products) = (Witness::default(), Products::default());
    for refused in [
        shape.reserve(&mut witness, &mut products),
        shape.generate(Forbidden, &mut witness),
        shape.check(Forbidden),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
    // What was reserved is used.
    let shape = shape.repeated(1);
    shape.reserve(&mut witness, &mut products).unwrap();
    let reserved = products.a.as_ptr();
    shape.generate(Rows(1), &mut witness).unwrap();
    shape.evaluate(&witness, &mut products).unwrap();
    assert_eq!(products.a.as_ptr(), reserved);
}

#[test]
fn repetitions_of_other_circuits_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut circuit, ..) = changeable(&mut rng);
    while circuit.prefix.aux == 0 {
        (circuit, ..) = changeable(&mut rng);
    }
    let shape = Shape::record_repeating(|n| Ok(circuit.sized(n))).unwrap();
    let mut other = circuit.repetition(1);
    other.shared.aux[0] += Scalar::ONE;
    let parts = vec![circuit.repetition(0), other];
    let error = shape
        .repeated(2)
        .generate_repetitions(parts, &mut Witness::default());
    assert!(matches!(error, Err(Error::SharedVariables { circuit: 1 })));
}

#[test]
fn damaged_files_are_refused() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut circuit, ..) = changeable(&mut rng);
    circuit.prefix.rows.truncate(3);
    circuit.block.rows.truncate(10);
    let shape = Shape::record_repeating(|n| Ok(circuit.sized(n))).unwrap();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("shape");
    shape.write_to(&file).unwrap();
    let whole = fs::read(&file).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let error = Shape::<Scalar>::read_from(&file).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
        error.to_string()
    };
    for len in 0..whole.len() {
        refused(&whole[..len]);
    }
    for _ in 0..1000 {
        let mut bytes = whole.clone();
        let index = match rng.gen_range(0..2) {
            0 => rng.gen_range(0..180),
            _ => rng.gen_range(0..bytes.len()),
        };
        bytes[index] ^= 1 << rng.gen_range(0..8);
        refused(&bytes);
    }
    refused(&[&whole[..], &[0]].concat());
    // Contents that contradict each other, under a digest that is theirs.
    for _ in 0..1000 {
        let mut bytes = whole.clone();
        let contents = whole.len() - 32;
        let index = rng.gen_range(56..contents);
        bytes[index] ^= 1 << rng.gen_range(0..8);
        let digest = Params::new().hash_length(32).hash(&bytes[..contents]);
        bytes[contents..].copy_from_slice(digest.as_bytes());
        fs::write(&file, &bytes).unwrap();
        // Some changes are those to another circuit; that can be evaluated like any.
        let Ok(shape) = Shape::<Scalar>::read_from(&file) else {
            continue;
        };
        if shape.rows().max(shape.aux()) < 1 << 16 {
            shape.densities();
            let witness = Witness {
                inputs: vec![Scalar::ONE; shape.inputs()],
                aux: vec![Scalar::ONE; shape.aux()],
            };
            let evaluated = shape.evaluate(&witness, &mut Products::default());
            evaluated.unwrap();
        }
    }

    let mut other_version = whole.clone();
    other_version[8] += 1;
    assert!(refused(&other_version).contains("version"));
    fs::write(&file, &whole).unwrap();
    let error = Shape::<Small>::read_from(&file).unwrap_err().to_string();
    assert!(error.contains("another field"), "{error}");
    let error = Shape::<Scalar>::read_from(folder.path().join("none")).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    // What stands there before is replaced, and nothing else is left beside it.
    shape.write_to(&file).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Writers of two shapes, and readers, at once: what is read is one of the two.
#[test]
fn a_file_is_whole_at_any_time() {
    let shapes = [Rows(1), Rows(1000)].map(|rows| Shape::record(rows).unwrap());
    let digests = shapes.each_ref().map(Shape::digest);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("shape");
    shapes[0].write_to(&file).unwrap();
    thread::scope(|scope| {
        let writers = shapes
            .each_ref()
            .map(|shape| scope.spawn(|| (0..200).for_each(|_| shape.write_to(&file).unwrap())));
        while !writers.iter().all(|writer| writer.is_finished()) {
            let read = Shape::<Scalar>::read_from(&file).unwrap();
            assert!(digests.contains(&read.digest()));
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_file_has_the_permissions_of_any_other() {
    let folder = TempDir::new().unwrap();
    let (file, other) = (folder.path().join("shape"), folder.path().join("other"));
    Shape::record(Rows(1)).unwrap().write_to(&file).unwrap();
    fs::write(&other, "").unwrap();
    let permissions = |file| fs::metadata(file).unwrap().permissions();
    assert_eq!(permissions(file), permissions(other));
}
