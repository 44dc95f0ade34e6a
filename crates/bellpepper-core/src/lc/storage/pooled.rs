//! `lc-pooled`: a combination is one pointer to a block, and blocks come from the thread's own stock.
//!
//! What the PoRep circuit builds (1.2 million constraints, `benches/record`): 5.13 combinations a
//! constraint, of which 8% end empty, 56% with one term, 90% with three or fewer, 99.9% with 30 or fewer, the
//! longest with 929. So
//!
//! - an empty combination is a null pointer and costs nothing;
//! - the first block has room for four terms of a 32-byte scalar, 192 bytes or three cache lines, and 99% of
//!   the combinations never need another;
//! - longer lists take blocks of 16, 64, 256 and 2048 terms, also from stock, since `MultiEq` makes
//!   lists of 35 to 929 terms all the time; growing fourfold copies a third of what doubling does;
//! - only six blocks or so are live at a time, so the last one put back is the next one taken, and
//!   stays in the first-level cache;
//! - eight bytes are passed and returned in a register, where 96 are copied for each `+`.
//!
//! ```text
//! Pooled        block (BLOCK_ALIGN, or the scalar's alignment if that is larger)
//! +-----+       +--------+------------------+ - - - - - +------------------+
//! | ptr |------>| Header | front terms      |    gap    | back terms       |
//! +-----+       +--------+------------------+ - - - - - +------------------+
//!               0       Self::OFFSET                                       capacity terms
//! ```
//!
//! What stands in for a list ([`StandIn`]) is kept where the terms would be. A [`Shared`] is a block
//! whose header counts those that point at it.
//!
//! A scalar of which not two terms fit into the first block, or that is aligned more than a block, is
//! kept in blocks from the allocator; so are lists longer than the largest block in stock. A block put
//! back on another thread than it was taken on goes to that thread's stock.
//!
//! # Memory
//!
//! The stock of a thread holds at most [`SHELF`] blocks of each size, 1.5 MB in all, and is freed
//! when the thread ends. A block put back after that (by another thread-local's destructor) goes to
//! the allocator at once.
//!
//! # Invariants
//!
//! 1. `Pooled::block` is `None`, or points at a block that this `Pooled` alone owns: a [`Header`] at 0 and
//!    room for `header.capacity` terms at `OFFSET`.
//! 2. `front + back <= capacity`; the first `front` and the last `back` cells are initialised.
//! 3. `inputs <= front + back`.
//! 4. `size` is the index of the block's layout in [`SIZES`], or [`UNSTOCKED`] if the layout is that of
//!    `Pooled::layout(capacity)`, or [`STAND_IN`].
//! 5. If `size` is [`STAND_IN`], then `front`, `back`, `inputs` and `capacity` are 0, a [`StandIn`] is at
//!    `OFFSET`, and the layout is that of [`STAND_IN_SIZE`], or else `Pooled::stand_in_layout()`,
//!    as `Pooled::STAND_IN_STOCKED` says.
//! 6. The first `len` slots of a shelf hold blocks of that shelf's layout, which nobody else points at and
//!    whose content counts as uninitialised. `len <= Stock::room <= SHELF`; `room` is 0 until the
//!    thread has registered the release of the stock, and again once that has begun.
//! 7. Scalars are `Copy`: a cell is overwritten or forgotten, never dropped.
//! 8. While `Stock::kept_of` is a type, each place of `Stock::kept` holds a scalar of just that type.
//! 9. A block that [`Shared`]s point at is owned by all of them together, and `shares` is their number: 0
//!    for the block of any other `Pooled`. Nothing else in it changes until the last of them
//!    drops it.

#![allow(unsafe_code)]

use std::alloc::{alloc, dealloc, handle_alloc_error, realloc, Layout};
use std::any::TypeId;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::mem::{align_of, size_of, ManuallyDrop, MaybeUninit};
use std::ops::Deref;
use std::process::abort;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use ff::PrimeField;

