//! `lc-pooled`: a combination is one pointer to a block, and small blocks come from the thread's
//! own [`free_list`].
//!
//! ```text
//! Pooled        block
//! +-----+       +--------+-------------+-----+------------+------+-------------------+
//! | ptr |------>| Header | front terms | gap | back terms | room | inputs, last first |
//! +-----+       +--------+-------------+-----+------------+------+-------------------+
//!                        0                                end    limit           capacity
//! ```
//!
//! Auxiliaries and inputs grow towards each other, so that neither moves the other. An empty
//! combination is a null pointer and costs nothing. Eight bytes are passed and returned in a
//! register, where upstream's 96 are copied for each `+`.
//!
//! Terms of other than 32-byte scalars, and lists longer than the largest block in the free list,
//! are in blocks from the allocator.
//!
//! # Invariants
//!
//! 1. `Pooled::block` is `None`, or points at a block that this `Pooled` alone owns: a [`Header`]
//!    at 0 and room for `capacity` terms at `OFFSET`.
//! 2. `gap.end <= limit <= capacity`, and what [`Gap::split`] says is in order. The cells of both
//!    runs, and those from `limit` to `capacity`, are initialised.
//! 3. `class` is that with which the block was taken from the free list, or [`OUTSIDE`] if the
//!    block has the layout `Pooled::layout(capacity)` and is the allocator's.
//! 4. Scalars are `Copy`: a cell is overwritten or forgotten, never dropped.

#![allow(unsafe_code)]

use std::alloc::{alloc, dealloc, handle_alloc_error, realloc, Layout};
use std::marker::PhantomData;
use std::mem::{align_of, size_of};
use std::ptr::{self, NonNull};
use std::slice;

use ff::PrimeField;

use super::gap::Gap;
use super::{Runs, RunsMut, Storage};
use crate::lc::term::{check_len, Kind, Term};

mod constants;
mod free_list;
mod growth;

use growth::Growth;

pub(crate) const NAME: &str = "lc-pooled";

/// `Header::class` of a block that is not of the free list.
const OUTSIDE: u8 = u8::MAX;
const _: () = assert!(free_list::CLASSES < OUTSIDE as usize);

/// Terms of the first block of a combination to which terms are added: 99% of those of the PoRep
/// circuit have no more.
const FIRST: u32 = 4;
const FIRST_CLASS: u8 = free_list::class_of(FIRST as usize);

/// What a block begins with.
struct Header {
    gap: Gap,
    /// Where the inputs start.
    limit: u32,
    capacity: u32,
    class: u8,
    /// How the auxiliaries and the inputs would grow, each in a block of its own. Of an exact copy
    /// it is known when it grows.
    growth: Option<(Growth, Growth)>,
}
// Else no block would be of the free list.
const _: () = assert!(size_of::<Header>() <= free_list::HEADER_BYTES);

/// One combination: see the module.
pub(crate) struct Pooled<S: PrimeField> {
    block: Option<NonNull<Header>>,
    scalar: PhantomData<S>,
}

// SAFETY: a block is owned by its `Pooled` alone (1), holds nothing but scalars and counts, and may
// be given up on any thread; `PrimeField` is `Send` and `Sync`.
unsafe impl<S: PrimeField> Send for Pooled<S> {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl<S: PrimeField> Sync for Pooled<S> {}

impl<S: PrimeField> Pooled<S> {
    const ALIGN: usize = if align_of::<Header>() > align_of::<Term<S>>() {
        align_of::<Header>()
    } else {
        align_of::<Term<S>>()
    };

    /// Where the terms begin in a block.
    const OFFSET: usize = {
        let past = size_of::<Header>() + Self::ALIGN - 1;
        past - past % Self::ALIGN
    };

    /// Whether terms are of the size and alignment that blocks in the free list are made for.
    const LISTED: bool = size_of::<Term<S>>() == free_list::TERM_BYTES
        && Self::OFFSET <= free_list::HEADER_BYTES
        && Self::ALIGN <= free_list::ALIGN;

    /// The layout of a block that is not of the free list.
    fn layout(capacity: u32) -> Layout {
        Layout::array::<Term<S>>(capacity as usize)
            .and_then(|cells| Layout::from_size_align(cells.size() + Self::OFFSET, Self::ALIGN))
            .expect("a linear combination larger than the address space")
    }

