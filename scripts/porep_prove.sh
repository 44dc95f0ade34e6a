#!/usr/bin/env bash
# Proves a whole 2 KiB sector with `porep-prove`, compiling its circuit and then from the file that
# this leaves, and verifies the proofs by a statement made without the prover. A proof with fixed
# randomness is compared with bellperson's, byte for byte.
#
#   scripts/porep_prove.sh
#
# Takes 1.5 GB of disk and some ten minutes on two cores, most of them for the parameters. Scratch
# is under target/porep-prove.
#
# Exit codes: 0, proved and identical; 1, a difference or a failure; 2, wrong usage.
set -euo pipefail

[ $# -eq 0 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
work=target/porep-prove
rm -rf "$work"

run() { cargo run --quiet --release -p porep-prove "$@"; }
run --example small_sector -- make "$work"
for _ in compiles loads; do
    rm -f "$work/proofs"
    run --bin porep-prove -- --params "$work/params" --c1 "$work/c1.json" \
        --compiled "$work/compiled" --out "$work/proofs"
    run --example small_sector -- verify "$work"
done
run --example small_sector -- compare "$work"
rm -rf "$work"
