//! The stages of both provers, whose interfaces are alike but share no trait.
//!
//! A prover calls back into its user's code where the synthesis of a step begins, to ask for the
//! step's arity, and at the end of either stage: for the size of the commitment key once the shape
//! is complete, and for the step, which is the last but for some hashing that the recursion's
//! circuit synthesizes. The prover is left from there by unwinding, before the curve operations
//! that take most of a prover's time.

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use anyhow::{anyhow, Result};

/// Is told how far a prover has come.
pub trait Watch: Send + Sync {
    /// A synthesis may begin here; the last call counts.
    fn started(&self);

    /// The stage is done, and all that it keeps is still there.
    fn done(&self);
}

/// The payload that ends a prover.
struct Done;

/// Runs `prover`, which ends by [`leave`].
fn until_left(prover: impl FnOnce()) -> Result<()> {
    match catch_unwind(AssertUnwindSafe(prover)) {
        Err(payload) if payload.is::<Done>() => Ok(()),
        Err(payload) => resume_unwind(payload),
        Ok(()) => Err(anyhow!("the prover did not come to the end of the stage")),
    }
}

fn leave(watch: &dyn Watch) -> ! {
    watch.done();
    resume_unwind(Box::new(Done))
}

macro_rules! recursion {
    ($prover:ident, $library:ident, $setup:expr) => {
        pub mod $prover {
            use std::sync::Arc;

            use anyhow::{ensure, Context, Result};
            use bellpepper_core::{num::AllocatedNum, ConstraintSystem, SynthesisError};
            use blake2b_simd::blake2b;
            use ff::{Field, PrimeField};
            use $library::{
                provider::{PallasEngine, VestaEngine},
                traits::{
                    circuit::{StepCircuit, TrivialCircuit},
                    Engine,
                },
                PublicParams, RecursiveSNARK,
            };

            use super::{leave, until_left, Watch};
            use crate::step::Step;

            pub type Scalar = <PallasEngine as Engine>::Scalar;
            type Secondary = TrivialCircuit<<VestaEngine as Engine>::Scalar>;
            type Params = PublicParams<PallasEngine, VestaEngine, Watched, Secondary>;
            type Proof = RecursiveSNARK<PallasEngine, VestaEngine, Watched, Secondary>;

            /// A step, and who watches the prover synthesize it.
            #[derive(Clone)]
            struct Watched {
                step: Step,
                watch: Option<Arc<dyn Watch>>,
                /// The prover is left after the step.
                is_last: bool,
            }

            impl Watched {
                fn by_nobody(step: Step) -> Self {
                    Watched {
                        step,
                        watch: None,
                        is_last: false,
                    }
                }
            }

            impl<F: PrimeField> StepCircuit<F> for Watched {
                fn arity(&self) -> usize {
                    if let Some(watch) = &self.watch {
                        watch.started();
                    }
                    1
                }

                fn synthesize<CS: ConstraintSystem<F>>(
                    &self,
                    cs: &mut CS,
                    z: &[AllocatedNum<F>],
                ) -> Result<Vec<AllocatedNum<F>>, SynthesisError> {
                    let output = self.step.synthesize(cs, z)?;
                    match &self.watch {
                        Some(watch) if self.is_last => leave(watch.as_ref()),
                        _ => Ok(output),
                    }
                }
            }

            /// Both circuits' public parameters, and what a recursion over `step` computes.
            pub struct Recursion {
                params: Params,
                step: Step,
            }

            impl Recursion {
                /// # Errors
                /// The prover refuses the step.
                pub fn new(step: Step) -> Result<Self> {
                    let (primary, secondary) = (Watched::by_nobody(step), Secondary::default());
                    let setup: fn(_, _) -> Result<Params> = $setup;
                    Ok(Recursion {
                        params: setup(&primary, &secondary)?,
                        step,
                    })
                }

                /// Of the primary circuit, as are the variables.
                pub fn constraints(&self) -> usize {
                    self.params.num_constraints().0
                }

                pub fn variables(&self) -> usize {
                    self.params.num_variables().0
                }

                /// BLAKE2b over the parameters' digest and a proof of two steps, in hexadecimal.
                ///
                /// # Errors
                /// The proof does not verify.
                pub fn digest(&self) -> Result<String> {
                    let (primary, secondary) =
                        (Watched::by_nobody(self.step), Secondary::default());
                    let z0 = ([Scalar::ONE], [Field::ONE]);
                    let mut proof = Proof::new(&self.params, &primary, &secondary, &z0.0, &z0.1)?;
                    for _ in 0..2 {
                        proof.prove_step(&self.params, &primary, &secondary)?;
                    }
                    let z2 = proof.verify(&self.params, 2, &z0.0, &z0.1)?;
                    ensure!(z2.0 == z0.0, "the step is the identity");
                    let digested = (self.params.digest().to_repr(), &proof);
                    let bytes = bincode::serialize(&digested).context("cannot serialize")?;
                    Ok(blake2b(&bytes).to_hex().to_string())
                }

                /// Synthesizes the witness of a first step, to the step's end.
                ///
                /// # Errors
                /// The prover does not come so far.
                pub fn witness(&self, watch: Arc<dyn Watch>) -> Result<()> {
                    let primary = Watched {
                        step: self.step,
                        watch: Some(watch),
                        is_last: true,
                    };
                    let (z0, secondary) = (([Scalar::ONE], [Field::ONE]), Secondary::default());
                    until_left(|| {
                        let _ = Proof::new(&self.params, &primary, &secondary, &z0.0, &z0.1);
                    })
                }
            }

            /// Makes the shape of the primary circuit.
            ///
            /// # Errors
            /// The prover does not come so far.
            pub fn shape(step: Step, watch: Arc<dyn Watch>) -> Result<()> {
                let primary = Watched {
                    step,
                    watch: Some(watch.clone()),
                    is_last: false,
                };
                until_left(|| {
                    let secondary = Secondary::default();
                    let _ = Params::setup(
                        &primary,
                        &secondary,
                        &move |_| leave(watch.as_ref()),
                        &|_| 0,
                    );
                })
            }
        }
    };
}

recursion!(nova, nova_snark, |primary, secondary| Ok(Params::setup(
    primary,
    secondary,
    &|_| 0,
    &|_| 0
)?));
recursion!(arecibo, arecibo, |primary, secondary| Ok(Params::setup(
    primary,
    secondary,
    &|_| 0,
    &|_| 0
)));
