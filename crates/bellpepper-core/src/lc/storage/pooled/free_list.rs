//! The blocks that a thread has given up, for the combinations that it makes next.
//!
//! Blocks are of classes by their size, as many sizes as it takes to waste a fifth of a block at
//! most. A thread keeps [`MOST_BLOCKS`] of each class, or [`MOST_BYTES`] if these are fewer, 1.2 MB
//! in all, and frees them when it ends. A block that another thread has made goes to the list of
//! the one that drops it.
//!
//! # Invariant
//!
//! 1. The first `len` of `List::blocks` are blocks of that class which nobody else points at, and
//!    `len <= room <= MOST_BLOCKS`.

use std::alloc::{alloc, dealloc, handle_alloc_error, Layout};
use std::cell::Cell;
use std::ptr::NonNull;

/// What a block of a class has beside its terms.
pub(super) const HEADER_BYTES: usize = 24;

/// A term of a 32-byte scalar; blocks for others come from the allocator.
pub(super) const TERM_BYTES: usize = 40;

/// Alignment of the blocks.
pub(super) const ALIGN: usize = 8;

/// Up to `FEW_TERMS` each number of terms is a class. From there to `MOST_TERMS`, four classes
/// divide each doubling.
const FEW_TERMS: usize = 8;
const MOST_TERMS: usize = 1024;

pub(super) const CLASSES: usize = class_of(MOST_TERMS) as usize + 1;

/// The most blocks of one class that a thread keeps, and the most bytes of them.
const MOST_BLOCKS: usize = 16;
const MOST_BYTES: usize = 1 << 16;

/// The class of the least blocks that have room for so many terms: from 1 to [`MOST_TERMS`].
#[inline(always)]
pub(super) const fn class_of(terms: usize) -> u8 {
    if terms <= FEW_TERMS {
        return (terms - 1) as u8;
    }
    let octave = (usize::BITS - 1 - (terms - 1).leading_zeros()) as usize;
    let quarter = (terms - 1) >> (octave - 2);
    (4 * octave + quarter - FEW_TERMS) as u8
}

/// How many terms a block of a class has room for.
#[inline(always)]
const fn terms_of(class: u8) -> usize {
    let class = class as usize;
    if class < FEW_TERMS {
        return class + 1;
    }
    let (octave, quarter) = ((class + 4) / 4, class % 4 + 4);
    (quarter + 1) << (octave - 2)
}

/// The class of the blocks for so many terms, if there is one.
#[inline(always)]
pub(super) fn class_for(terms: usize) -> Option<u8> {
    if terms <= MOST_TERMS {
        Some(class_of(terms))
    } else {
        None
    }
}

fn layout(class: u8) -> Layout {
    let bytes = HEADER_BYTES + TERM_BYTES * terms_of(class);
    Layout::from_size_align(bytes, ALIGN).expect("a small block")
}

/// A block that nobody points at.
type Free = Cell<NonNull<u8>>;

/// The blocks of one class.
struct List {
    len: Cell<usize>,
    /// How many the thread may keep: 0 before it has given up the first block, and when it ends.
    room: Cell<usize>,
    blocks: [Free; MOST_BLOCKS],
}

#[allow(clippy::declare_interior_mutable_const)]
const EMPTY: List = {
    const NONE: Free = Cell::new(NonNull::dangling());
    List {
        len: Cell::new(0),
        room: Cell::new(0),
        blocks: [NONE; MOST_BLOCKS],
    }
};

/// Whether the target has thread-locals of its own, which outlive the destructors of all others.
/// Elsewhere no block is kept, so that none is lost.
const KEEPS: bool = cfg!(any(
    target_os = "linux",
    target_os = "macos",
    target_os = "freebsd",
    all(windows, target_env = "msvc"),
));

thread_local! {
    // Neither lazily made nor dropped, so that it can be reached without a check, and at any time
    // in a thread's life.
    static LISTS: [List; CLASSES] = const { [EMPTY; CLASSES] };

    static RELEASE: Release = const { Release };
}

