//! What C++ code reads at the address of a `supraseal::Assignment`: the process's own memory.

use std::fs::File;
use std::mem::size_of;
use std::os::unix::fs::FileExt;

use blstrs::Scalar;
use compiled_constraints::Density;
use compiled_groth16::supraseal::Assignment;
use ff::{Field, PrimeField};

use crate::circuits::{assign, Random};

/// `count` words of 64 bits at `address`.
fn words(address: usize, count: usize) -> Vec<u64> {
    let mut bytes = vec![0; 8 * count];
    let memory = File::open("/proc/self/mem").unwrap();
    memory.read_exact_at(&mut bytes, address as u64).unwrap();
    let words = bytes.chunks_exact(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// Scalars times 2^256, four words each, lowest first.
fn montgomery(scalars: &[Scalar]) -> Vec<u64> {
    let factor = Scalar::from(2).pow_vartime([256]);
    let scalars = scalars.iter().flat_map(|scalar| {
        let bytes = (scalar * factor).to_repr();
        bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect::<Vec<_>>()
    });
    scalars.collect()
}

#[test]
fn fields_and_values_lie_where_supraseal_reads_them() {
    for structure in 0..8 {
        let (densities, assignment) = assign(Random::new(structure, 0));
        let pointers = Assignment::new(&densities, &assignment);

        assert_eq!(size_of::<Assignment<Scalar>>(), 17 * 8);
        let address = std::ptr::from_ref(&pointers) as usize;
        let mut fields = words(address, 17).into_iter().map(|field| field as usize);
        let mut next = || fields.next().unwrap();

        // The order of `struct Assignment` in supraseal-c2 0.1.2, cuda/groth16_cuda.cu.
        let density = |[bits, len, total]: [usize; 3], expected: &Density| {
            assert_eq!((len, total), (expected.len, expected.total));
            assert_eq!(words(bits, expected.words.len()), expected.words);
        };
        density([next(), next(), next()], &densities.a_aux);
        density([next(), next(), next()], &densities.b_input);
        density([next(), next(), next()], &densities.b_aux);
        let scalars = |start: usize, len: usize, expected: &[Scalar]| {
            assert_eq!(len, expected.len());
            assert_eq!(words(start, 4 * len), montgomery(expected));
        };
        let products = &assignment.products;
        let (a, b, c, rows) = (next(), next(), next(), next());
        scalars(a, rows, &products.a);
        scalars(b, rows, &products.b);
        scalars(c, rows, &products.c);
        scalars(next(), next(), &assignment.witness.inputs);
        scalars(next(), next(), &assignment.witness.aux);
    }
}