use super::{check_len, Kind, Runs, RunsMut, StandIn, Storage, Term};

pub(crate) const NAME: &str = "lc-pooled";

/// Bytes of the blocks in stock: a header and 4, 16, 64, 256 or 2048 terms of 40 bytes. The last is what
/// a sum has room for.
const SIZES: [usize; 5] = [192, 672, 2592, 10272, 81952];

/// Alignment of the blocks in stock: a cache line.
const BLOCK_ALIGN: usize = 64;

/// `Header::size` of a block that is not of a size in stock.
const UNSTOCKED: u8 = u8::MAX;

/// `Header::size` of a block with a [`StandIn`] in place of terms.
const STAND_IN: u8 = u8::MAX - 1;

/// The size in stock of such a block: the least that has room for a sum.
const STAND_IN_SIZE: usize = 1;

/// The most blocks of one size that a thread keeps.
const SHELF: usize = 16;

/// What a block begins with.
struct Header {
    front: u32,
    back: u32,
    inputs: u32,
    capacity: u32,
    moved: u32,
    shares: AtomicU32,
    size: u8,
}

/// One combination: see the module.
pub(crate) struct Pooled<S: PrimeField> {
    block: Option<NonNull<Header>>,
    scalar: PhantomData<S>,
}

// SAFETY: a block is owned by its `Pooled` alone (1), holds nothing but scalars and counts, and may be
// put back on any thread; `PrimeField` is `Send` and `Sync`.
unsafe impl<S: PrimeField> Send for Pooled<S> {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl<S: PrimeField> Sync for Pooled<S> {}

const fn larger(one: usize, other: usize) -> usize {
    if one > other {
        one
    } else {
        other
    }
}

impl<S: PrimeField> Pooled<S> {
    const ALIGN: usize = larger(
        align_of::<Header>(),
        larger(align_of::<Term<S>>(), align_of::<StandIn<Self>>()),
    );

    /// Where the terms, or what stands in for them, begin in a block.
    const OFFSET: usize = {
        let past = size_of::<Header>() + Self::ALIGN - 1;
        past - past % Self::ALIGN
    };

    /// Whether blocks of this scalar are taken from stock.
    const STOCKED: bool =
        Self::ALIGN <= BLOCK_ALIGN && Self::OFFSET + 2 * size_of::<Term<S>>() <= SIZES[0];

    /// Whether what stands in for a list is kept in a block from stock.
    pub(crate) const STAND_IN_STOCKED: bool =
        Self::STOCKED && Self::OFFSET + size_of::<StandIn<Self>>() <= SIZES[STAND_IN_SIZE];

    /// How many terms fit into a block of a size in stock.
    #[inline(always)]
    const fn capacity_of(size: usize) -> u32 {
        ((SIZES[size] - Self::OFFSET) / size_of::<Term<S>>()) as u32
    }

    /// The layout of a block that is not in stock.
    fn layout(capacity: u32) -> Layout {
        Layout::array::<Term<S>>(capacity as usize)
            .and_then(|cells| Layout::from_size_align(cells.size() + Self::OFFSET, Self::ALIGN))
            .expect("a linear combination larger than the address space")
    }

    /// A block without terms, for `capacity` of them or more.
    #[inline(never)]
    fn block_for(capacity: u32) -> NonNull<Header> {
        let fits = |size: &usize| Self::STOCKED && capacity <= Self::capacity_of(*size);
        match (0..SIZES.len()).find(fits) {
            Some(size) => Self::block_in_stock(size),
            None => Self::block_outside(Self::allocate(Self::layout(capacity)), capacity),
        }
    }

    #[inline(always)]
    fn block_in_stock(size: usize) -> NonNull<Header> {
        let block = take(size).cast::<Header>();
        let header = Header {
            front: 0,
            back: 0,
            inputs: 0,
            capacity: Self::capacity_of(size),
            moved: 0,
            shares: AtomicU32::new(0),
            size: size as u8,
        };
        // SAFETY: the block is ours (6), large enough for a header and aligned for it, since `STOCKED`.
        unsafe { block.as_ptr().write(header) };
        block
    }

