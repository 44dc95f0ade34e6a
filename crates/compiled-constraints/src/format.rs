//! The file of a compiled form.
//!
//! ```text
//! magic             8 bytes
//! version           u64; all numbers are little-endian
//! field             32 bytes: BLAKE2b of the modulus as `ff` writes it
//! bytes per scalar  u64
//! counts            7 u64: rows, inputs, aux of prefix and block; repetitions
//! section lengths   7 u64: elements in each of the following
//! coefficients      scalars, in the field's canonical bytes
//! sums, forms       u32 words
//! prefix            u32 words of its runs, then its columns
//! block             the same
//! digest            32 bytes: BLAKE2b of all before
//! ```
//!
//! A file is written beside its place and then renamed, so that a reader sees a whole file or none.
//! Of two writers, the last one's file stays. Nothing is allocated before the lengths add up to the
//! file's own.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};
#[cfg(unix)]
use std::{fs::Permissions, os::unix::fs::PermissionsExt};

use blake2b_simd::{Params, State};
use ff::PrimeField;
use tempfile::Builder;

use crate::{
    block::{self, Block, Counts, Run, INDEX_MASK, KIND_SHIFT},
    coeffs,
    error::Error,
    form::{self, Form, Sum},
    shape::{Rows, Shape},
};

const MAGIC: [u8; 8] = *b"r1cs\r\n\x1a\0";
const VERSION: u64 = 1;
/// Magic, version, field, bytes per scalar, counts, section lengths.
const HEADER_BYTES: u64 = 8 + 8 + 32 + 8 + 7 * 8 + 7 * 8;
const DIGEST_BYTES: u64 = 32;
/// How much is read or converted at once.
const PIECE: usize = 1 << 16;

impl<S: PrimeField> Shape<S> {
    /// A fingerprint over all rows and the number of repetitions, in 32 bytes: the last 32 of the
    /// form's file. Two shapes of one circuit differ in it if one was recorded whole and the other
    /// as a repetition. Costs hashing all that a file has.
    pub fn digest(&self) -> [u8; 32] {
        let mut hash = Hashing::new(io::sink());
        self.encode(&mut hash).expect("a sink takes everything");
        hash.digest()
    }

    /// Writes the compiled form, under a temporary name first. A file of this name is replaced once
    /// the new one is whole and on the disk. Its permissions are those of any new file: all but
    /// what the process's mask takes away.
    ///
    /// # Errors
    /// The folder cannot be written to, or its disk is full; then nothing new is left there.
    pub fn write_to(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.write(path).map_err(|error| Error::Io {
            path: path.display().to_string(),
            error,
        })
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut temporary = Builder::new();
        // Its default is for secrets, which only the owner may read.
        #[cfg(unix)]
        temporary.permissions(Permissions::from_mode(0o666));
        let file = temporary.tempfile_in(folder)?;
        let mut out = Hashing::new(BufWriter::with_capacity(PIECE, file.as_file()));
        self.encode(&mut out)?;
        let digest = out.digest();
        out.inner.write_all(&digest)?;
        out.inner.flush()?;
        drop(out);
        // Else a crash could leave a file that is whole by its name only.
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    }

    /// Reads a compiled form, with the number of repetitions that it was written with. Each row is
    /// checked to be over variables and coefficients that are there. Whether they are those of the
    /// circuit at hand, [`check`](Self::check) finds. Takes at most twice the file's size of
    /// memory, and keeps about as much as the file has.
    ///
    /// # Errors
    /// There is no such file; it is cut, damaged, something else, or was written by another version
    /// or for another field.
    pub fn read_from(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        read(path).map_err(|refusal| match refusal {
            Refusal::Io(error) => Error::Io {
                path: name(),
                error,
            },
            Refusal::Reason(reason) => Error::File {
                path: name(),
                reason,
            },
        })
    }

    fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        let Rows {
            coeffs,
            sums,
            forms,
            prefix,
            block,
            ..
        } = &*self.rows;
        let sums: Vec<u32> = sums.iter().flat_map(sum_words).collect();
        let forms: Vec<u32> = forms.iter().flat_map(form_words).collect();
        let runs = |block: &Block| -> Vec<u32> {
            let words = |run: &Run| [run.form, run.rows];
            block.runs.iter().flat_map(words).collect()
        };
        let (prefix_runs, block_runs) = (runs(prefix), runs(block));
        let words = [
            &sums[..],
            &forms,
            &prefix_runs,
            &prefix.columns,
            &block_runs,
            &block.columns,
        ];

        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&field::<S>())?;
        let counts = [prefix.counts, block.counts].map(|c| [c.rows, c.inputs, c.aux]);
        let numbers = [scalar_bytes::<S>()]
            .into_iter()
            .chain(counts.into_iter().flatten())
            .chain([self.repetitions, coeffs.len()])
            .chain(words.iter().map(|words| words.len()));
        for number in numbers {
            out.write_all(&(number as u64).to_le_bytes())?;
        }
        for coeff in coeffs {
            out.write_all(coeff.to_repr().as_ref())?;
        }
        let mut bytes = Vec::with_capacity(4 * PIECE);
        for piece in words.iter().flat_map(|words| words.chunks(PIECE)) {
            bytes.clear();
            bytes.extend(piece.iter().flat_map(|word| word.to_le_bytes()));
            out.write_all(&bytes)?;
        }
        Ok(())
    }
}

