#!/usr/bin/env bash
# Measures how synthesis scales: from 1.3 to 109 million constraints, on one and on all processors, on
# the registry's crate and on every storage, under both allocators, with and without huge pages.
#
#   scripts/scaling.sh DIR [CIRCUIT...]    measures, and draws
#   scripts/scaling.sh --draw DIR          draws again from DIR/samples.jsonl
#
# DIR is new or empty; there go samples.jsonl (what porep-synth printed, one process a line),
# scaling.md and scaling.svg. A CIRCUIT is LAYERSxCHALLENGES, of those below; none means all of them.
# 11x18 is a partition of production size: 14 GB of memory. All takes some 40 minutes beside the
# build; nothing else may run. Needs cargo, jq and gnuplot.
#
# Exit codes: 0; 1, a build or a run failed, or two runs of a circuit differ in what they compute; 2,
# wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
variants="upstream $(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' "$root/crates/bellpepper-core/Cargo.toml" | tr '\n' ' ')"

# Circuit and rounds; then whether it has every setting, or only the first on one thread, since two
# partitions of the largest do not fit beside each other.
circuits='
2x1   3 all
11x1  1 first
11x4  1 all
11x18 1 first
'
# Setting, allocator, what is in its environment. Huge pages on one thread only.
settings='
glibc                system   NONE=
glibc+huge-pages     system   GLIBC_TUNABLES=glibc.malloc.hugetlb=1
jemalloc             jemalloc NONE=
jemalloc+huge-pages  jemalloc _RJEM_MALLOC_CONF=thp:always
'

usage() {
    echo "error: $1" >&2
    sed -n '5,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

draw() {
    # A row a cell, a column a variant: the median over the rounds.
    local median='def median: sort | .[length / 2 | floor]; '
    jq -rs --arg variants "$variants" "$median"'
        ($variants | split(" ") | map(select(. != ""))) as $columns
        | "| million constraints | threads | setting | capacity | \($columns | join(" | ")) |",
          "|---|---|---|---|\($columns | map("---|") | join(""))",
          (group_by([.constraints / .partitions, .threads, .setting, .reserve])[]
           | . as $cell | .[0] as $one
           | "| \($one.constraints / 1e6 * 100 | round / 100) | \($one.threads) | \($one.setting) | \(if $one.reserve then "reserved" else "grown" end) | \($columns
             | map(. as $column | $cell | map(select(.storage == $column))
                   | if . == [] then "" else
                       "\(map(.ns_per_constraint) | median | round) ns, \(map(.peak_rss_bytes / .constraints) | median | round) B" end)
             | join(" | ")) |")
    ' "$1/samples.jsonl" >"$1/scaling.md"

    # A colour a variant, dashes for more than one thread.
    local plots=() threads variant colour
    for threads in $(jq -r .threads "$1/samples.jsonl" | sort -nu); do
        colour=0
        for variant in $variants; do
            colour=$((colour + 1))
            jq -rs --arg variant "$variant" --argjson threads "$threads" "$median"'
                map(select(.storage == $variant and .threads == $threads and .setting == "glibc" and (.reserve | not)))
                | group_by(.constraints)[] | "\(.[0] | .constraints / .partitions) \(map(.ns_per_constraint) | median)"
            ' "$1/samples.jsonl" >"$work/$variant-$threads"
            [ ! -s "$work/$variant-$threads" ] ||
                plots+=("'$work/$variant-$threads' with linespoints linecolor $colour dashtype $((threads > 1 ? 2 : 1)) title '$variant, threads: $threads'")
        done
    done
    local list
    printf -v list '%s, ' "${plots[@]}"
    gnuplot <<EOF
set terminal svg size 800,480 background '#ffffff'
set output '$1/scaling.svg'
set title 'Synthesis of the PoRep circuit, glibc, capacity grown'
set xlabel 'constraints a partition'
set ylabel 'ns a constraint'
set logscale x
set format x '%.0s%c'
set yrange [0:*]
set grid
set key outside
plot ${list%, }
EOF
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in cargo jq gnuplot; do
    command -v "$tool" >/dev/null || { echo "error: $tool is not installed" >&2; exit 1; }
done

if [ "${1-}" = --draw ]; then
    [ -s "${2-}/samples.jsonl" ] || usage "no samples.jsonl in '${2-}'"
    draw "$2"
    cat "$2/scaling.md"
    exit
fi
dir=${1-}
[[ $dir == [!-]* ]] || usage "no folder"
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || usage "'$dir' is not empty"
shift
for circuit in "$@"; do
    awk -v c="$circuit" '$1 == c { found = 1 } END { exit !found }' <<<"$circuits" || usage "no circuit '$circuit'"
done
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# One folder for all builds, from which each program is taken out: what a variant does not change is built once.
build() { # VARIANT ALLOCATOR
    local manifest=$root/Cargo.toml features=$1
    if [ "$1" = upstream ]; then
        manifest=$root/crates/porep-synth/upstream/Cargo.toml
        cp "$root/Cargo.lock" "$root/crates/porep-synth/upstream/"
    fi
    [ "$2" = system ] || features=$features,$2
    echo "building $1, $2" >&2
    cargo build --quiet --release --manifest-path "$manifest" -p porep-synth --features "$features" --target-dir "$target/scaling"
    cp "$target/scaling/release/porep-synth" "$work/$1-$2"
}

measure() { # SETTING ENVIRONMENT ALLOCATOR ARGUMENTS...
    local setting=$1 environment=$2 allocator=$3 variant
    shift 3
    for variant in $variants; do
        echo "$variant, $setting: $*" >&2
        env "$environment" "$work/$variant-$allocator" --json "$@" </dev/null |
            jq -ce --arg setting "$setting" --arg variant "$variant" --arg allocator "$allocator" '
                if .storage == $variant and .allocator == $allocator then . + {setting: $setting}
                else error("\($variant) on \($allocator) was asked for, not \(.storage) on \(.allocator)") end
            ' >>"$dir/samples.jsonl"
    done
}

for allocator in system jemalloc; do
    for variant in $variants; do
        build "$variant" "$allocator"
    done
done
all=$(nproc)
while read -r circuit rounds extent; do
    [ -n "$circuit" ] || continue
    [ $# = 0 ] || grep -qx -- "$circuit" <<<"$(printf '%s\n' "$@")" || continue
    size=(--layers "${circuit%x*}" --challenges "${circuit#*x}")
    for ((round = 0; round < rounds; round++)); do
        while read -r setting allocator environment; do
            [ -n "$setting" ] || continue
            [ "$extent" = all ] || [ "$setting" = glibc ] || continue
            measure "$setting" "$environment" "$allocator" "${size[@]}" --threads 1
            measure "$setting" "$environment" "$allocator" "${size[@]}" --threads 1 --reserve
            [ "$extent" = all ] && [ "$environment" = NONE= ] && [ "$all" != 1 ] || continue
            measure "$setting" "$environment" "$allocator" "${size[@]}" --threads "$all" --partitions "$all"
        done <<<"$settings"
    done
done <<<"$circuits"

differing=$(jq -rs 'group_by([.layers, .challenges, .partitions])[] | select(map(.digest) | unique | length > 1) | map("\(.storage) \(.setting) \(.digest)")[]' "$dir/samples.jsonl")
[ -z "$differing" ] || { printf '%s\n' "error: runs of one circuit differ in what they compute:" "$differing" >&2; exit 1; }
draw "$dir"
cat "$dir/scaling.md"
