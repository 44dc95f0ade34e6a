#!/usr/bin/env bash
# Measures how synthesis scales: from 1.3 to 109 million constraints, on one thread and on two,
# under both allocators, with and without huge pages, capacity grown and reserved; each a session
# of lc-ab.
#
#   scripts/scaling.sh DIR [CIRCUIT...]
#
# DIR is new or empty; there go the reports, a folder for each session, summary.md and, if there are
# several circuits, scaling.svg. A CIRCUIT is LAYERSxCHALLENGES, of those below; none means all of
# them. 11x18 is a partition of production size: 14 GB of memory. All takes some three hours beside
# the builds; nothing else may run. Needs cargo.
#
# Exit codes: 0; 2, wrong usage; else those of lc-ab.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
circuits=(2x1 11x1 11x4 11x18)
storages=$(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' "$root/crates/bellpepper-core/Cargo.toml")

usage() {
    echo "error: $1" >&2
    echo "usage: scripts/scaling.sh DIR [CIRCUIT...]" >&2
    echo "circuits: ${circuits[*]}" >&2
    exit 2
}

dir=${1-}
[[ $dir == [!-]* ]] || usage "no folder"
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || usage "'$dir' is not empty"
shift
for circuit in "$@"; do
    [[ " ${circuits[*]} " == *" $circuit "* ]] || usage "no circuit '$circuit'"
done
[ $# = 0 ] || circuits=("$@")
mkdir -p "$dir"

session() { # NAME SETTINGS VARIANTS OPTIONS...
    local variants=()
    for variant in $3; do variants+=("$variant$2"); done
    "$root/scripts/ab.sh" --out "$dir/$1" --no-explain --rounds 6 --repeats 1 \
        --variants "${variants[@]}" "${@:4}" >&2
}

for circuit in "${circuits[@]}"; do
    size=(--layers "${circuit%x*}" --challenges "${circuit#*x}" --timeout 1h)
    session "$circuit" "" "upstream $storages" "${size[@]}"
    case $circuit in
        # Settings are compared on two sizes. Two of the largest do not fit beside each other.
        11x18 | 11x1) continue ;;
    esac
    session "$circuit-two-threads" "" "upstream lc-pooled" "${size[@]}" --threads 2 --partitions 2
    for settings in +reserve +huge-pages +jemalloc +jemalloc+reserve +jemalloc+huge-pages; do
        session "$circuit$settings" "$settings" "upstream lc-pooled" "${size[@]}"
    done
done
"$root/scripts/ab.sh" summary --out "$dir" "$dir"/*/report.json
