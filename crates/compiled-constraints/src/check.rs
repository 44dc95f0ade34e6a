//! Is this the circuit that was compiled?

use bellpepper_core::Circuit;
use ff::PrimeField;

use crate::{
    error::{Difference, Error},
    evaluate::Products,
    naive::Naive,
    names,
    shape::Shape,
};

impl<S: PrimeField> Shape<S> {
    /// Synthesizes a circuit with values as ever, and compares its rows, all values of A, B and C,
    /// and the three densities. For a circuit that repeats itself, one repetition is enough:
    /// `shape.repeated(1).check(circuit)`. Costs two syntheses and the memory of a prover's
    /// assignment twice.
    ///
    /// # Errors
    /// The circuit's own; the first row that differs, with its name; another number of rows or
    /// variables.
    pub fn check<C: Circuit<S> + Clone>(&self, circuit: C) -> Result<(), Error> {
        self.compare(circuit.clone())?;
        let naive = Naive::of(circuit.clone())?;
        let mut products = Products::default();
        self.evaluate(&naive.witness, &mut products)?;
        let difference = |row, reason| {
            let name = names::of_row(circuit.clone(), row);
            Err(Error::Differs(Difference { row, name, reason }))
        };
        let sides = [
            (
                &products.a,
                &naive.products.a,
                "has another value of A than in a full synthesis",
            ),
            (
                &products.b,
                &naive.products.b,
                "has another value of B than in a full synthesis",
            ),
            (
                &products.c,
                &naive.products.c,
                "has another value of C than in a full synthesis",
            ),
        ];
        for (compiled, synthesized, reason) in sides {
            let pairs = compiled.iter().zip(synthesized);
            if let Some(row) = pairs.into_iter().position(|(one, other)| one != other) {
                return difference(row, reason);
            }
        }
        if self.densities() != naive.densities() {
            return Err(Error::Densities);
        }
        Ok(())
    }
}
