//! What both probes have in common: which circuit they look at, and how to stop in the middle.
//!
//! `lc-count` counts terms and allocations; `lc-walk` synthesizes as a prover does, for a simulator
//! to watch. Neither takes any time.

#![forbid(unsafe_code)]

use anyhow::{bail, Result};
use bellpepper_core::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use clap::Parser;
use porep_synth::{sector::Sector, workdir::Workdir};

/// The circuit to look at: one partition with one challenge of a sector of 2 KiB.
#[derive(Debug, Parser)]
pub struct Options {
    #[arg(long, default_value_t = 2)]
    layers: usize,
    /// Stop after this many constraints.
    #[arg(long, default_value_t = usize::MAX)]
    constraints: usize,
}

/// Synthesizes the circuit of the command line into `cs`, as far as the command line says.
pub fn synthesize<CS: ConstraintSystem<Scalar, Root = CS>>(
    options: &Options,
    cs: CS,
) -> Result<CS> {
    let sector = Sector {
        size_bytes: 2048,
        layers: options.layers,
        challenges: 1,
        partitions: 1,
        seed: 0,
    };
    let workdir = Workdir::new(sector.disk_bytes())?;
    let circuit = sector.seal(&workdir)?.circuits.remove(0);
    let mut limited = Limited {
        inner: cs,
        left: options.constraints,
    };
    match circuit.synthesize(&mut limited) {
        Ok(()) => Ok(limited.inner),
        Err(_) if limited.left == 0 => Ok(limited.inner),
        Err(error) => bail!("the circuit answers: {error}"),
    }
}

/// Hands everything on until there have been enough constraints, and then fails every allocation,
/// which ends the synthesis.
struct Limited<CS> {
    inner: CS,
    left: usize,
}

impl<CS: ConstraintSystem<Scalar, Root = CS>> ConstraintSystem<Scalar> for Limited<CS> {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, annotation: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.left == 0 {
            return Err(SynthesisError::AssignmentMissing);
        }
        self.inner.alloc(annotation, value)
    }

    fn alloc_input<F, A, AR>(&mut self, annotation: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.left == 0 {
            return Err(SynthesisError::AssignmentMissing);
        }
        self.inner.alloc_input(annotation, value)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.left > 0 {
            self.left -= 1;
            self.inner.enforce(annotation, a, b, c);
        }
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.inner.push_namespace(name);
    }

    fn pop_namespace(&mut self) {
        self.inner.pop_namespace();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