    /// Makes a block without terms of memory with the layout `layout(capacity)`.
    fn block_outside(memory: NonNull<u8>, capacity: u32) -> NonNull<Header> {
        let block = memory.cast::<Header>();
        let header = Header {
            front: 0,
            back: 0,
            inputs: 0,
            capacity,
            moved: 0,
            shares: AtomicU32::new(0),
            size: UNSTOCKED,
        };
        // SAFETY: `layout` begins with room for a header and is aligned for it.
        unsafe { block.as_ptr().write(header) };
        block
    }

    /// The layout of a block with a [`StandIn`] that is not in stock.
    fn stand_in_layout() -> Layout {
        Layout::from_size_align(Self::OFFSET + size_of::<StandIn<Self>>(), Self::ALIGN)
            .expect("a small block")
    }

    #[inline(always)]
    fn of_block(block: NonNull<Header>) -> Self {
        Pooled {
            block: Some(block),
            scalar: PhantomData,
        }
    }

    fn allocate(layout: Layout) -> NonNull<u8> {
        // SAFETY: no layout of ours is of size zero, as each has a header.
        let memory = unsafe { alloc(layout) };
        NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
    }

    /// The first cell of a block.
    #[inline(always)]
    fn cells(block: NonNull<Header>) -> *mut Term<S> {
        // SAFETY: the cells are in the same allocation (1).
        unsafe { block.as_ptr().cast::<u8>().add(Self::OFFSET).cast() }
    }

    /// The first cell of the back run of a block.
    #[inline(always)]
    fn back_cells(block: NonNull<Header>) -> *mut Term<S> {
        // SAFETY: the header is there (1); the back run ends the cells (2).
        unsafe {
            let header = block.as_ptr();
            Self::cells(block).add(((*header).capacity - (*header).back) as usize)
        }
    }

    /// Moves the terms to a block with room for `additional` more.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, additional: usize) {
        let old = match self.block {
            Some(old) => old,
            None => {
                self.block = Some(Self::block_for(check_len(0, additional)));
                return;
            }
        };
        // SAFETY: (1).
        let header = unsafe { &mut *old.as_ptr() };
        let (front, back) = (header.front, header.back);
        let wanted = check_len(front + back, additional);
        let wanted = wanted.max(header.capacity.saturating_mul(2));
        if header.size == UNSTOCKED && back == 0 && wanted > header.capacity {
            let (from, to) = (Self::layout(header.capacity), Self::layout(wanted));
            // SAFETY: the block has the layout `from` (4), `to` has the same alignment and is larger.
            let grown = unsafe { realloc(old.as_ptr().cast(), from, to.size()) };
            let grown = NonNull::new(grown)
                .unwrap_or_else(|| handle_alloc_error(to))
                .cast::<Header>();
            // SAFETY: the header has moved with its block.
            unsafe { (*grown.as_ptr()).capacity = wanted };
            self.block = Some(grown);
            return;
        }
        let new = Self::block_for(wanted);
        // SAFETY: both blocks are ours and apart (1); the new one has room for both runs, at its two
        // ends, and the runs of the old one are initialised (2).
        unsafe {
            (*new.as_ptr()).front = front;
            (*new.as_ptr()).back = back;
            (*new.as_ptr()).inputs = header.inputs;
            (*new.as_ptr()).moved = header.moved;
            ptr::copy_nonoverlapping(Self::cells(old), Self::cells(new), front as usize);
            ptr::copy_nonoverlapping(Self::back_cells(old), Self::back_cells(new), back as usize);
        }
        self.block = Some(new);
        Self::release(old);
    }

