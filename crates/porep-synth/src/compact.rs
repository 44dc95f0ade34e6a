//! A growing list of field elements most of which are bits, as the variables of this circuit are.
//!
//! A 0 or 1 takes three bits and anything else these and its own 32 bytes, where a vector takes 32
//! bytes for each.

use blstrs::Scalar;
use ff::Field;

/// Scalars by index.
#[derive(Default)]
pub struct CompactScalars {
    blocks: Vec<Block>,
    /// The values that are neither 0 nor 1, in order.
    wide: Vec<Scalar>,
    len: usize,
}

/// 64 neighbours; the lowest bit is the first one's.
#[derive(Default)]
struct Block {
    ones: u64,
    wide: u64,
    /// Where in the list of wide values those of this block start.
    wide_start: usize,
}

impl CompactScalars {
    pub fn push(&mut self, value: Scalar) {
        let bit = 1 << (self.len % 64);
        if bit == 1 {
            self.blocks.push(Block {
                wide_start: self.wide.len(),
                ..Block::default()
            });
        }
        let block = self.blocks.last_mut().expect("pushed with its first bit");
        if value == Scalar::ONE {
            block.ones |= bit;
        } else if value != Scalar::ZERO {
            block.wide |= bit;
            self.wide.push(value);
        }
        self.len += 1;
    }

    /// # Panics
    /// If there are not more than `index` values.
    pub fn get(&self, index: usize) -> Scalar {
        assert!(index < self.len, "no value {index} of {}", self.len);
        let block = &self.blocks[index / 64];
        let bit = 1 << (index % 64);
        if block.wide & bit != 0 {
            let before = (block.wide & (bit - 1)).count_ones() as usize;
            self.wide[block.wide_start + before]
        } else if block.ones & bit != 0 {
            Scalar::ONE
        } else {
            Scalar::ZERO
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_back_what_was_pushed() {
        // Every mixture within a block and across the borders of several.
        let kind = |index: u64| match index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 {
            0..=2 => Scalar::ZERO,
            3..=5 => Scalar::ONE,
            _ => Scalar::from(index + 2),
        };
        let mut scalars = CompactScalars::default();
        for index in 0..1000 {
            scalars.push(kind(index));
        }
        assert_eq!(scalars.len(), 1000);
        for index in 0..1000 {
            assert_eq!(scalars.get(index as usize), kind(index), "{index}");
        }
    }
}
