//! A circuit synthesized in pieces, each in a constraint system of its own, and joined by `extend`
//! gives what it gives in one go.

#![forbid(unsafe_code)]

use bellperson::groth16::{
    create_proof, generate_random_parameters, prepare_verifying_key, verify_proof, Parameters,
    Proof,
};
use bellperson::util_cs::witness_cs::WitnessCS;
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::{Bls12, Scalar};
use dropin::Pieces;
use ff::Field;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};

const THREADS: [usize; 4] = [1, 2, 4, 16];

/// The tests take counts that no number of threads above one divides.
fn pieces(count: u64, apart: bool) -> Pieces {
    Pieces { count, apart }
}

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started")
}

type Combination = Vec<(Variable, Scalar)>;

/// All that is synthesized, row by row.
struct Record {
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    constraints: Vec<[Combination; 3]>,
}

impl Record {
    fn of(circuit: Pieces) -> Self {
        let mut record = Record::new();
        record
            .alloc_input(|| "one", || Ok(Scalar::ONE))
            .expect("one is known");
        circuit
            .synthesize(&mut record)
            .expect("the circuit synthesizes");
        record
    }
}

impl ConstraintSystem<Scalar> for Record {
    type Root = Self;

    fn new() -> Self {
        Record {
            inputs: Vec::new(),
            aux: Vec::new(),
            constraints: Vec::new(),
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(Variable(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(Variable(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let zero = LinearCombination::zero;
        let row = [a(zero()), b(zero()), c(zero())];
        self.constraints
            .push(row.map(|lc| lc.iter().map(|(v, s)| (v, *s)).collect()));
    }

    fn push_namespace<NR: Into<String>, N: FnOnce() -> NR>(&mut self, _: N) {}

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, other: &Self) {
        // The other's first input is the constant one, which both have.
        let (inputs, aux) = (self.inputs.len() - 1, self.aux.len());
        let moved = |variable: &Variable| {
            Variable(match variable.0 {
                Index::Input(0) => Index::Input(0),
                Index::Input(i) => Index::Input(inputs + i),
                Index::Aux(i) => Index::Aux(aux + i),
            })
        };
        self.inputs.extend(&other.inputs[1..]);
        self.aux.extend(&other.aux);
        self.constraints.extend(other.constraints.iter().map(|row| {
            row.clone()
                .map(|lc| lc.iter().map(|(v, s)| (moved(v), *s)).collect())
        }));
    }
}

#[test]
fn assignments_and_constraints_are_the_serial_ones() {
    let serial = Record::of(pieces(17, false));
    assert!(serial.constraints.len() > 17 && serial.inputs.len() == 1 + 17);
    for threads in THREADS {
        let joined = pool(threads).install(|| Record::of(pieces(17, true)));
        assert!(joined.inputs == serial.inputs, "{threads} threads");
        assert!(joined.aux == serial.aux, "{threads} threads");
        assert_eq!(joined.constraints.len(), serial.constraints.len());
        let rows = joined.constraints.iter().zip(&serial.constraints);
        for (i, (joined, serial)) in rows.enumerate() {
            assert_eq!(joined, serial, "constraint {i}, {threads} threads");
        }
    }
}

/// A proof depends on every assignment, evaluation and density that the prover joined.
#[test]
fn proofs_are_the_serial_ones() {
    // Few, since unoptimized proving is slow.
    let (whole, apart) = (pieces(5, false), pieces(5, true));
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let params = generate_random_parameters::<Bls12, _, _>(whole, &mut rng).expect("parameters");
    let serial = proof(whole, &params);

    let key = prepare_verifying_key(&params.vk);
    let mut witness = WitnessCS::new();
    whole
        .synthesize(&mut witness)
        .expect("the circuit synthesizes");
    let inputs = witness.scalar_inputs();
    assert!(verify_proof(&key, &serial, &inputs[1..]).expect("as many inputs as the key has"));

    for threads in THREADS {
        let joined = pool(threads).install(|| proof(apart, &params));
        assert_eq!(joined, serial, "{threads} threads");
    }
}

fn proof(circuit: Pieces, params: &Parameters<Bls12>) -> Proof<Bls12> {
    let (r, s) = (Scalar::from(3), Scalar::from(4));
    create_proof(circuit, params, r, s).expect("the circuit is satisfied")
}
