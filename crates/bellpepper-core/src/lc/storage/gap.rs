//! Where the free cells of a list are, and which terms an insertion moves.
//!
//! ```text
//! | front terms |    gap    | back terms |    room    |
//! 0             front       front + gap  end          capacity
//! ```
//!
//! The gap stays where the last insertion was, so that one more term there moves nothing, and a
//! merge sweeps the gap once over the list. An insertion elsewhere moves the gap, or the terms
//! behind it into the room, whichever moves less: so it never moves more terms than an insertion
//! into a `Vec`, which moves all behind it. Without a gap there is one run of terms, up to `end`.

/// The most terms that an insertion near the end moves without opening a gap: reading one run is
/// cheaper than two, by more than the next insertion may save.
const SHIFTED: usize = 8;

/// The positions that the list has now. `front` means nothing while `gap` is 0.
#[derive(Clone, Copy, Default)]
pub(super) struct Gap {
    pub front: u32,
    pub gap: u32,
    pub end: u32,
}

/// One move of terms, from the cells `from..until` to those at `to`, after which the new terms are
/// written to the cells at `at`.
pub(super) struct Insertion {
    pub from: usize,
    pub until: usize,
    pub to: usize,
    pub at: usize,
    pub after: Gap,
}

impl Gap {
    /// The number of terms.
    #[inline(always)]
    pub fn len(self) -> usize {
        (self.end - self.gap) as usize
    }

    /// The cells where the front run ends, and where the back run starts.
    #[inline(always)]
    pub fn split(self) -> (usize, usize) {
        if self.gap == 0 {
            (self.end as usize, self.end as usize)
        } else {
            (self.front as usize, (self.front + self.gap) as usize)
        }
    }

    /// How to insert `count` terms before the term at position `at`, with `room` cells behind the
    /// end, if `more` are expected after them. `None` if neither gap nor room is large enough as
    /// they are.
    pub fn insertion(self, at: usize, count: usize, more: usize, room: usize) -> Option<Insertion> {
        let (front, back) = self.split();
        let (gap, end) = (back - front, self.end as usize);
        let insertion = |from, until, to, at, (front, gap, end): (usize, usize, usize)| {
            Some(Insertion {
                from,
                until,
                to,
                at,
                after: Gap {
                    front: front as u32,
                    gap: gap as u32,
                    end: end as u32,
                },
            })
        };
        let tail = self.len() - at;
        if gap == 0 || (at > front && tail < at - front) {
            // The terms behind it move into the room; a gap opens if there is none.
            let spare = room.checked_sub(count)?;
            let opened = match gap {
                0 if tail > SHIFTED => more.min(spare),
                _ => 0,
            };
            let moved = count + opened;
            let from = at + gap;
            let after = match gap {
                0 => (at + count, opened, end + moved),
                gap => (front, gap, end + moved),
            };
            return insertion(from, end, from + moved, from, after);
        }
        let left = gap.checked_sub(count)?;
        let after = (at + count, left, end);
        if at <= front {
            insertion(at, front, at + gap, at, after)
        } else {
            insertion(back, at + gap, front, at, after)
        }
    }
}