    /// A block without terms, for `capacity` of them. That its class has room for a few more is not
    /// used, so that capacities double where upstream's do.
    #[inline(always)]
    fn block_for(capacity: u32) -> NonNull<Header> {
        let class = free_list::class_for(capacity as usize).filter(|_| Self::LISTED);
        Self::block_of(class, capacity)
    }

    /// [`block_for`](Self::block_for) from the free list if there is a class, else from the
    /// allocator.
    #[inline(always)]
    fn block_of(class: Option<u8>, capacity: u32) -> NonNull<Header> {
        let (block, class) = match class {
            Some(class) => (free_list::take(class), class),
            None => (Self::allocate(capacity), OUTSIDE),
        };
        let block = block.cast::<Header>();
        let header = Header {
            gap: Gap::default(),
            limit: capacity,
            capacity,
            class,
            growth: Some((Growth::FROM_EMPTY, Growth::FROM_EMPTY)),
        };
        // SAFETY: the block is ours, large enough for a header and aligned for it.
        unsafe { block.as_ptr().write(header) };
        block
    }

    #[inline(never)]
    fn allocate(capacity: u32) -> NonNull<u8> {
        let layout = Self::layout(capacity);
        // SAFETY: no layout is of size zero, as each has a header.
        let memory = unsafe { alloc(layout) };
        NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// Gives up a block.
    ///
    /// # Safety
    ///
    /// The block is that of a `Pooled` (1), and nobody points at it any more.
    #[inline(always)]
    unsafe fn release(block: NonNull<Header>) {
        #[inline(never)]
        unsafe fn release_large<S: PrimeField>(block: NonNull<Header>, class: u8) {
            // SAFETY: the caller's; the layout is that of the block (3).
            unsafe {
                if class == OUTSIDE {
                    let layout = Pooled::<S>::layout(block.as_ref().capacity);
                    dealloc(block.as_ptr().cast(), layout);
                } else {
                    free_list::give_up(class, block.cast());
                }
            }
        }
        // SAFETY: the caller's, and (3).
        unsafe {
            match block.as_ref().class {
                // Nearly all.
                FIRST_CLASS => free_list::give_up(FIRST_CLASS, block.cast()),
                class => release_large::<S>(block, class),
            }
        }
    }

    #[inline(always)]
    fn header(&self) -> Option<&Header> {
        // SAFETY: (1).
        self.block.map(|block| unsafe { &*block.as_ptr() })
    }

    /// The first cell of a block.
    ///
    /// # Safety
    ///
    /// The block is that of a `Pooled` (1).
    #[inline(always)]
    unsafe fn cells(block: NonNull<Header>) -> *mut Term<S> {
        // SAFETY: the cells are in the same allocation.
        unsafe { block.as_ptr().cast::<u8>().add(Self::OFFSET).cast() }
    }

    /// Copies terms to the ends of the room of a block.
    ///
    /// # Safety
    ///
    /// The block is that of a `Pooled` (1), the terms are not in it, and it has room for them.
    #[inline(always)]
    unsafe fn copy_in(block: NonNull<Header>, (front, back): Runs<'_, S>, inputs: &[Term<S>]) {
        // SAFETY: the caller's; afterwards these cells are initialised, which keeps (2).
        unsafe {
            let header = &mut *block.as_ptr();
            let cells = Self::cells(block);
            let end = cells.add(header.gap.end as usize);
            ptr::copy_nonoverlapping(front.as_ptr(), end, front.len());
            // A call costs as much as copying a few terms.
            if !back.is_empty() {
                ptr::copy_nonoverlapping(back.as_ptr(), end.add(front.len()), back.len());
            }
            header.gap.end += (front.len() + back.len()) as u32;
            header.limit -= inputs.len() as u32;
            if !inputs.is_empty() {
                let limit = cells.add(header.limit as usize);
                ptr::copy_nonoverlapping(inputs.as_ptr(), limit, inputs.len());
            }
        }
    }

    /// The number of terms.
    #[inline(always)]
    fn len(&self) -> usize {
        self.header().map_or(0, |header| {
            header.gap.len() + (header.capacity - header.limit) as usize
        })
    }

    /// Makes room for `count` more terms of a kind: of the gap, or else of a larger block, which it
    /// returns. That has a gap for `count` and `more` before the auxiliary at position `at`, so
    /// that those behind it move once; and as much room as two lists would have.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, kind: Kind, at: usize, count: usize, more: usize) -> NonNull<Header> {
        let block = match self.block {
            Some(block) => block,
            None => {
                let capacity = Growth::FROM_EMPTY.capacity(count);
                return *self.block.insert(Self::block_for(capacity));
            }
        };
        // SAFETY: (1); the back run moves to the end of the front run (2).
        let header = unsafe {
            let header = &mut *block.as_ptr();
            let (front, back) = header.gap.split();
            let cells = Self::cells(block);
            let moved = header.gap.end as usize - back;
            if moved != 0 {
                move_terms(cells.add(back), cells.add(front), moved);
            }
            header.gap = Gap {
                end: (front + moved) as u32,
                ..Gap::default()
            };
            header
        };
        let held = (header.gap.end, header.capacity - header.limit);
        let (mut aux, mut inputs) = held;
        let grows = match kind {
            Kind::Aux => &mut aux,
            Kind::Input => &mut inputs,
        };
        *grows = check_len((*grows as usize).saturating_add(count));
        if aux as usize + inputs as usize <= header.capacity as usize {
            return block;
        }
        let of_copy = |len: u32| Growth::from_copy(len as usize);
        let growth = header
            .growth
            .unwrap_or_else(|| (of_copy(held.0), of_copy(held.1)));
        header.growth = Some(growth);
        let (aux, inputs) = (aux as usize, inputs as usize);
        let both = growth.0.capacity(aux) as usize + growth.1.capacity(inputs) as usize;
        // Else a few of one kind beside many of the other would copy those each time they grow.
        let roomy = (aux + inputs) / 8 * 9;
        let capacity = check_len(both.max(roomy));
        if header.class == OUTSIDE && held.1 == 0 {
            return *self.block.insert(Self::reallocated(block, capacity));
        }
        let larger = if both < roomy {
            // A block of the free list may have room for a quarter more still.
            Self::block_of(None, capacity)
        } else {
            Self::block_for(capacity)
        };
        let larger = Pooled {
            block: Some(larger),
            scalar: PhantomData,
        };
        let old = std::mem::replace(self, larger);
        let mut new = self.block.expect("just made");
        let (before, behind) = split_at(old.aux(), at);
        // SAFETY: the new block is empty, and has room for the terms of the old one and `count`
        // more. The cells of the gap are those that are passed over (2).
        unsafe {
            new.as_mut().growth = Some(growth);
            Self::copy_in(new, before, old.inputs());
            if !behind.0.is_empty() {
                let header = &mut *new.as_ptr();
                let spare = capacity as usize - old.len();
                let gap = spare.min(count + more) as u32;
                header.gap.end += gap;
                Self::copy_in(new, behind, &[]);
                header.gap.front = at as u32;
                header.gap.gap = gap;
            }
        }
        new
    }

