//! One BLAKE2b digest over all that a synthesis computed, so that two runs can be compared.
//!
//! A partition has named sections. A section of values is hashed as their canonical 32
//! little-endian bytes one after the other; a section of bits as bytes filled from the lowest bit,
//! the last one with zeros above. A partition's digest covers its sections' digests with the
//! number of items in each; the whole covers the partitions in order. Every section has its own
//! running state, so a value can be hashed and forgotten when it is computed.

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

impl ScalarSection {
    /// # Panics
    /// If `name` is longer than 16 bytes.
    pub fn new(name: &str) -> Self {
        ScalarSection {
            items: 0,
            state: state(name),
        }
    }

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

/// The section `name` over `values`.
pub fn scalars(name: &str, values: &[Scalar]) -> SectionDigest {
    let mut section = ScalarSection::new(name);
    values.iter().for_each(|value| section.push(value));
    section.finish()
}

/// The section `name` over `bits`.
pub fn bits(name: &str, bits: impl Iterator<Item = bool>) -> SectionDigest {
    let mut state = state(name);
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
    let mut state = state("partition");
    for section in sections {
        state.update(&section.items.to_le_bytes());
        state.update(&section.hash);
    }
    finalize(&state)
}

/// The digest of a synthesis with these partitions, in hexadecimal.
pub fn whole(partitions: &[Hash]) -> String {
    let mut state = state("porep-synth");
    for partition in partitions {
        state.update(partition);
    }
    state.finalize().to_hex().to_string()
}

fn state(name: &str) -> State {
    let mut personal = [0; 16];
    personal[..name.len()].copy_from_slice(name.as_bytes());
    Params::new().hash_length(32).personal(&personal).to_state()
}

fn finalize(state: &State) -> Hash {
    state
        .finalize()
        .as_bytes()
        .try_into()
        .expect("the length asked for")
}
