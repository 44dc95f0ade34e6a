//! Memory: what a synthesis will need, what the machine and its control groups have left, and what
//! the process has used at most. Linux only.

use anyhow::{Context, Result};
use procfs::process::Process;

/// The most resident bytes this process image has had (`VmHWM`, which does not survive exec).
///
/// # Errors
/// `/proc` is not there or does not say.
pub fn peak_rss_bytes() -> Result<u64> {
    let status = Process::myself()?.status()?;
    let kib = status.vmhwm.context("/proc/self/status has no VmHWM")?;
    Ok(kib * 1024)
}
