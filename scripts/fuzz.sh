#!/usr/bin/env bash
# Fuzzes the storages of linear combinations and the registry's crate, with AddressSanitizer on.
#
#   scripts/fuzz.sh --minutes 10    looks for new programs, from those in corpus on
#   scripts/fuzz.sh --replay        runs the programs in corpus, and nothing else
#
# The corpus is crates/bellpepper-core/fuzz/corpus; what is found goes to target/fuzz-found, and a
# failing program to fuzz/artifacts, with the command that runs it again on standard error. Installs
# cargo-fuzz into target/tools if there is none. Exit codes: 0; 1, a program failed; 2, wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
fuzz=$root/crates/bellpepper-core/fuzz
target=${CARGO_TARGET_DIR:-$root/target}
case "${1:-} ${2:-}" in
    '--replay ') limit=-runs=0 ;;
    '--minutes '[1-9]*) limit=-max_total_time=$(($2 * 60)) ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

export PATH=$root/target/tools/bin:$PATH
command -v cargo-fuzz >/dev/null ||
    env -u CARGO_BUILD_TARGET cargo install --quiet --locked cargo-fuzz --root "$root/target/tools"
mkdir -p "$target/fuzz-found"
# A sanitizer is an unstable option, of the stable compiler too. Programs of this length move gaps,
# and reach blocks of many sizes. There are no magic values to find in comparisons, and tracing them
# takes half of the time.
RUSTC_BOOTSTRAP=1 cargo fuzz run --no-trace-compares --fuzz-dir "$fuzz" \
    --target-dir "$target/fuzz" combinations "$target/fuzz-found" "$fuzz/corpus" -- \
    "$limit" -max_len=512 -print_final_stats=1 || exit 1