    /// Checks what a block says of itself (2, 3, 5) in builds with debug assertions.
    #[inline(always)]
    fn check(&self) {
        if let (true, Some(block)) = (cfg!(debug_assertions), self.block) {
            // SAFETY: (1).
            let header = unsafe { &*block.as_ptr() };
            let len = u64::from(header.front) + u64::from(header.back);
            assert!(len <= u64::from(header.capacity) && u64::from(header.inputs) <= len);
            assert!(header.size != STAND_IN || header.capacity == 0);
            assert_eq!(header.shares.load(Ordering::Relaxed), 0);
        }
    }

    /// Gives a block up that nothing points at any more.
    #[inline(always)]
    fn release(block: NonNull<Header>) {
        // SAFETY: (1).
        let size = unsafe { (*block.as_ptr()).size };
        if size == 0 {
            put(0, block.cast());
        } else {
            Self::release_other(block);
        }
    }

    #[inline(never)]
    fn release_other(block: NonNull<Header>) {
        // SAFETY: (1), and the caller gives up the ownership.
        let header = unsafe { &*block.as_ptr() };
        let layout = match header.size {
            UNSTOCKED => Self::layout(header.capacity),
            STAND_IN => {
                // SAFETY: there is one (5), and nobody comes back to it.
                unsafe { Self::stand_in_cell(block).drop_in_place() };
                if Self::STAND_IN_STOCKED {
                    return put(STAND_IN_SIZE, block.cast());
                }
                Self::stand_in_layout()
            }
            size => return put(size as usize, block.cast()),
        };
        // SAFETY: this is its layout (4, 5).
        unsafe { dealloc(block.as_ptr().cast(), layout) };
    }

    /// Where a block has what stands in for a list.
    #[inline(always)]
    fn stand_in_cell(block: NonNull<Header>) -> *mut StandIn<Self> {
        Self::cells(block).cast()
    }

    /// The block, if it has something that stands in for a list.
    #[inline(always)]
    fn stand_in_block(&self) -> Option<NonNull<Header>> {
        // SAFETY: (1).
        self.block
            .filter(|block| unsafe { (*block.as_ptr()).size == STAND_IN })
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
            Self::release(block);
        }
    }
}

impl<S: PrimeField> Clone for Pooled<S> {
    fn clone(&self) -> Self {
        if let Some(stand_in) = self.stand_in() {
            return Self::of_stand_in(stand_in.clone());
        }
        let (front, back) = self.runs();
        let mut clone = Self::default();
        if front.len() + back.len() != 0 {
            let len = check_len(front.len() as u32, back.len());
            let block = Self::block_for(len);
            // SAFETY: the block is ours, has room for `len` terms, and is apart from `self`'s.
            unsafe {
                (*block.as_ptr()).front = len;
                (*block.as_ptr()).inputs = self.inputs() as u32;
                let cells = Self::cells(block);
                ptr::copy_nonoverlapping(front.as_ptr(), cells, front.len());
                ptr::copy_nonoverlapping(back.as_ptr(), cells.add(front.len()), back.len());
            }
            clone.block = Some(block);
        }
        clone
    }
}

impl<S: PrimeField> Storage for Pooled<S> {
    type Scalar = S;
    type Shared = Shared<S>;

    #[inline(always)]
    fn of_term(kind: Kind, key: usize, coeff: &S) -> Self {
        let block = if Self::STOCKED {
            Self::block_in_stock(0)
        } else {
            Self::block_for(1)
        };
        // SAFETY: the block is ours and has room for one term.
        unsafe {
            (*block.as_ptr()).front = 1;
            (*block.as_ptr()).inputs = (kind == Kind::Input) as u32;
            Self::cells(block).write((key, *coeff));
        }
        Self::of_block(block)
    }

