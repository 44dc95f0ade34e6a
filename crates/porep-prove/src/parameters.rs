//! The file of Groth16 parameters.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{MappedParameters, Parameters};
use blstrs::Bls12;
use porep_synth::panics;

/// A point of G1 and of G2, uncompressed.
const G1_BYTES: u64 = 96;
const G2_BYTES: u64 = 192;

/// Maps `file`. The bases are read when they are needed, and not checked for being on the curve: a
/// proof by bases that are not does not verify.
///
/// # Errors
/// The file cannot be read, or is something else or cut.
pub fn open(file: &Path) -> Result<MappedParameters<Bls12>> {
    let name = file.display();
    let bytes = File::open(file).with_context(|| format!("cannot open {name}"))?;
    check(bytes).with_context(|| format!("{name} has no Groth16 parameters"))?;
    panics::caught(|| Ok(Parameters::build_mapped_parameters(file.to_owned(), false)?))
        .with_context(|| format!("{name} has no Groth16 parameters"))
}

/// Adds the lengths that a file says it has up to its own. bellperson trusts them: a wrong one
/// makes it panic, or fill the memory.
fn check(file: impl Read + Seek) -> Result<()> {
    let mut file = BufReader::new(file);
    let size = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut end = 3 * G1_BYTES + 3 * G2_BYTES;
    for (part, point_bytes) in [
        ("verifying key", G1_BYTES),
        ("query H", G1_BYTES),
        ("query L", G1_BYTES),
        ("query A", G1_BYTES),
        ("query B in G1", G1_BYTES),
        ("query B in G2", G2_BYTES),
    ] {
        file.seek(SeekFrom::Start(end))?;
        let mut points = [0; 4];
        match file.read_exact(&mut points) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error.into()),
            // A file that ends here is seen to below.
            _ => end += 4 + u64::from(u32::from_be_bytes(points)) * point_bytes,
        }
        ensure!(end <= size, "it ends within the {part}");
    }
    ensure!(end == size, "{} bytes follow the last query", size - end);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Parameters of so many points, all zeros, for the verifying key and the five queries.
    fn file(points: [u32; 6]) -> Vec<u8> {
        let mut bytes = vec![0; 3 * 96 + 3 * 192];
        for (points, point_bytes) in points.into_iter().zip([96, 96, 96, 96, 96, 192]) {
            bytes.extend(points.to_be_bytes());
            bytes.resize(bytes.len() + points as usize * point_bytes, 0);
        }
        bytes
    }

    fn refusal(bytes: &[u8]) -> String {
        check(Cursor::new(bytes)).unwrap_err().to_string()
    }

    #[test]
    fn lengths_add_up() {
        for points in [[0; 6], [1; 6], [2, 3, 4, 5, 6, 7]] {
            check(Cursor::new(file(points))).unwrap();
        }
    }

    #[test]
    fn cut_anywhere() {
        let whole = file([2, 3, 4, 5, 6, 7]);
        for len in 0..whole.len() {
            assert!(
                refusal(&whole[..len]).starts_with("it ends within"),
                "{len}"
            );
        }
        assert_eq!(refusal(&[]), "it ends within the verifying key");
        assert_eq!(
            refusal(&whole[..whole.len() - 1]),
            "it ends within the query B in G2"
        );
    }

    #[test]
    fn longer_than_it_says() {
        let mut bytes = file([1; 6]);
        bytes.push(0);
        assert_eq!(refusal(&bytes), "1 bytes follow the last query");
    }

    #[test]
    fn a_length_beyond_all_memory() {
        let mut bytes = file([1; 6]);
        let h = 3 * 96 + 3 * 192 + 4 + 96;
        bytes[h..h + 4].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(refusal(&bytes), "it ends within the query H");
    }
}
