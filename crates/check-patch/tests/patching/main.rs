//! The fork put into scratch provers in every way that the README names, and in every way that is
//! known to miss. Needs git and the registry's index.

#![forbid(unsafe_code)]

mod overrides;
mod scratch;
mod traps;