/// Why a file is not used.
enum Refusal {
    Io(io::Error),
    Reason(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Refusal::from("it is cut"),
            _ => Refusal::Io(error),
        }
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Refusal::Reason(reason.to_owned())
    }
}

fn read<S: PrimeField>(path: &Path) -> Result<Shape<S>, Refusal> {
    let file = File::open(path)?;
    // Not that of the name, which a writer may have replaced since.
    let file_bytes = file.metadata()?.len();
    let mut input = Hashing::new(BufReader::with_capacity(PIECE, file));

    if input.array::<8>()? != MAGIC {
        return Err("it is no compiled form".into());
    }
    let version = input.number()?;
    if version != VERSION {
        let reason = format!("it is of version {version}, where this is version {VERSION}");
        return Err(Refusal::Reason(reason));
    }
    if input.array::<32>()? != field::<S>() || input.number()? != scalar_bytes::<S>() as u64 {
        return Err("it is for another field".into());
    }
    let mut numbers = [0; 14];
    for number in &mut numbers {
        *number = input.number()?;
    }
    let (repetitions, coeffs) = (numbers[6], numbers[7]);
    let [.., sums, forms, prefix_runs, prefix_columns, block_runs, block_columns] = numbers;
    let words: [u64; 6] = numbers[8..].try_into().expect("six of fourteen");
    let sections = [coeffs.checked_mul(scalar_bytes::<S>() as u64)].into_iter();
    let sections = sections.chain(words.map(|words| words.checked_mul(4)));
    let expected = sections
        .into_iter()
        .try_fold(HEADER_BYTES + DIGEST_BYTES, |sum, bytes| {
            sum.checked_add(bytes?)
        });
    if expected != Some(file_bytes) {
        return Err("it is cut or damaged: its length is not that which it says".into());
    }

    // From here on, lengths are bounded by that of the file.
    let coeffs = (0..coeffs)
        .map(|_| input.scalar())
        .collect::<Result<Vec<S>, _>>()?;
    let sums = input.words(sums)?;
    let forms = input.words(forms)?;
    let [prefix, block] = [
        (&numbers[0..3], prefix_runs, prefix_columns),
        (&numbers[3..6], block_runs, block_columns),
    ]
    .map(|(counts, runs, columns)| -> Result<Block, Refusal> {
        Ok(Block {
            counts: Counts {
                rows: counts[0] as usize,
                inputs: counts[1] as usize,
                aux: counts[2] as usize,
            },
            runs: input.words(runs)?.chunks_exact(2).map(run).collect(),
            columns: input.words(columns)?,
            ..Block::default()
        })
    });
    let (prefix, block) = (prefix?, block?);
    let digest = input.digest();
    let mut stored = [0; 32];
    input.inner.read_exact(&mut stored)?;
    if digest != stored {
        return Err("it is damaged: its contents do not have the digest that it says".into());
    }

    let tables = parse_sums(&sums)
        .zip(parse_forms(&forms))
        .filter(|(sums, forms)| are_valid(&coeffs, sums, forms));
    let blocks_are_valid = |forms: &[Form], widths: &[usize]| {
        // Of the prefix, all variables are shared ones.
        let (shared, none) = (prefix.counts, Counts::default());
        prefix.counts.inputs > 0
            && block_is_valid(&prefix, shared, none, forms, widths)
            && block_is_valid(&block, shared, block.counts, forms, widths)
    };
    let tables = tables.filter(|(sums, forms)| blocks_are_valid(forms, &form::widths(sums, forms)));
    // A block has fewer than 2^32 rows and 2^30 inputs, so a circuit's numbers stay below 2^63.
    let repetitions = usize::try_from(repetitions).ok().filter(|n| *n < 1 << 30);
    let (Some((sums, forms)), Some(repetitions)) = (tables, repetitions) else {
        return Err("its contents contradict each other".into());
    };
    Ok(Shape {
        rows: Rows::new((coeffs, sums, forms), prefix, block).into(),
        repetitions,
    })
}

fn sum_words(sum: &Sum) -> Vec<u32> {
    [&[sum.chains().count() as u32], sum.words()].concat()
}