    /// A block of the allocator with larger capacity. It has no inputs, which would have to move.
    fn reallocated(block: NonNull<Header>, capacity: u32) -> NonNull<Header> {
        // SAFETY: the block has the layout of its capacity (3); the new one has the same alignment
        // and is larger.
        unsafe {
            let old = Self::layout(block.as_ref().capacity);
            let layout = Self::layout(capacity);
            let grown = realloc(block.as_ptr().cast(), old, layout.size());
            let grown = NonNull::new(grown).unwrap_or_else(|| handle_alloc_error(layout));
            let mut grown = grown.cast::<Header>();
            grown.as_mut().limit = capacity;
            grown.as_mut().capacity = capacity;
            grown
        }
    }

    /// A block that has room for one more term of a kind.
    #[inline(always)]
    fn with_room(&mut self, kind: Kind) -> NonNull<Header> {
        match self.block {
            // SAFETY: (1).
            Some(block) if unsafe { block.as_ref().gap.end < block.as_ref().limit } => block,
            Some(_) => self.make_room(kind, self.len(), 1, 0),
            None => *self.block.insert(Self::block_for(FIRST)),
        }
    }

    /// Checks what a block says of itself (2) in builds with debug assertions.
    #[inline(always)]
    fn check(&self) {
        if let (true, Some(header)) = (cfg!(debug_assertions), self.header()) {
            let (front, back) = header.gap.split();
            assert!(front <= back && back <= header.gap.end as usize);
            assert!(header.gap.end <= header.limit && header.limit <= header.capacity);
        }
    }
}

/// The auxiliaries before and from a position on. The first run of the latter is empty only if both
/// are.
#[inline(always)]
fn split_at<'a, S>((front, back): Runs<'a, S>, at: usize) -> (Runs<'a, S>, Runs<'a, S>) {
    if at < front.len() {
        let (before, behind) = front.split_at(at);
        ((before, &[]), (behind, back))
    } else {
        let (before, behind) = back.split_at(back.len().min(at - front.len()));
        ((front, before), (behind, &[]))
    }
}

