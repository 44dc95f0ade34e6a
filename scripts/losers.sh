#!/usr/bin/env bash
# Searches for programs over combinations that take longer on a storage than on the registry's
# crate, or keep larger combinations.
#
#   scripts/losers.sh [--seconds 600] [--seed 1] [--storage lc-vec ...]
#                     random programs; prints the worst of each storage, as short as they can be
#   scripts/losers.sh --check
#                     programs of fixed seeds, by instructions; fails if one takes more than 2.2
#                     times those of the registry's crate, and prints how to see it
#
# A seventh of the time goes to bytes. A search reports what it finds, and does not fail. --check
# takes two minutes and needs valgrind. Exit codes: 0; 1, a program lost (--check); 2, wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
# Of programs with fewer instructions, too many are those of running a program.
limit=2.2 fewest=2000
seconds=600 check=0 options=() storages=()
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
    case $1 in
        --check) check=1 ;;
        --seconds) [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage; seconds=$2; shift ;;
        --seed) [[ ${2:-} =~ ^[0-9]+$ ]] || usage; options+=(--seed "$2"); shift ;;
        --storage) [ -n "${2:-}" ] || usage; storages+=(--storage "$2"); shift ;;
        *) usage ;;
    esac
    shift
done

# When the allocator gives memory back to the system depends on what else is on the heap.
export GLIBC_TUNABLES=glibc.malloc.trim_threshold=1000000000:glibc.malloc.mmap_threshold=1000000000
bench() { # PROGRAM
    built build --release -p lc-benches --bin "$1" --manifest-path "$root/Cargo.toml" \
        --target-dir "${CARGO_TARGET_DIR:-$root/target}"
}
losers=$(bench losers)
if [ $check = 0 ]; then
    # On one processor, so that it is the same one for both sides.
    pin=()
    command -v taskset >/dev/null && pin=(taskset -c "$(($(nproc) - 1))")
    options+=("${storages[@]}")
    bytes=$(bench bytes)
    "${pin[@]}" "$losers" --seconds $((seconds - seconds / 7)) "${options[@]}"
    echo
    "${pin[@]}" "$bytes" --seconds $((seconds / 7 + 1)) "${options[@]}"
    exit
fi

command -v valgrind >/dev/null || { echo "losers.sh: valgrind is not installed" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A copy by one instruction that repeats itself would count as many instructions as bytes.
GLIBC_TUNABLES+=:glibc.cpu.x86_rep_movsb_threshold=1000000000
lost=0
for seed in 1 2 3; do
    # Counts only inside of `measured`, and dumps the sum at each return from it.
    valgrind --quiet --tool=callgrind --callgrind-out-file="$work/$seed.out" \
        --collect-atstart=no --toggle-collect='losers::measured' --dump-after='losers::measured' \
        "$losers" --count 100 --seed "$seed" "${storages[@]}" >"$work/calls"
    number=0
    while IFS=$'\t' read -r program subject family; do
        number=$((number + 1))
        printf '%s\t%s\t%s\t%s\n' "$program" "$subject" "$family" \
            "$(sed -n 's/^totals: //p' "$work/$seed.out.$number")"
    done <"$work/calls" >"$work/counts"
    awk -F '\t' -v limit="$limit" -v fewest="$fewest" -v seed="$seed" '
        $2 == "upstream" { registry = $4; next }
        registry >= fewest && $4 > limit * registry {
            printf "%.3f times on %s: %s, losers --seed %d --show %d\n",
                $4 / registry, $2, $3, seed, $1
            lost = 1
        }
        END { exit lost }
    ' "$work/counts" || lost=1
done
exit $lost
