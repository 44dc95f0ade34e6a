//! What a test constraint system shows of a program, and what it does on misuse.

use blstrs::Scalar;
use ff::{Field, PrimeField};

use super::{bp, interpreter, place, terms};
use crate::observation::{panic_message, Output};
use crate::program::Step;
use bp::test_cs::TestConstraintSystem;
use bp::{Comparable, ConstraintSystem, Delta, SynthesisError};

fn synthesized(program: &[Step<Scalar>]) -> (TestConstraintSystem<Scalar>, Vec<Output<Scalar>>) {
    let mut cs = TestConstraintSystem::new();
    let outputs = interpreter::run(program, &mut cs);
    (cs, outputs)
}

/// All that a test constraint system shows, as lines.
pub fn inspect(program: &[Step<Scalar>]) -> Vec<String> {
    let (mut cs, outputs) = synthesized(program);
    let mut lines: Vec<String> = outputs
        .iter()
        .map(|output| format!("{:?}", output))
        .collect();
    lines.extend(cs.pretty_print_list());
    assert_eq!(cs.pretty_print(), cs.pretty_print_list().join("\n"));
    lines.extend([
        cs.hash(),
        format!("{} {}", cs.num_inputs(), cs.num_constraints()),
        format!("{:?}", cs.scalar_inputs()),
        format!("{:?}", cs.scalar_aux()),
        format!("{:?}", cs.get_inputs()),
        format!("{:?}", cs.verify(&cs.scalar_inputs()[1..])),
        format!("{:?}", (Comparable::inputs(&cs), Comparable::aux(&cs))),
        format!("{:?}", cs.which_is_unsatisfied()),
    ]);
    lines.extend(constraints(&cs));

    // One wrong value at a time, at some places spread over all of them.
    let aux = Comparable::aux(&cs);
    for path in aux.iter().step_by(aux.len() / 16 + 1) {
        let value = cs.get(path);
        cs.set(path, value + Scalar::ONE);
        lines.push(format!("{} {:?}", path, cs.which_is_unsatisfied()));
        cs.set(path, value);
    }
    lines
}

fn constraints(cs: &TestConstraintSystem<Scalar>) -> Vec<String> {
    cs.constraints()
        .iter()
        .map(|(a, b, c, path)| format!("{:?} {:?}", path, [a, b, c].map(terms)))
        .collect()
}

/// A system with one of everything: `in`, `ns/a` and `ns/product`, all in order.
fn sample() -> TestConstraintSystem<Scalar> {
    let mut cs = TestConstraintSystem::new();
    let input = cs.alloc_input(|| "in", || Ok(Scalar::from(6))).unwrap();
    let mut ns = cs.namespace(|| "ns");
    let a = ns.alloc(|| "a", || Ok(Scalar::from(3))).unwrap();
    ns.enforce(
        || "product",
        |lc| lc + a,
        |lc| lc + (Scalar::from(2), a),
        |lc| lc + (Scalar::from(3), input),
    );
    drop(ns);
    cs
}

