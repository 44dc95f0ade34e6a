//! Sizes, terms and allocations, as the counting probe of a variant reports them.

use std::{path::Path, process::Command};

use super::Look;
use crate::explanation::{Count, Reading};

/// Counts the whole circuit.
pub fn count(look: &Look, program: &Path) -> Reading<Count> {
    let mut command = Command::new(program);
    command.args(["--layers", &look.plan.scenarios[0].layers.to_string()]);
    let finished = look.run(command)?;
    serde_json::from_str(&finished.stdout)
        .map_err(|error| format!("lc-count printed something else than expected: {error}"))
}