    #[inline(always)]
    fn runs(&self) -> Runs<'_, S> {
        match self.block {
            None => (&[], &[]),
            // SAFETY: the runs are initialised (2), and borrowed from `self`, which owns them (1).
            Some(block) => unsafe {
                let (front, back) = ((*block.as_ptr()).front, (*block.as_ptr()).back);
                (
                    slice::from_raw_parts(Self::cells(block), front as usize),
                    slice::from_raw_parts(Self::back_cells(block), back as usize),
                )
            },
        }
    }

    #[inline(always)]
    fn runs_mut(&mut self) -> RunsMut<'_, S> {
        match self.block {
            None => (&mut [], &mut []),
            // SAFETY: as in `runs`; the two runs are apart (2).
            Some(block) => unsafe {
                let (front, back) = ((*block.as_ptr()).front, (*block.as_ptr()).back);
                (
                    slice::from_raw_parts_mut(Self::cells(block), front as usize),
                    slice::from_raw_parts_mut(Self::back_cells(block), back as usize),
                )
            },
        }
    }

    fn parts_mut(&mut self) -> (RunsMut<'_, S>, Option<&mut StandIn<Self>>) {
        // SAFETY: there is one (5), borrowed as `self` is; the runs are empty then.
        let stand_in = self
            .stand_in_block()
            .map(|block| unsafe { &mut *Self::stand_in_cell(block) });
        (self.runs_mut(), stand_in)
    }

    #[inline(always)]
    fn inputs(&self) -> usize {
        // SAFETY: (1).
        self.block
            .map_or(0, |block| unsafe { (*block.as_ptr()).inputs as usize })
    }

    #[inline(always)]
    fn count_inputs(&mut self, count: usize) {
        if let Some(block) = self.block {
            // SAFETY: (1); the caller has pushed the terms, so (3) holds.
            unsafe { (*block.as_ptr()).inputs += count as u32 };
        }
    }

    #[inline(always)]
    fn push(&mut self, key: usize, coeff: &S) {
        self.check();
        let full = match self.block {
            None => true,
            // SAFETY: (1).
            Some(block) => unsafe {
                let header = block.as_ptr();
                (*header).front + (*header).back == (*header).capacity
            },
        };
        if full {
            self.grow(1);
        }
        if let Some(block) = self.block {
            // SAFETY: (1), and there is room for one more, behind the front run (2).
            unsafe {
                let header = block.as_ptr();
                let cell = Self::cells(block).add((*header).front as usize);
                cell.write((key, *coeff));
                (*header).front += 1;
            }
        }
    }

    fn push_all(&mut self, terms: &[Term<S>]) {
        self.reserve(terms.len());
        if let Some(block) = self.block {
            // SAFETY: (1), and there is room for all of them behind the front run (2); they are not in
            // this block, which is borrowed for change.
            unsafe {
                let header = &mut *block.as_ptr();
                let end = Self::cells(block).add(header.front as usize);
                ptr::copy_nonoverlapping(terms.as_ptr(), end, terms.len());
                header.front += terms.len() as u32;
            }
        }
    }

    fn reserve(&mut self, additional: usize) {
        let (front, back) = self.runs();
        let len = front.len() + back.len();
        // SAFETY: (1).
        let capacity = self
            .block
            .map_or(0, |block| unsafe { (*block.as_ptr()).capacity as usize });
        if capacity - len < additional {
            self.grow(additional);
        }
    }

    fn move_gap(&mut self, front: usize) -> u32 {
        let (old, back) = {
            let (front, back) = self.runs();
            (front.len(), back.len())
        };
        assert!(front <= old + back, "a gap beyond the terms");
        let block = match self.block {
            Some(block) => block,
            None => return 0,
        };
        let (cells, back_cells) = (Self::cells(block), Self::back_cells(block));
        // SAFETY: (1); terms move from the inner end of one run to the inner end of the other, which
        // keeps (2): the two runs together are no longer than before.
        unsafe {
            let moved = if front < old {
                let count = old - front;
                ptr::copy(cells.add(front), back_cells.sub(count), count);
                count
            } else {
                let count = front - old;
                ptr::copy(back_cells, cells.add(old), count);
                count
            };
            let header = &mut *block.as_ptr();
            header.front = front as u32;
            header.back = (old + back - front) as u32;
            header.moved = header.moved.saturating_add(moved as u32);
            header.moved
        }
    }

    #[inline(always)]
    fn stand_in(&self) -> Option<&StandIn<Self>> {
        // SAFETY: there is one (5), borrowed as `self` is.
        self.stand_in_block()
            .map(|block| unsafe { &*Self::stand_in_cell(block) })
    }

    fn of_stand_in(stand_in: StandIn<Self>) -> Self {
        let block = if Self::STAND_IN_STOCKED {
            Self::block_in_stock(STAND_IN_SIZE)
        } else {
            Self::block_outside(Self::allocate(Self::stand_in_layout()), 0)
        };
        // SAFETY: the block is ours, without terms, and of the layout that has room for it (5).
        unsafe {
            (*block.as_ptr()).capacity = 0;
            (*block.as_ptr()).size = STAND_IN;
            Self::stand_in_cell(block).write(stand_in);
        }
        Self::of_block(block)
    }

    fn share(self) -> Shared<S> {
        let shared = Shared(ManuallyDrop::new(self));
        if let Some(shares) = shared.shares() {
            shares.store(1, Ordering::Relaxed);
        }
        shared
    }

    #[inline(always)]
    fn minus_one() -> S {
        kept(MINUS_ONE)
    }

    #[inline(always)]
    fn two() -> S {
        kept(TWO)
    }
}

