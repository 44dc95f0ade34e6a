#!/usr/bin/env bash
# Compares storages of linear combinations on the real circuit: scripts/ab.sh --help
#
#   scripts/ab.sh                                          the registry's crate and every storage
#   scripts/ab.sh --quick                                  the registry's crate and lc-pooled, in five minutes
#   scripts/ab.sh --variants upstream,lc-smallvec4 --rounds 48
#   scripts/ab.sh --variants upstream path:../my-fork,my-feature
#   scripts/ab.sh --prover ../my-prover --command '{program} --json' -- --bin bench
#   scripts/ab.sh report target/lc-ab/reports/DATE/report.json     draw a report again
set -euo pipefail

workspace=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$workspace/target}
[ -d "$target/release/deps" ] || echo "building lc-ab, which takes a minute the first time" >&2
# Where the program is, cargo says: a setting of the user's can move it.
lc_ab=$(cargo build --quiet --release --manifest-path "$workspace/Cargo.toml" -p lc-ab --target-dir "$target" \
    --message-format=json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
case ${1:-} in
    report | summary) exec "$lc_ab" "$@" ;;
    *) exec "$lc_ab" --workspace "$workspace" --target-dir "$target" "$@" ;;
esac