/// The sums. None where the words end in the middle of one, or a chain has no level.
fn parse_sums(mut words: &[u32]) -> Option<Vec<Sum>> {
    let mut take = |count: usize| {
        let (taken, rest) = words.split_at_checked(count)?;
        words = rest;
        Some(taken)
    };
    let mut sums = Vec::new();
    while let Some(chains) = take(1) {
        let mut sum = Sum::default();
        for _ in 0..chains[0] {
            let chain = take(2)?;
            let levels = take((chain[1] as usize).checked_mul(2)?)?;
            if levels.is_empty() {
                return None;
            }
            sum.push(chain[0], form::levels_of(levels));
        }
        sums.push(sum);
    }
    Some(sums)
}

fn form_words(form: &Form) -> [u32; 6] {
    let ([a, b, c], [d, e, f]) = (form.constants, form.sums);
    [a, b, c, d, e, f]
}

/// The forms. None where the words end in the middle of one.
fn parse_forms(words: &[u32]) -> Option<Vec<Form>> {
    let forms = words.chunks(6).map(|words| {
        let [a, b, c, d, e, f] = words.try_into().ok()?;
        Some(Form {
            constants: [a, b, c],
            sums: [d, e, f],
        })
    });
    forms.collect()
}

fn run(words: &[u32]) -> Run {
    Run {
        form: words[0],
        rows: words[1],
    }
}

/// Whether all numbers in forms and sums are of something that is there.
fn are_valid<S: PrimeField>(coeffs: &[S], sums: &[Sum], forms: &[Form]) -> bool {
    let is_coeff = |id: u32| (id as usize) < coeffs.len();
    let mut chains = sums.iter().flat_map(|sum| sum.chains());
    coeffs.starts_with(&coeffs::fixed())
        && chains.all(|chain| is_coeff(chain.factor))
        && forms.iter().all(|form| {
            form.constants.into_iter().all(is_coeff)
                && form.sums.iter().all(|sum| (*sum as usize) < sums.len())
        })
}

/// Whether the rows are as many as they should be, and over variables that are there.
fn block_is_valid(
    block: &Block,
    shared: Counts,
    own: Counts,
    forms: &[Form],
    widths: &[usize],
) -> bool {
    let (mut rows, mut columns) = (0_usize, 0_usize);
    for run in &block.runs {
        if run.rows == 0 || run.form as usize >= forms.len() {
            return false;
        }
        let taken = (run.rows as usize).checked_mul(widths[run.form as usize]);
        let sum = taken.and_then(|taken| columns.checked_add(taken));
        let Some(sum) = sum.filter(|sum| *sum <= block.columns.len()) else {
            return false;
        };
        columns = sum;
        rows += run.rows as usize;
    }
    let lens = [shared.inputs, own.inputs, shared.aux, own.aux];
    let exists =
        |column: &u32| ((column & INDEX_MASK) as usize) < lens[(column >> KIND_SHIFT) as usize];
    block::check_size(block.counts).is_ok()
        && rows == block.counts.rows
        && rows <= u32::MAX as usize
        && columns == block.columns.len()
        && block.columns.iter().all(exists)
}

/// What tells fields apart.
fn field<S: PrimeField>() -> [u8; 32] {
    let mut state = state();
    state.update(S::MODULUS.as_bytes());
    finalize(&state)
}

fn scalar_bytes<S: PrimeField>() -> usize {
    S::Repr::default().as_ref().len()
}

fn state() -> State {
    Params::new().hash_length(32).to_state()
}

fn finalize(state: &State) -> [u8; 32] {
    let hash = state.finalize();
    hash.as_bytes().try_into().expect("the length asked for")
}

/// A reader or writer that hashes what passes through it.
struct Hashing<T> {
    inner: T,
    state: State,
}

impl<T> Hashing<T> {
    fn new(inner: T) -> Self {
        Hashing {
            inner,
            state: state(),
        }
    }

    fn digest(&self) -> [u8; 32] {
        finalize(&self.state)
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.state.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Hashing<T> {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.state.update(bytes);
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn number(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn words(&mut self, number: u64) -> Result<Vec<u32>, Refusal> {
        let mut words = Vec::with_capacity(number as usize);
        let mut bytes = vec![0; 4 * PIECE.min(number as usize)];
        let mut left = number as usize;
        while left > 0 {
            let piece = &mut bytes[..4 * left.min(PIECE)];
            self.fill(piece)?;
            let word = |word: &[u8]| u32::from_le_bytes(word.try_into().expect("four bytes"));
            words.extend(piece.chunks_exact(4).map(word));
            left -= piece.len() / 4;
        }
        Ok(words)
    }

    fn scalar<S: PrimeField>(&mut self) -> Result<S, Refusal> {
        let mut repr = S::Repr::default();
        self.fill(repr.as_mut())?;
        let scalar = Option::from(S::from_repr(repr));
        scalar.ok_or_else(|| "it is damaged: a coefficient is none of the field's".into())
    }
}