/// A list that is only read, until the last of those that share it drops it.
pub(crate) struct Shared<S: PrimeField>(ManuallyDrop<Pooled<S>>);

impl<S: PrimeField> Shared<S> {
    /// The count of those that share it; an empty list has no block to count in, nor to give up.
    fn shares(&self) -> Option<&AtomicU32> {
        // SAFETY: the block is there as long as `self` is (9), and so is its header (1).
        self.0
            .block
            .map(|block| unsafe { &(*block.as_ptr()).shares })
    }
}

impl<S: PrimeField> Deref for Shared<S> {
    type Target = Pooled<S>;

    #[inline(always)]
    fn deref(&self) -> &Pooled<S> {
        &self.0
    }
}

impl<S: PrimeField> Clone for Shared<S> {
    fn clone(&self) -> Self {
        if let Some(shares) = self.shares() {
            // As in `Arc`: more can only be leaked ones, and a count that wraps around must not be.
            if shares.fetch_add(1, Ordering::Relaxed) > u32::MAX / 2 {
                abort();
            }
        }
        Shared(ManuallyDrop::new(Pooled {
            block: self.0.block,
            scalar: PhantomData,
        }))
    }
}

impl<S: PrimeField> Drop for Shared<S> {
    fn drop(&mut self) {
        // What the others have read, they have read before the last one gives the block up.
        let last = self
            .shares()
            .map_or(true, |shares| shares.fetch_sub(1, Ordering::AcqRel) == 1);
        if last {
            // SAFETY: nobody else points at the block any more (9), nor comes back to this one.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

/// Room for a scalar.
type Kept = MaybeUninit<[u64; 8]>;

/// Places of the scalars that a thread keeps.
const MINUS_ONE: usize = 0;
const TWO: usize = 1;

/// A thread's blocks that nothing points at, and scalars of the type that it used last.
struct Stock {
    room: Cell<usize>,
    shelves: [Shelf; SIZES.len()],
    kept_of: Cell<Option<TypeId>>,
    kept: UnsafeCell<[Kept; 2]>,
}

/// The blocks of one size.
struct Shelf {
    len: Cell<usize>,
    slots: [Cell<NonNull<u8>>; SHELF],
}

impl Shelf {
    #[allow(clippy::declare_interior_mutable_const)]
    const EMPTY: Shelf = {
        const NONE: Cell<NonNull<u8>> = Cell::new(NonNull::dangling());
        Shelf {
            len: Cell::new(0),
            slots: [NONE; SHELF],
        }
    };
}

thread_local! {
    // Neither lazily made nor dropped, so that it can be reached without a check, and at any time in
    // a thread's life, where the target has thread-locals of its own (Linux, macOS, Windows).
    // `Release` frees the blocks.
    static STOCK: Stock = const {
        Stock {
            room: Cell::new(0),
            shelves: [Shelf::EMPTY; SIZES.len()],
            kept_of: Cell::new(None),
            kept: UnsafeCell::new([Kept::uninit(); 2]),
        }
    };

    static RELEASE: Release = const { Release };
}

/// Frees the thread's stock when it is dropped, at the end of the thread.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        STOCK.with(|stock| {
            stock.room.set(0);
            for (size, shelf) in stock.shelves.iter().enumerate() {
                for slot in &shelf.slots[..shelf.len.replace(0)] {
                    // SAFETY: a block of this layout, nobody's (6).
                    unsafe { dealloc(slot.get().as_ptr(), stock_layout(size)) };
                }
            }
        })
    }
}

