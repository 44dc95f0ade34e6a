#!/usr/bin/env bash
# Measures what the storages gain: against the registry's crate on the default circuit, on two
# threads, with jemalloc and for the witness alone; and compiled constraints, with fresh vectors and
# with those of an earlier proof. Each is a session of lc-ab.
#
#   scripts/gains.sh DIR
#
# DIR is new or empty; there go the reports, a folder for each session, and summary.md. Takes some
# 50 minutes on two cores, builds included; nothing else may run. Needs cargo, and valgrind for the
# instructions. Exit codes: 0; 2, wrong usage; else those of lc-ab.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
dir=${1-}
if [ $# != 1 ] || [[ $dir != [!-]* ]] || { [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; }; then
    echo "error: one argument is needed, a folder that is new or empty" >&2
    exit 2
fi
mkdir -p "$dir"

session() { # NAME OPTIONS...
    "$root/scripts/ab.sh" --out "$dir/$1" --rounds 12 "${@:2}" >&2
}
session default
session two-threads --no-explain --variants upstream,lc-pooled --threads 2 --partitions 2
session jemalloc --no-explain --variants upstream+jemalloc,lc-pooled+jemalloc
compiled=(--no-explain --variants upstream,lc-pooled+compiled
    --layers 11 --challenges 2 --threads 1,2)
session compiled-fresh "${compiled[@]}" --repeats 1 --rounds 6
# The median of three syntheses is of one that uses the vectors again.
session compiled-again "${compiled[@]}" --repeats 3 --rounds 6
session witness-only --no-explain --variants upstream,lc-pooled --witness-only
"$root/scripts/ab.sh" summary --out "$dir" "$dir"/*/report.json
