//! How much room a growing block gets: as much as two `Vec`s would have, to which auxiliaries and
//! inputs are added one by one. Upstream's combination is two such, and none is to be larger.

use crate::lc::term::{check_len, grown, LEAST_CAPACITY};

/// The eight leading bits of the capacities that a `Vec` passes through, which doubling does not
/// change: those of [`LEAST_CAPACITY`], or of the length of an exact copy.
#[derive(Clone, Copy)]
pub(super) struct Growth(u8);

impl Growth {
    pub const FROM_EMPTY: Self = Growth(1 << 7);

    /// Of an exact copy of so many terms, rounded up: such a copy has room for them.
    pub fn from_copy(len: usize) -> Self {
        let bits = usize::BITS - len.leading_zeros();
        let leading = match bits.checked_sub(8) {
            Some(lower) => ((len - 1) >> lower) + 1,
            None => len << (8 - bits),
        };
        match leading {
            // 256 has the bits of 128.
            0 | 256 => Self::FROM_EMPTY,
            leading => Growth(leading as u8),
        }
    }

    /// The capacity for so many terms: the least of those passed through that suffices.
    ///
    /// Panics if there are more than 2^32 - 1.
    pub fn capacity(self, len: usize) -> u32 {
        if len == 0 {
            return 0;
        }
        let bits = u32::BITS - check_len(len).leading_zeros();
        let capacity = (u64::from(self.0) << bits) >> 8;
        grown(capacity as u32, len).max(LEAST_CAPACITY)
    }
}

const _: () = assert!(LEAST_CAPACITY.is_power_of_two());

#[test]
fn at_most_the_capacity_of_a_vec() {
    for copied in [0, 1, 2, 3, 4, 5, 7, 17, 100, 129, 255, 256, 282, 511, 1000] {
        let mut list = vec![[0_u8; 40]; copied];
        let growth = Growth::from_copy(copied);
        for len in copied + 1..5000 {
            list.push([0; 40]);
            let (capacity, most) = (growth.capacity(len) as usize, list.capacity());
            assert!(len <= capacity, "{copied} copied, now {len}: {capacity}");
            let most = most + most / 128;
            assert!(capacity <= most, "{copied} copied, now {len}: {capacity}");
        }
    }
}

#[test]
fn a_copy_has_room_for_its_terms() {
    for copied in 4..10_000 {
        let capacity = Growth::from_copy(copied).capacity(copied) as usize;
        let most = copied + copied / 128;
        assert!(
            copied <= capacity && capacity <= most,
            "{copied}: {capacity}"
        );
    }
    let longest = u32::MAX as usize;
    assert_eq!(Growth::FROM_EMPTY.capacity(longest), u32::MAX);
    assert_eq!(Growth::from_copy(longest).capacity(longest), u32::MAX);
}
