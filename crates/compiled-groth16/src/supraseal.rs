//! An assignment as SupraSeal's prover takes it: crate `supraseal-c2` 0.1, whose `Assignment` has
//! the fields of [`Assignment`] here, by the same names and types and in the same order. So it is
//! made from this one field by field, or handed to the C++ code by address.

use std::marker::PhantomData;

use compiled_constraints::Densities;

/// Where the values of one proof lie in memory: pointers, borrowed for `'a`.
///
/// Scalars are as they lie in the vectors: for BLS12-381's, 32 bytes each in Montgomery form.
/// Densities are of 64-bit words, lowest bit first, zero past their length in bits.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a, S> {
    /// Which auxiliary variables occur in A.
    pub a_aux_density: *const usize,
    /// The number of auxiliary variables.
    pub a_aux_bit_len: usize,
    /// How many of them occur in A.
    pub a_aux_popcount: usize,

    /// Which inputs occur in B.
    pub b_inp_density: *const usize,
    /// The number of inputs.
    pub b_inp_bit_len: usize,
    /// How many of them occur in B.
    pub b_inp_popcount: usize,

    /// Which auxiliary variables occur in B.
    pub b_aux_density: *const usize,
    /// The number of auxiliary variables.
    pub b_aux_bit_len: usize,
    /// How many of them occur in B.
    pub b_aux_popcount: usize,

    /// A·z, one scalar per row, the closing rows included.
    pub a: *const S,
    /// B·z likewise.
    pub b: *const S,
    /// C·z likewise.
    pub c: *const S,
    /// The number of rows.
    pub abc_size: usize,

    /// The inputs, the constant one first.
    pub inp_assignment_data: *const S,
    /// The number of inputs.
    pub inp_assignment_size: usize,

    /// The auxiliary variables.
    pub aux_assignment_data: *const S,
    /// The number of auxiliary variables.
    pub aux_assignment_size: usize,

    borrowed: PhantomData<&'a S>,
}

impl<'a, S> Assignment<'a, S> {
    /// The places of `assignment` and of its circuit's `densities`.
    ///
    /// # Panics
    /// There are not as many products of A as of B and C.
    pub fn new(densities: &'a Densities, assignment: &'a crate::Assignment<S>) -> Self {
        let crate::Assignment { witness, products } = assignment;
        let rows = products.a.len();
        assert_eq!(rows, products.b.len(), "one product of B per row");
        assert_eq!(rows, products.c.len(), "one product of C per row");
        Assignment {
            a_aux_density: densities.a_aux.words.as_ptr().cast(),
            a_aux_bit_len: densities.a_aux.len,
            a_aux_popcount: densities.a_aux.total,
            b_inp_density: densities.b_input.words.as_ptr().cast(),
            b_inp_bit_len: densities.b_input.len,
            b_inp_popcount: densities.b_input.total,
            b_aux_density: densities.b_aux.words.as_ptr().cast(),
            b_aux_bit_len: densities.b_aux.len,
            b_aux_popcount: densities.b_aux.total,
            a: products.a.as_ptr(),
            b: products.b.as_ptr(),
            c: products.c.as_ptr(),
            abc_size: rows,
            inp_assignment_data: witness.inputs.as_ptr(),
            inp_assignment_size: witness.inputs.len(),
            aux_assignment_data: witness.aux.as_ptr(),
            aux_assignment_size: witness.aux.len(),
            borrowed: PhantomData,
        }
    }
}