/// What a sample system does on correct and on wrong use, and what it holds afterwards.
pub fn uses() -> Vec<(Result<String, String>, Vec<String>)> {
    fn after<T: std::fmt::Debug>(
        use_it: impl FnOnce(&mut TestConstraintSystem<Scalar>) -> T,
    ) -> (Result<String, String>, Vec<String>) {
        let mut cs = sample();
        let outcome = panic_message(|| format!("{:?}", use_it(&mut cs)));
        (outcome, cs.pretty_print_list())
    }
    let one = || Ok(Scalar::ONE);
    let missing = || Err(SynthesisError::AssignmentMissing);
    vec![
        // Names that are taken, by whatever it is, or not allowed.
        after(|cs| cs.alloc(|| "ONE", one).map(place)),
        after(|cs| cs.alloc(|| "in", one).map(place)),
        after(|cs| cs.alloc(|| "ns", one).map(place)),
        after(|cs| cs.alloc_input(|| "in", one).map(place)),
        after(|cs| cs.alloc_input(|| "ns", one).map(place)),
        after(|cs| cs.enforce(|| "ns", |lc| lc, |lc| lc, |lc| lc)),
        after(|cs| cs.enforce(|| "in", |lc| lc, |_| panic!("not reached"), |lc| lc)),
        after(|cs| drop(cs.namespace(|| "ns"))),
        after(|cs| drop(cs.namespace(|| "in"))),
        after(|cs| {
            let mut ns = cs.namespace(|| "other");
            ns.alloc(|| "a", one).unwrap();
            ns.alloc(|| "a", one).map(place)
        }),
        after(|cs| cs.alloc(|| "a/b", one).map(place)),
        after(|cs| cs.alloc_input(|| "/", one).map(place)),
        after(|cs| cs.enforce(|| "a/", |lc| lc, |lc| lc, |lc| lc)),
        after(|cs| drop(cs.namespace(|| "ns/a"))),
        // Names that are odd, but allowed.
        after(|cs| cs.alloc(|| "", one).map(place)),
        after(|cs| cs.namespace(|| "").alloc(|| "", one).map(place)),
        after(|cs| cs.namespace(|| "a b").alloc(|| "ü", one).map(place)),
        // No value.
        after(|cs| {
            cs.alloc(|| "b", missing)
                .map(place)
                .map_err(|e| e.to_string())
        }),
        after(|cs| {
            cs.alloc(|| "in", missing)
                .map(place)
                .map_err(|e| e.to_string())
        }),
        after(|cs| {
            cs.alloc_input(|| "b", missing)
                .map(place)
                .map_err(|e| e.to_string())
        }),
        // Paths.
        after(|cs| cs.get("ONE")),
        after(|cs| cs.get("ns/a")),
        after(|cs| cs.get("in")),
        after(|cs| cs.get("ns")),
        after(|cs| cs.get("ns/product")),
        after(|cs| cs.get("nowhere")),
        after(|cs| cs.set("ns", Scalar::ONE)),
        after(|cs| cs.set("ns/product", Scalar::ONE)),
        after(|cs| cs.set("nowhere", Scalar::ONE)),
        after(|cs| {
            cs.set("ONE", Scalar::ZERO);
            cs.set("in", Scalar::ZERO);
            cs.set("ns/a", Scalar::from(9));
            (cs.scalar_inputs(), cs.scalar_aux(), cs.is_satisfied())
        }),
        // Inputs.
        after(|cs| cs.get_input(0, "ONE")),
        after(|cs| cs.get_input(1, "in")),
        after(|cs| cs.get_input(1, "ONE")),
        after(|cs| cs.verify(&[Scalar::from(6)])),
        after(|cs| cs.verify(&[Scalar::from(7)])),
        after(|cs| cs.verify(&[])),
        after(|cs| cs.verify(&[Scalar::ONE, Scalar::from(6)])),
        // Namespaces by hand.
        after(|cs| cs.pop_namespace()),
        after(|cs| {
            cs.push_namespace(|| "by hand");
            cs.get_root().alloc(|| "b", one).unwrap();
            cs.pop_namespace();
            cs.alloc(|| "b", one).map(place)
        }),
        // What it doesn't provide.
        after(|cs| cs.extend(&sample())),
        after(|cs| cs.extend_aux(&[Scalar::ONE])),
        after(|cs| cs.inputs_slice().to_vec()),
    ]
}

/// What is found between systems that differ in one thing.
pub fn deltas() -> Vec<Result<String, String>> {
    let one = || Ok(Scalar::ONE);
    let mut systems = vec![TestConstraintSystem::new(), sample()];
    let mut more = sample();
    more.alloc(|| "b", one).unwrap();
    systems.push(more);
    let mut more = sample();
    more.alloc_input(|| "b", one).unwrap();
    systems.push(more);
    let mut renamed = sample();
    renamed.alloc_input(|| "c", one).unwrap();
    systems.push(renamed);
    for name in ["sum", "difference"] {
        let mut more = sample();
        more.enforce(|| name, |lc| lc, |lc| lc, |lc| lc);
        systems.push(more);
    }
    let mut other = TestConstraintSystem::new();
    other.enforce(
        || "sum",
        |lc| lc + TestConstraintSystem::<Scalar>::one(),
        |lc| lc,
        |lc| lc,
    );
    systems.push(other);

    let mut deltas = Vec::new();
    for a in &systems {
        for b in &systems {
            for ignore_counts in [false, true] {
                deltas.push(panic_message(|| match a.delta(b, ignore_counts) {
                    Delta::ConstraintMismatch(index, ours, theirs) => format!(
                        "constraint {}: {} {:?}, {} {:?}",
                        index,
                        ours.3,
                        [&ours.0, &ours.1, &ours.2].map(terms),
                        theirs.3,
                        [&theirs.0, &theirs.1, &theirs.2].map(terms)
                    ),
                    delta => format!("{:?}", delta),
                }));
            }
        }
    }
    deltas
}

/// Whether one constraint is equal to another with the same terms, added in another order.
pub fn delta_of_reordered_terms() -> Delta<Scalar> {
    fn system(order: [&str; 3]) -> TestConstraintSystem<Scalar> {
        let mut cs = TestConstraintSystem::new();
        let variables =
            ["a", "b", "c"].map(|name| (name, cs.alloc(|| name, || Ok(Scalar::ONE)).unwrap()));
        let sum = order
            .iter()
            .fold(bp::LinearCombination::zero(), |sum, wanted| {
                let (_, variable) = variables.iter().find(|(name, _)| name == wanted).unwrap();
                sum + *variable
            });
        cs.enforce(|| "sum", |lc| lc + &sum, |lc| lc, |_| sum.clone());
        cs
    }
    system(["a", "b", "c"]).delta(&system(["c", "a", "b"]), false)
}

/// The digest of a system with one constraint, over any field.
pub fn digest_of_a_constraint<F: PrimeField>() -> String {
    let mut cs = TestConstraintSystem::<F>::new();
    let one = TestConstraintSystem::<F>::one();
    cs.enforce(|| "one", |lc| lc + one, |lc| lc + one, |lc| lc + one);
    cs.hash()
}