/// Moves terms, also to places that overlap theirs.
///
/// # Safety
///
/// Both places are in one block, and the terms are initialised.
#[inline(always)]
unsafe fn move_terms<T>(mut from: *const T, mut to: *mut T, mut count: usize) {
    // From 2 KiB on, glibc moves down by an instruction that is slow where the places overlap (Zen
    // 5: 54 inputs in 33 ns, in pieces in 5), and up by vectors.
    let piece = (2000 / size_of::<T>()).max(1);
    // SAFETY: the caller's; what is moved down in pieces is read before it is written over.
    unsafe {
        if (to as *const T) < from {
            while count > piece {
                ptr::copy(from, to, piece);
                (from, to, count) = (from.add(piece), to.add(piece), count - piece);
            }
        }
        ptr::copy(from, to, count);
    }
}

impl<S: PrimeField> Default for Pooled<S> {
    #[inline(always)]
    fn default() -> Self {
        Pooled {
            block: None,
            scalar: PhantomData,
        }
    }
}

impl<S: PrimeField> Drop for Pooled<S> {
    #[inline(always)]
    fn drop(&mut self) {
        self.check();
        if let Some(block) = self.block {
            // SAFETY: this `Pooled` alone points at it (1), and ends.
            unsafe { Self::release(block) };
        }
    }
}

impl<S: PrimeField> Clone for Pooled<S> {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        if self.len() != 0 {
            let mut block = Self::block_for(check_len(self.len()));
            // SAFETY: the block is new, and has room for these terms.
            unsafe {
                block.as_mut().growth = None;
                Self::copy_in(block, self.aux(), self.inputs());
            }
            clone.block = Some(block);
        }
        clone
    }
}

impl<S: PrimeField> Storage for Pooled<S> {
    type Scalar = S;

    const INPUTS_ASCEND: bool = false;

    #[inline(always)]
    fn of_term(kind: Kind, key: usize, coeff: &S) -> Self {
        let mut one = Pooled {
            block: Some(Self::block_for(1)),
            scalar: PhantomData,
        };
        match kind {
            Kind::Input => one.insert_input(0, key, coeff),
            Kind::Aux => one.append(key, coeff),
        }
        one
    }

