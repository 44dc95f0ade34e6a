//! The one folder that the files of a sealing are written to, and its removal whatever happens.
//!
//! It lies in the system's temporary folder (`TMPDIR`). storage-proofs keeps caches of its own
//! under a fixed path; they are directed here as well.

use std::{env, ffi::c_int, fs, path::Path, thread};

use anyhow::{ensure, Context, Result};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};
use tempfile::TempDir;

/// A folder that is removed with the value, and when the process is asked to end.
pub struct Workdir(TempDir);

impl Workdir {
    /// Makes the folder, having checked that its disk has `needed_bytes` free.
    ///
    /// storage-proofs reads its settings once, so only a process's first folder gets its caches.
    ///
    /// # Errors
    /// The folder cannot be made, or the disk is too full.
    pub fn new(needed_bytes: u64) -> Result<Self> {
        let parent = env::temp_dir();
        let remedy = || {
            format!(
                "cannot use {} for temporary files (set TMPDIR to a folder that is writable and has {needed_bytes} bytes free)",
                parent.display()
            )
        };
        // Signals wait from here on, so that none can come between the folder and its watcher. A
        // hang-up is not among them: that under nohup it is ignored has to stay so.
        let signals = Signals::new([SIGINT, SIGTERM]).context("cannot handle signals")?;
        let folder = tempfile::Builder::new()
            .prefix("porep-synth-")
            .tempdir()
            .with_context(remedy)?;
        // A mapped file on a full disk ends a process without a word, hence before and not after.
        let disk = rustix::fs::statvfs(folder.path()).with_context(remedy)?;
        let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        ensure!(
            free_bytes >= needed_bytes,
            "only {free_bytes} bytes are free: {}",
            remedy()
        );

        env::set_var("FIL_PROOFS_PARENT_CACHE", folder.path());
        remove_on_signal(signals, folder.path());
        Ok(Workdir(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Lets a signal that ends the process do so once the folder is gone.
fn remove_on_signal(mut signals: Signals, folder: &Path) {
    let folder = folder.to_owned();
    thread::spawn(move || {
        for signal in signals.forever() {
            end(signal, &folder);
        }
    });
}

fn end(signal: c_int, folder: &Path) {
    // Others may still be writing into it: then there is a file in the way, a few times at most.
    for _ in 0..100 {
        if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            break;
        }
    }
    // Ends the process by the very signal, so that a shell sees what happened. It can only fail for
    // a signal that no program may handle.
    let _ = emulate_default_handler(signal);
}
