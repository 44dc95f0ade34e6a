#!/usr/bin/env bash
# Compares storages of linear combinations on the real circuit: scripts/ab.sh --help
#
#   scripts/ab.sh                                          the registry's crate and every storage
#   scripts/ab.sh --quick                                  two of them, in five minutes
#   scripts/ab.sh --variants upstream,lc-smallvec4 --rounds 48
#   scripts/ab.sh --variants upstream path:../my-fork,my-feature
#   scripts/ab.sh --prover ../my-prover --command '{program} --json' -- --bin bench
#   scripts/ab.sh report target/lc-ab/reports/DATE/report.json     draw a report again
set -euo pipefail

workspace=$(cd "$(dirname "$0")/.." && pwd)
source "$workspace/scripts/built.sh"
target=${CARGO_TARGET_DIR:-$workspace/target}
[ -d "$target/release/deps" ] || echo "building lc-ab, which takes a minute the first time" >&2
lc_ab=$(built build --release -p lc-ab --manifest-path "$workspace/Cargo.toml" \
    --target-dir "$target")
case ${1:-} in
    report | summary) exec "$lc_ab" "$@" ;;
    *) exec "$lc_ab" --workspace "$workspace" --target-dir "$target" "$@" ;;
esac
