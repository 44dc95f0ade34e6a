//! The file of proofs, which is written whole or not at all.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::Builder;

/// A file that is going to be written.
pub struct Output {
    file: PathBuf,
    /// Where it is written under another name first; a rename does not cross file systems.
    folder: PathBuf,
}

impl Output {
    /// Sees to it that `file` can be written, so that hours of work are not for nothing.
    ///
    /// # Errors
    /// It is a folder, or its folder cannot be written to.
    pub fn new(file: &Path) -> Result<Self> {
        let output = Output {
            file: file.to_owned(),
            folder: match file.parent() {
                Some(folder) if folder != Path::new("") => folder.to_owned(),
                _ => PathBuf::from("."),
            },
        };
        let probe = || {
            anyhow::ensure!(!file.is_dir(), "it is a folder");
            tempfile::tempfile_in(&output.folder)?;
            Ok(())
        };
        probe().with_context(|| output.cannot())?;
        Ok(output)
    }

    /// Writes the file, in place of another of its name.
    ///
    /// # Errors
    /// The disk is full or has gone; then nothing of the file is left.
    pub fn write(self, bytes: &[u8]) -> Result<()> {
        let write = || -> io::Result<_> {
            // What the process's mask leaves of these, as for any other new file.
            let mut temporary = Builder::new()
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(&self.folder)?;
            temporary.write_all(bytes)?;
            temporary.as_file().sync_all()?;
            // Without the temporary file, which an error would keep.
            temporary.persist(&self.file).map_err(|error| error.error)
        };
        write().with_context(|| self.cannot())?;
        Ok(())
    }

    fn cannot(&self) -> String {
        format!("cannot write {}", self.file.display())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn replaces_a_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("proofs");
        for bytes in [&b"first, and longer"[..], b"second"] {
            Output::new(&file).unwrap().write(bytes).unwrap();
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_replaced_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("proofs");
        let output = Output::new(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let error = output.write(b"proof").unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