fn stock_layout(size: usize) -> Layout {
    Layout::from_size_align(SIZES[size], BLOCK_ALIGN).expect("a small block")
}

/// A block of a size in stock, its content uninitialised.
#[inline(always)]
fn take(size: usize) -> NonNull<u8> {
    STOCK.with(|stock| {
        let shelf = &stock.shelves[size];
        match shelf.len.get() {
            0 => fresh(size),
            len => {
                shelf.len.set(len - 1);
                // SAFETY: `len <= SHELF`, and the slots below it hold blocks (6).
                unsafe { shelf.slots.get_unchecked(len - 1).get() }
            }
        }
    })
}

#[cold]
#[inline(never)]
fn fresh(size: usize) -> NonNull<u8> {
    let layout = stock_layout(size);
    // SAFETY: the size is not zero.
    let memory = unsafe { alloc(layout) };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Puts back a block of a size in stock, which the caller gives up.
#[inline(always)]
fn put(size: usize, block: NonNull<u8>) {
    STOCK.with(|stock| {
        let shelf = &stock.shelves[size];
        let len = shelf.len.get();
        if len < stock.room.get() {
            // SAFETY: `room <= SHELF` (6).
            unsafe { shelf.slots.get_unchecked(len).set(block) };
            shelf.len.set(len + 1);
        } else {
            put_without_room(stock, size, block);
        }
    })
}

#[cold]
#[inline(never)]
fn put_without_room(stock: &Stock, size: usize, block: NonNull<u8>) {
    // The first block that this thread puts back registers the release, which fails once it has begun.
    if stock.room.get() == 0 && RELEASE.try_with(|_| ()).is_ok() {
        stock.room.set(SHELF);
        return put(size, block);
    }
    // SAFETY: a block of this size, which the caller gives up.
    unsafe { dealloc(block.as_ptr(), stock_layout(size)) };
}

/// The scalars that a thread keeps.
fn computed<S: PrimeField>() -> [S; 2] {
    [-S::ONE, S::ONE.double()]
}

/// The scalar of a place, which is computed only when the thread has used another type since.
#[inline(always)]
fn kept<S: PrimeField>(place: usize) -> S {
    if size_of::<S>() > size_of::<Kept>() || align_of::<S>() > align_of::<Kept>() {
        return computed()[place];
    }
    STOCK.with(|stock| {
        if stock.kept_of.get() != Some(TypeId::of::<S>()) {
            keep::<S>(stock);
        }
        let cells = stock.kept.get().cast::<Kept>();
        // SAFETY: each place holds a scalar of this type (8), which fits.
        unsafe { *cells.add(place).cast::<S>() }
    })
}

#[cold]
#[inline(never)]
fn keep<S: PrimeField>(stock: &Stock) {
    let cells = stock.kept.get().cast::<Kept>();
    for (place, scalar) in computed::<S>().into_iter().enumerate() {
        // SAFETY: the caller has checked that it fits; nobody holds a reference to the content.
        unsafe { cells.add(place).cast::<S>().write(scalar) };
    }
    stock.kept_of.set(Some(TypeId::of::<S>()));
}
