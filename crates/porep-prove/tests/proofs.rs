//! Proofs of small circuits by parameters in a file: verified by bellperson, or refused.

use std::fs::{self, File};
use std::path::PathBuf;

use bellperson::groth16::{
    generate_random_parameters, prepare_verifying_key, verify_proof, Parameters, VerifyingKey,
};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::{Bls12, Scalar};
use compiled_constraints::Shape;
use porep_prove::parameters;
use porep_prove::prover::Prover;
use rand::rngs::OsRng;
use tempfile::TempDir;

/// The input is `factor` times the square of the one auxiliary variable, `root`.
#[derive(Clone)]
struct Square {
    factor: u64,
    root: u64,
    input: u64,
}

impl Square {
    fn new(factor: u64, root: u64) -> Self {
        let input = factor * root * root;
        Square {
            factor,
            root,
            input,
        }
    }
}

impl Circuit<Scalar> for Square {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let root = cs.alloc(|| "root", || Ok(Scalar::from(self.root)))?;
        let input = cs.alloc_input(|| "input", || Ok(Scalar::from(self.input)))?;
        let factor = Scalar::from(self.factor);
        cs.enforce(
            || "square",
            |lc| lc + (factor, root),
            |lc| lc + root,
            |lc| lc + input,
        );
        Ok(())
    }
}

/// A file of parameters for `circuit`, in a folder that goes with it, and their key.
fn parameters_of(circuit: impl Circuit<Scalar>) -> (TempDir, PathBuf, VerifyingKey<Bls12>) {
    let parameters: Parameters<Bls12> = generate_random_parameters(circuit, &mut OsRng).unwrap();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("params");
    parameters.write(File::create(&file).unwrap()).unwrap();
    (folder, file, parameters.vk)
}

#[test]
fn proofs_in_a_row() {
    let (_folder, file, key) = parameters_of(Square::new(3, 1));
    let key = prepare_verifying_key(&key);
    let parameters = parameters::open(&file).unwrap();
    let shape = Shape::record(Square::new(3, 1)).unwrap();
    let mut prover = Prover::new(shape, &parameters).unwrap();
    for root in [2, 5] {
        let circuit = Square::new(3, root);
        let input = Scalar::from(circuit.input);
        let proof = prover
            .prove(|shape, witness| Ok(shape.generate(circuit, witness)?))
            .unwrap();
        assert!(verify_proof(&key, &proof, &[input]).unwrap());
        assert!(!verify_proof(&key, &proof, &[input + Scalar::from(1)]).unwrap());
    }
}

#[test]
fn what_is_false_is_not_proved() {
    let (_folder, file, _) = parameters_of(Square::new(3, 1));
    let parameters = parameters::open(&file).unwrap();
    let shape = Shape::record(Square::new(3, 1)).unwrap();
    let mut prover = Prover::new(shape, &parameters).unwrap();
    let circuit = Square {
        factor: 3,
        root: 2,
        input: 13,
    };
    let error = prover
        .prove(|shape, witness| Ok(shape.generate(circuit, witness)?))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("the proof does not verify"),
        "{error}"
    );
}

/// The lengths are the same, the coefficient is not.
#[test]
fn parameters_of_another_circuit() {
    let (_folder, file, _) = parameters_of(Square::new(3, 1));
    let parameters = parameters::open(&file).unwrap();
    let shape = Shape::record(Square::new(2, 1)).unwrap();
    let mut prover = Prover::new(shape, &parameters).unwrap();
    let circuit = Square::new(2, 5);
    let error = prover
        .prove(|shape, witness| Ok(shape.generate(circuit, witness)?))
        .unwrap_err();
    assert!(
        error.to_string().starts_with("the proof does not verify"),
        "{error}"
    );
}

/// Two of the circuit above.
struct Two;

impl Circuit<Scalar> for Two {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        Square::new(3, 1).synthesize(cs)?;
        Square::new(3, 2).synthesize(cs)
    }
}

#[test]
fn parameters_of_another_size() {
    let (_folder, file, _) = parameters_of(Square::new(3, 1));
    let parameters = parameters::open(&file).unwrap();
    let error = Prover::new(Shape::record(Two).unwrap(), &parameters)
        .err()
        .unwrap();
    assert!(format!("{error:#}").contains("verifying key"), "{error:#}");
}

#[test]
fn a_file_of_points_that_are_not_on_the_curve() {
    let (_folder, file, _) = parameters_of(Square::new(3, 1));
    let mut bytes = fs::read(&file).unwrap();
    bytes[50] ^= 1;
    fs::write(&file, bytes).unwrap();
    let error = parameters::open(&file).err().unwrap();
    assert!(
        format!("{error:#}").contains("has no Groth16 parameters"),
        "{error:#}"
    );
}
