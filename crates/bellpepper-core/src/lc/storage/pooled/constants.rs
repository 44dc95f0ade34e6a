//! `-1` and `2` of the scalars that a thread uses, computed once.

use std::any::TypeId;
use std::cell::{Cell, UnsafeCell};
use std::mem::{align_of, size_of, MaybeUninit};

use ff::PrimeField;

/// Room for a scalar.
type Room = MaybeUninit<[u64; 8]>;

/// The constants of the type of scalar that a thread used last.
///
/// Invariant 1: while `of` is a type, each place of `places` holds a scalar of just that type.
struct Constants {
    of: Cell<Option<TypeId>>,
    places: UnsafeCell<[Room; 2]>,
}

thread_local! {
    static CONSTANTS: Constants = const {
        Constants {
            of: Cell::new(None),
            places: UnsafeCell::new([Room::uninit(); 2]),
        }
    };
}

fn computed<S: PrimeField>() -> [S; 2] {
    [-S::ONE, S::ONE.double()]
}

#[inline(always)]
pub(super) fn minus_one<S: PrimeField>() -> S {
    constant(0)
}

#[inline(always)]
pub(super) fn two<S: PrimeField>() -> S {
    constant(1)
}

#[inline(always)]
fn constant<S: PrimeField>(place: usize) -> S {
    if size_of::<S>() > size_of::<Room>() || align_of::<S>() > align_of::<Room>() {
        return computed()[place];
    }
    CONSTANTS.with(|constants| {
        if constants.of.get() != Some(TypeId::of::<S>()) {
            compute::<S>(constants);
        }
        let places = constants.places.get().cast::<Room>();
        // SAFETY: each place holds a scalar of this type (1), which fits.
        unsafe { *places.add(place).cast::<S>() }
    })
}

#[cold]
#[inline(never)]
fn compute<S: PrimeField>(constants: &Constants) {
    // Outside of the cell: the scalar's arithmetic may come here again, for another type.
    let computed = computed::<S>();
    let places = constants.places.get().cast::<Room>();
    for (place, scalar) in computed.into_iter().enumerate() {
        // SAFETY: the caller has checked that it fits; nobody holds a reference to a place.
        unsafe { places.add(place).cast::<S>().write(scalar) };
    }
    constants.of.set(Some(TypeId::of::<S>()));
}
