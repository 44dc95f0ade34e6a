//! Is this the circuit that was compiled?

use bellpepper_core::{Circuit, ConstraintSystem};
use ff::PrimeField;

use crate::{
    count,
    error::{Difference, Error},
    evaluate::Products,
    naive::Naive,
    shape::Shape,
    witness::Witness,
};

impl<S: PrimeField> Shape<S> {
    /// Synthesizes a circuit with values in full, and compares its rows, the witness, all values of
    /// A, B and C, and the three densities. For a circuit that repeats itself, one repetition is
    /// enough: `shape.repeated(1).check(circuit)`. Costs two syntheses and a witness on the current
    /// thread, and the memory of two assignments (eight scalars per row) and of a second compiled
    /// form.
    ///
    /// # Errors
    /// There is no memory, before the circuit is synthesized. The circuit's own; the first row that
    /// differs, with its name; another number of rows or variables; another witness; other
    /// densities.
    pub fn check<C: Circuit<S> + Clone>(&self, circuit: C) -> Result<(), Error> {
        let mut naive = Naive::new();
        let (mut witness, mut products) = (Witness::default(), Products::default());
        self.reserve(&mut naive.witness, &mut naive.products)?;
        self.reserve(&mut witness, &mut products)?;

        self.compare(circuit.clone())?;
        naive.synthesize(circuit.clone())?;
        self.generate(circuit.clone(), &mut witness)?;
        if witness != naive.witness {
            return Err(Error::ReadsVariables);
        }
        self.evaluate(&naive.witness, &mut products)?;
        let difference = |row, reason| {
            let name = count::name_of_row(circuit.clone(), row);
            Err(Error::Differs(Difference { row, name, reason }))
        };
        for (compiled, synthesized, reason) in [
            (&products.a, &naive.products.a, "has another value of A"),
            (&products.b, &naive.products.b, "has another value of B"),
            (&products.c, &naive.products.c, "has another value of C"),
        ] {
            let mut pairs = compiled.iter().zip(synthesized);
            if let Some(row) = pairs.position(|(one, other)| one != other) {
                return difference(row, reason);
            }
        }
        if self.densities() != naive.densities() {
            return Err(Error::Densities);
        }
        Ok(())
    }
}
