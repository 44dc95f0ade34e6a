//! A term, and how many of them a combination may have.

/// The two kinds of variables, in the order in which their terms come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Input,
    Aux,
}

/// A key (the index of a variable within its kind) and the coefficient.
pub(crate) type Term<S> = (usize, S);

/// The least capacity of a `Vec` of terms, once it has any.
pub(crate) const LEAST_CAPACITY: u32 = 4;

/// A length as the lists count it.
///
/// Panics if it is more than 2^32 - 1.
#[inline(always)]
pub(crate) fn check_len(len: usize) -> u32 {
    match u32::try_from(len) {
        Ok(len) => len,
        Err(_) => panic!("a linear combination holds at most 4294967295 terms"),
    }
}

/// The capacity of a list of `capacity` terms that grows to `len`: doubled until it suffices, as
/// that of a `Vec` to which terms are added one by one.
///
/// Panics if `len` is more than 2^32 - 1.
pub(crate) fn grown(mut capacity: u32, len: usize) -> u32 {
    let len = check_len(len);
    while capacity < len {
        capacity = capacity.saturating_mul(2).max(LEAST_CAPACITY);
    }
    capacity
}