    #[inline(always)]
    fn aux(&self) -> Runs<'_, S> {
        match self.block {
            None => (&[], &[]),
            // SAFETY: the runs are initialised (2), and borrowed from `self`, which owns them (1).
            Some(block) => unsafe {
                let gap = block.as_ref().gap;
                let (front, back) = gap.split();
                let cells = Self::cells(block);
                (
                    slice::from_raw_parts(cells, front),
                    slice::from_raw_parts(cells.add(back), gap.end as usize - back),
                )
            },
        }
    }

    #[inline(always)]
    fn aux_mut(&mut self) -> RunsMut<'_, S> {
        self.runs_mut().0
    }

    #[inline(always)]
    fn last_mut(&mut self) -> Option<&mut Term<S>> {
        let block = self.block?;
        // SAFETY: (1); a run ends at `end` (2), if there is any.
        unsafe {
            match block.as_ref().gap.end {
                0 => None,
                end => Some(&mut *Self::cells(block).add(end as usize - 1)),
            }
        }
    }

    #[inline(always)]
    fn inputs(&self) -> &[Term<S>] {
        match self.block {
            None => &[],
            // SAFETY: these cells are initialised (2), and borrowed as `self` is.
            Some(block) => unsafe {
                let header = block.as_ref();
                let inputs = Self::cells(block).add(header.limit as usize);
                slice::from_raw_parts(inputs, (header.capacity - header.limit) as usize)
            },
        }
    }

    #[inline(always)]
    fn inputs_mut(&mut self) -> &mut [Term<S>] {
        self.runs_mut().1
    }

    #[inline(always)]
    fn runs_mut(&mut self) -> (RunsMut<'_, S>, &mut [Term<S>]) {
        match self.block {
            None => ((&mut [], &mut []), &mut []),
            // SAFETY: as in `aux` and `inputs`; the three runs are apart (2).
            Some(block) => unsafe {
                let Header {
                    gap,
                    limit,
                    capacity,
                    ..
                } = *block.as_ref();
                let (front, back) = gap.split();
                let cells = Self::cells(block);
                let behind = gap.end as usize - back;
                let inputs = (capacity - limit) as usize;
                (
                    (
                        slice::from_raw_parts_mut(cells, front),
                        slice::from_raw_parts_mut(cells.add(back), behind),
                    ),
                    slice::from_raw_parts_mut(cells.add(limit as usize), inputs),
                )
            },
        }
    }

    #[inline(always)]
    fn append(&mut self, key: usize, coeff: &S) {
        let block = self.with_room(Kind::Aux);
        // SAFETY: (1); the cell at the end is free, since `end < limit` (2).
        unsafe {
            let end = &mut (*block.as_ptr()).gap.end;
            Self::cells(block).add(*end as usize).write((key, *coeff));
            *end += 1;
        }
    }

    #[inline(always)]
    fn insert_in_gap(&mut self, key: usize, coeff: &S) {
        match self.block {
            // SAFETY: (1); the first cell of the gap is free, and becomes the last of the front run
            // (2).
            Some(block) if unsafe { block.as_ref().gap.gap } != 0 => unsafe {
                let gap = &mut (*block.as_ptr()).gap;
                let cell = Self::cells(block).add(gap.front as usize);
                cell.write((key, *coeff));
                gap.front += 1;
                gap.gap -= 1;
            },
            _ => self.append(key, coeff),
        }
    }

    fn insert(&mut self, at: usize, terms: &[Term<S>], more: usize) {
        self.check();
        let (block, insertion) = loop {
            let block = match self.block {
                Some(block) => block,
                None => self.make_room(Kind::Aux, at, terms.len(), more),
            };
            // SAFETY: (1).
            let header = unsafe { block.as_ref() };
            assert!(at <= header.gap.len(), "an insertion behind the terms");
            let room = (header.limit - header.gap.end) as usize;
            match header.gap.insertion(at, terms.len(), more, room) {
                Some(insertion) => break (block, insertion),
                None => _ = self.make_room(Kind::Aux, at, terms.len(), more),
            }
        };
        // SAFETY: (1); terms move between cells of the list or into its room, and the new ones are
        // written to cells which are then free; they are not in this block, which is borrowed for
        // change. So the runs are initialised again (2).
        unsafe {
            let cells = Self::cells(block);
            let moved = insertion.until - insertion.from;
            if moved != 0 {
                let from = cells.add(insertion.from);
                move_terms(from, cells.add(insertion.to), moved);
            }
            if let [term] = terms {
                cells.add(insertion.at).write(*term);
            } else {
                ptr::copy_nonoverlapping(terms.as_ptr(), cells.add(insertion.at), terms.len());
            }
            (*block.as_ptr()).gap = insertion.after;
        }
    }

    fn insert_input(&mut self, at: usize, key: usize, coeff: &S) {
        let len = self.inputs().len();
        assert!(at <= len, "an insertion behind the inputs");
        let block = self.with_room(Kind::Input);
        // SAFETY: (1); the cell before `limit` is free, since `end < limit` (2). The inputs up to
        // the place move into it.
        unsafe {
            let limit = &mut (*block.as_ptr()).limit;
            *limit -= 1;
            let first = Self::cells(block).add(*limit as usize);
            if at != 0 {
                move_terms(first.add(1), first, at);
            }
            first.add(at).write((key, *coeff));
        }
    }

    #[inline(always)]
    fn minus_one() -> S {
        constants::minus_one()
    }

    #[inline(always)]
    fn two() -> S {
        constants::two()
    }
}
