#!/usr/bin/env bash
# Compares storages of linear combinations on the real circuit: scripts/ab.sh --help
#
#   scripts/ab.sh                                          the registry's crate and every storage
#   scripts/ab.sh --variants upstream,lc-smallvec4 --rounds 48
#   scripts/ab.sh --variants upstream path:../my-fork,my-feature
#   scripts/ab.sh report target/lc-ab/reports/DATE/report.json     draw a report again
set -euo pipefail

workspace=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$workspace/target}
cargo build --quiet --release --manifest-path "$workspace/Cargo.toml" -p lc-ab --target-dir "$target"
if [[ ${1:-} == report ]]; then
    exec "$target/release/lc-ab" "$@"
fi
exec "$target/release/lc-ab" --workspace "$workspace" --target-dir "$target" "$@"
