//! One BLAKE2b digest over all that a synthesis computed, so that two runs can be compared.
//!
//! A partition has sections, in order: the values of its inputs and its auxiliaries; the
//! evaluations of A, B and C; the densities of A's auxiliaries, B's inputs and B's auxiliaries. A
//! witness has the first two only. A section of values is hashed as their canonical 32
//! little-endian bytes one after the other; a section of bits as bytes filled from the lowest bit,
//! the last one with zeros above. A partition's digest is over the number of items and the digest
//! of each section, the whole is over the partitions' digests in order. Every section has its own
//! running state, so a value can be hashed and forgotten as soon as it is computed.

use blake2b_simd::{Params, State};
use blstrs::Scalar;
use ff::PrimeField;

/// A BLAKE2b digest of 32 bytes.
pub type Hash = [u8; 32];

/// What a finished section adds to the digest of its partition.
pub struct SectionDigest {
    items: u64,
    hash: Hash,
}

/// A running section of values.
pub struct ScalarSection {
    items: u64,
    state: State,
}

impl Default for ScalarSection {
    fn default() -> Self {
        ScalarSection {
            items: 0,
            state: state(),
        }
    }
}

impl ScalarSection {
    pub fn push(&mut self, value: &Scalar) {
        self.items += 1;
        self.state.update(&value.to_repr());
    }

    pub fn finish(&self) -> SectionDigest {
        SectionDigest {
            items: self.items,
            hash: finalize(&self.state),
        }
    }
}

/// The section over `values`.
pub fn scalars(values: &[Scalar]) -> SectionDigest {
    let mut section = ScalarSection::default();
    values.iter().for_each(|value| section.push(value));
    section.finish()
}

/// The section over `bits`.
pub fn bits(bits: impl Iterator<Item = bool>) -> SectionDigest {
    let mut state = state();
    let mut items = 0;
    let mut byte = 0;
    for bit in bits {
        byte |= u8::from(bit) << (items % 8);
        items += 1;
        if items % 8 == 0 {
            state.update(&[byte]);
            byte = 0;
        }
    }
    if items % 8 != 0 {
        state.update(&[byte]);
    }
    SectionDigest {
        items,
        hash: finalize(&state),
    }
}

/// The digest of a partition with these sections.
pub fn partition(sections: &[SectionDigest]) -> Hash {
    let mut state = state();
    for section in sections {
        state.update(&section.items.to_le_bytes());
        state.update(&section.hash);
    }
    finalize(&state)
}

/// The digest of a synthesis of these partitions, in hexadecimal.
pub fn whole(partitions: &[Hash]) -> String {
    let mut state = state();
    for partition in partitions {
        state.update(partition);
    }
    state.finalize().to_hex().to_string()
}

fn state() -> State {
    Params::new().hash_length(32).to_state()
}

fn finalize(state: &State) -> Hash {
    let hash = state.finalize();
    hash.as_bytes().try_into().expect("the length asked for")
}

#[cfg(test)]
mod tests {
    use ff::Field;

    use super::*;

    fn blake2b(bytes: &[u8]) -> Hash {
        let hash = Params::new().hash_length(32).hash(bytes);
        hash.as_bytes().try_into().unwrap()
    }

    #[test]
    fn bits_fill_bytes_from_the_lowest() {
        let section = bits(
            [0, 0, 1, 1, 0, 0, 0, 1, 0, 1]
                .map(|bit| bit == 1)
                .into_iter(),
        );
        assert_eq!(section.items, 10);
        assert_eq!(section.hash, blake2b(&[0b1000_1100, 0b10]));
        // Without a tail there is no byte for it.
        assert_eq!(bits([true; 8].into_iter()).hash, blake2b(&[0xff]));
    }

    #[test]
    fn values_are_canonical_bytes() {
        let section = scalars(&[Scalar::from(0x0201), -Scalar::ONE]);
        let mut bytes = [0; 64];
        bytes[..2].copy_from_slice(&[1, 2]);
        bytes[32..].copy_from_slice(&(-Scalar::ONE).to_bytes_le());
        assert_eq!(section.items, 2);
        assert_eq!(section.hash, blake2b(&bytes));
    }

    #[test]
    fn a_value_more_or_in_another_section_shows() {
        let values = [Scalar::ZERO, Scalar::ONE];
        let one = |split: usize| {
            let (first, second) = values.split_at(split);
            partition(&[scalars(first), scalars(second)])
        };
        assert_ne!(one(0), one(1));
        assert_ne!(one(1), one(2));
        assert_ne!(whole(&[one(0), one(1)]), whole(&[one(1), one(0)]));
    }
}