/// Frees the thread's blocks when it is dropped, at the end of the thread.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        LISTS.with(|lists| {
            for (class, list) in lists.iter().enumerate() {
                list.room.set(0);
                for block in &list.blocks[..list.len.replace(0)] {
                    // SAFETY: a block of this class, which nobody points at (1).
                    unsafe { dealloc(block.get().as_ptr(), layout(class as u8)) };
                }
            }
        })
    }
}

/// A block of a class. Its content is uninitialised.
#[inline(always)]
pub(super) fn take(class: u8) -> NonNull<u8> {
    LISTS.with(|lists| {
        let list = &lists[class as usize];
        match list.len.get() {
            0 => fresh(class),
            len => {
                list.len.set(len - 1);
                // SAFETY: `len <= MOST_BLOCKS` (1).
                unsafe { list.blocks.get_unchecked(len - 1).get() }
            }
        }
    })
}

#[cold]
#[inline(never)]
fn fresh(class: u8) -> NonNull<u8> {
    let layout = layout(class);
    // SAFETY: no block is of size zero.
    let block = unsafe { alloc(layout) };
    NonNull::new(block).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives up a block.
///
/// # Safety
///
/// The block is from [`take`] with the same class, and nobody points at it any more.
#[inline(always)]
pub(super) unsafe fn give_up(class: u8, block: NonNull<u8>) {
    LISTS.with(|lists| {
        let list = &lists[class as usize];
        let len = list.len.get();
        if len < list.room.get() {
            // SAFETY: `room <= MOST_BLOCKS` (1).
            unsafe { list.blocks.get_unchecked(len) }.set(block);
            list.len.set(len + 1);
        } else {
            // SAFETY: the caller's.
            unsafe { give_up_without_room(lists, class, block) };
        }
    })
}

/// [`give_up`] where the list is full, or the thread has given up no block before, or ends.
///
/// # Safety
///
/// That of [`give_up`].
#[cold]
#[inline(never)]
unsafe fn give_up_without_room(lists: &[List; CLASSES], class: u8, block: NonNull<u8>) {
    // Fails once the thread's blocks have been freed.
    if KEEPS && lists[0].room.get() == 0 && RELEASE.try_with(|_| ()).is_ok() {
        for (class, list) in lists.iter().enumerate() {
            list.room.set(room(class as u8));
        }
        // SAFETY: the caller's.
        return unsafe { give_up(class, block) };
    }
    // SAFETY: the layout is that of the class, with which the block was taken.
    unsafe { dealloc(block.as_ptr(), layout(class)) };
}

/// The most blocks of a class that a thread keeps.
const fn room(class: u8) -> usize {
    let blocks = MOST_BYTES / (HEADER_BYTES + TERM_BYTES * terms_of(class));
    if blocks < MOST_BLOCKS {
        blocks
    } else {
        MOST_BLOCKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_the_least_that_has_room() {
        for terms in 1..=MOST_TERMS {
            let class = class_of(terms);
            assert!(terms_of(class) >= terms, "{}", terms);
            assert!(class == 0 || terms_of(class - 1) < terms, "{}", terms);
            // The promise to kept combinations: a quarter more than upstream's 96 and 40 bytes.
            let bytes = 8 + HEADER_BYTES + TERM_BYTES * terms_of(class);
            let upstream = 96 + 40 * terms;
            assert!(4 * bytes <= 5 * upstream, "{}", terms);
        }
        assert_eq!(terms_of(CLASSES as u8 - 1), MOST_TERMS);
        assert_eq!(class_for(MOST_TERMS + 1), None);
    }

    #[test]
    fn a_thread_keeps_no_more_than_the_documentation_says() {
        let bytes = |class| room(class) * layout(class).size();
        let all: usize = (0..CLASSES as u8).map(bytes).sum();
        assert!(all < 1_200_000, "{}", all);
    }
}
