//! Memory for the values of a proof, asked for before they are computed.

use ff::PrimeField;

use crate::{error::Error, evaluate::Products, shape::Shape, witness::Witness};

impl<S: PrimeField> Shape<S> {
    /// Reserves the memory for all values of a proof: a scalar per variable and three per row. A
    /// prover that begins with it is refused before there is a witness. Vectors that are large
    /// enough, as those of an earlier proof, are left as they are.
    ///
    /// A system that overcommits grants memory that it has not got (Linux does): only the caller
    /// knows how much may be used.
    ///
    /// # Errors
    /// The allocator refuses. Vectors are then of no use, and those reserved stay so.
    pub fn reserve(
        &self,
        witness: &mut Witness<S>,
        products: &mut Products<S>,
    ) -> Result<(), Error> {
        self.reserve_witness(witness)?;
        self.reserve_products(products)
    }

    pub(crate) fn reserve_witness(&self, witness: &mut Witness<S>) -> Result<(), Error> {
        reserve(&mut witness.inputs, self.inputs())?;
        reserve(&mut witness.aux, self.aux())
    }

    pub(crate) fn reserve_products(&self, products: &mut Products<S>) -> Result<(), Error> {
        let Products { a, b, c } = products;
        let mut vectors = [a, b, c].into_iter();
        vectors.try_for_each(|vector| reserve(vector, self.rows()))
    }
}

/// Room for `len` values in all.
fn reserve<S>(vector: &mut Vec<S>, len: usize) -> Result<(), Error> {
    if vector.capacity() < len {
        // Freed first, so that old values are neither copied nor beside the new ones.
        *vector = Vec::new();
        let bytes = len.saturating_mul(size_of::<S>());
        let reserved = vector.try_reserve_exact(len);
        reserved.map_err(|_| Error::Memory { bytes })?;
    }
    Ok(())
}
