//! Panics of the code below us, as errors: some of its checks of files and values are assertions.

use std::panic::{catch_unwind, AssertUnwindSafe};

use anyhow::{anyhow, Result};

/// Runs `work`, whose panic becomes an error with the panic's message. Nothing that a panic could
/// leave half done may be used afterwards.
///
/// # Errors
/// Those of `work`, and its panic.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(anyhow!("panicked: {}", text.unwrap_or("no message")))
    })
}
