//! Proofs beside those that bellperson makes from the circuits, and inputs that are refused.

use std::fs::File;
use std::sync::Arc;

use bellperson::groth16::{
    create_proof as bellperson_proof, create_proof_batch as bellperson_batch,
    create_random_proof as bellperson_random, create_random_proof_batch as bellperson_random_batch,
    generate_random_parameters, prepare_verifying_key, verify_proof, Parameters, Proof,
};
use bellperson::SynthesisError;
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use compiled_constraints::Densities;
use compiled_groth16::{
    create_proof, create_proof_batch, create_random_proof, create_random_proof_batch, Assignment,
};
use ff::Field;
use group::prime::PrimeCurveAffine;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::circuits::{assign, Random};

const CIRCUITS: u64 = 24;

fn rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(1)
}

fn parameters(circuit: &Random) -> Parameters<Bls12> {
    generate_random_parameters(circuit.clone(), &mut rng()).expect("each variable occurs")
}

fn bytes(proofs: &[Proof<Bls12>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for proof in proofs {
        proof.write(&mut bytes).expect("a vector takes any bytes");
    }
    bytes
}

fn scalars<const N: usize>() -> [Scalar; N] {
    let mut rng = rng();
    [(); N].map(|()| Scalar::random(&mut rng))
}

#[test]
fn one_proof() {
    for structure in 0..CIRCUITS {
        let circuit = Random::new(structure, 0);
        let params = parameters(&circuit);
        let (densities, assignment) = assign(circuit.clone());
        let [r, s] = scalars();

        let proof = create_proof(&densities, assignment, &params, r, s, drop)
            .expect("all is of one circuit");

        let inputs = circuit.inputs();
        let expected = bellperson_proof(circuit, &params, r, s).expect("the circuit synthesizes");
        let key = prepare_verifying_key(&params.vk);
        assert!(verify_proof(&key, &proof, &inputs).expect("one value per input"));
        assert_eq!(bytes(&[proof]), bytes(&[expected]), "{structure}");
    }
}

#[test]
fn a_batch() {
    for structure in 0..CIRCUITS / 4 {
        let circuits: Vec<_> = (0..3)
            .map(|values| Random::new(structure, values))
            .collect();
        let params = parameters(&circuits[0]);
        let (densities, assignments) = assign_all(&circuits);
        let r: [_; 3] = scalars();
        let s = r.map(|r| r.square());

        let proofs = create_proof_batch(&densities, assignments, &params, &r, &s, drop)
            .expect("all is of one circuit");

        let expected = bellperson_batch(circuits, &params, r.to_vec(), s.to_vec())
            .expect("the circuits synthesize");
        assert_eq!(bytes(&proofs), bytes(&expected), "{structure}");
    }
}

/// The densities, which are equal, and the assignments.
fn assign_all(circuits: &[Random]) -> (Densities, Vec<Assignment<Scalar>>) {
    let (densities, assignments): (Vec<_>, Vec<_>) = circuits.iter().cloned().map(assign).unzip();
    assert!(densities.iter().all(|of| *of == densities[0]));
    (densities[0].clone(), assignments)
}

#[test]
fn random_scalars_are_drawn_in_order() {
    let circuits = [Random::new(1, 0), Random::new(1, 1)];
    let params = parameters(&circuits[0]);
    let (densities, assignments) = assign_all(&circuits);
    let one = assignments[0].clone();

    let proof = create_random_proof(&densities, one, &params, &mut rng(), drop).unwrap();
    let expected = bellperson_random(circuits[0].clone(), &params, &mut rng()).unwrap();
    assert_eq!(bytes(&[proof]), bytes(&[expected]));

    let batch =
        create_random_proof_batch(&densities, assignments, &params, &mut rng(), drop).unwrap();
    let expected = bellperson_random_batch(circuits.to_vec(), &params, &mut rng()).unwrap();
    assert_eq!(bytes(&batch), bytes(&expected));
}

#[test]
fn an_empty_batch_needs_nothing() {
    let circuit = Random::new(1, 0);
    let params = parameters(&circuit);
    let (densities, _) = assign(circuit);
    let proofs = create_proof_batch(&densities, Vec::new(), &params, &[], &[], drop).unwrap();
    assert!(proofs.is_empty());
}

#[test]
fn mapped_parameters() {
    let circuit = Random::new(1, 0);
    let params = parameters(&circuit);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("params");
    params.write(File::create(&file).unwrap()).unwrap();
    let mapped = Parameters::<Bls12>::build_mapped_parameters(file, true).unwrap();
    let (densities, assignment) = assign(circuit);
    let [r, s] = scalars();

    let proof = create_proof(&densities, assignment.clone(), &mapped, r, s, drop).unwrap();
    let expected = create_proof(&densities, assignment, &params, r, s, drop).unwrap();
    assert_eq!(bytes(&[proof]), bytes(&[expected]));
}

/// The vectors come back one assignment at a time, fit for another evaluation without a move.
#[test]
fn vectors_come_back() {
    let circuits = [Random::new(1, 0), Random::new(1, 1)];
    let params = parameters(&circuits[0]);
    let (densities, mut assignments) = assign_all(&circuits);
    let rows = assignments[0].products.a.len();
    for assignment in &mut assignments {
        assignment.products.a.reserve(rows.next_power_of_two());
    }
    let places = |of: &Assignment<Scalar>| (of.products.a.as_ptr(), of.witness.aux.as_ptr());
    let expected: Vec<_> = assignments.iter().map(places).collect();
    let mut found = Vec::new();

    let rng = &mut rng();
    create_random_proof_batch(&densities, assignments, &params, rng, |of| {
        found.push(places(&of))
    })
    .unwrap();

    assert_eq!(found, expected);
}

/// All that a proof is made from.
#[derive(Clone)]
struct Case {
    densities: Densities,
    assignments: Vec<Assignment<Scalar>>,
    params: Parameters<Bls12>,
    r: Vec<Scalar>,
    s: Vec<Scalar>,
}

impl Case {
    fn new() -> Self {
        let circuits = [Random::new(1, 0), Random::new(1, 1)];
        let (densities, assignments) = assign_all(&circuits);
        Case {
            densities,
            assignments,
            params: parameters(&circuits[0]),
            r: vec![Scalar::ONE; 2],
            s: vec![Scalar::ONE; 2],
        }
    }

    fn prove(self) -> Result<Vec<Proof<Bls12>>, SynthesisError> {
        let Case {
            densities,
            assignments,
            params,
            r,
            s,
        } = self;
        let spent = |_| panic!("work was begun");
        create_proof_batch(&densities, assignments, &params, &r, &s, spent)
    }
}

#[test]
fn wrong_lengths_are_refused_before_any_work() {
    fn longer<T: Clone>(of: &mut Arc<Vec<T>>) {
        let of = Arc::make_mut(of);
        of.push(of[0].clone());
    }
    fn shorter<T>(of: &mut Vec<T>) {
        of.truncate(of.len() - 1);
    }
    type Damage = fn(&mut Case);
    let damages: [(Damage, &str); 17] = [
        (
            |case| shorter(&mut case.params.vk.ic),
            "the verifying key of the parameters has",
        ),
        (
            |case| longer(&mut case.params.h),
            "the query H of the parameters has",
        ),
        (
            |case| longer(&mut case.params.l),
            "the query L of the parameters has",
        ),
        (
            |case| longer(&mut case.params.a),
            "the query A of the parameters has",
        ),
        (
            |case| longer(&mut case.params.b_g1),
            "the query B in G1 of the parameters has",
        ),
        (
            |case| longer(&mut case.params.b_g2),
            "the query B in G2 of the parameters has",
        ),
        (
            |case| shorter(&mut case.assignments[1].witness.inputs),
            "inputs, the circuit has",
        ),
        (
            |case| shorter(&mut case.assignments[1].witness.aux),
            "auxiliaries, the circuit has",
        ),
        (
            |case| shorter(&mut case.assignments[1].products.a),
            "products of A, the circuit has",
        ),
        (
            |case| shorter(&mut case.assignments[1].products.b),
            "products of B, the circuit has",
        ),
        (
            |case| shorter(&mut case.assignments[1].products.c),
            "products of C, the circuit has",
        ),
        (|case| case.densities.b_aux.len -= 1, "A's density has"),
        (
            |case| shorter(&mut case.densities.a_aux.words),
            "the density of A's auxiliary variables has 0 words",
        ),
        (
            |case| case.densities.b_input.total += 1,
            "the density of B's inputs says",
        ),
        (
            |case| shorter(&mut case.r),
            "there are 1 r for 2 assignments",
        ),
        (
            |case| shorter(&mut case.s),
            "there are 1 s for 2 assignments",
        ),
        (
            |case| case.densities = assign(Random::new(2, 0)).0,
            "the assignment has",
        ),
    ];
    let whole = Case::new();
    for (damage, expected) in damages {
        let mut case = whole.clone();
        damage(&mut case);
        let error = case.prove().expect_err(expected);
        assert!(matches!(error, SynthesisError::IncompatibleLengthVector(_)));
        assert!(
            error.to_string().contains(expected),
            "{error}, not {expected}"
        );
    }
}

#[test]
fn a_delta_of_zero_is_refused_before_any_work() {
    let whole = Case::new();
    let mut cases = [whole.clone(), whole];
    cases[0].params.vk.delta_g1 = G1Affine::identity();
    cases[1].params.vk.delta_g2 = G2Affine::identity();
    for case in cases {
        let error = case.prove().unwrap_err();
        assert!(
            matches!(error, SynthesisError::UnexpectedIdentity),
            "{error}"
        );
    }
}
