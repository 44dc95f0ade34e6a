#!/usr/bin/env bash
# Compares a storage with the registry's crate on real circuits of others, inside the provers as
# published (crates/prover-synth, crates/nova-synth): times, and bytes of kept combinations.
#
#   scripts/circuits.sh DIR [STORAGE] [PAIRS]
#
# DIR is new or empty; there go the programs, samples.jsonl, kept.jsonl and circuits.md. STORAGE is
# lc-pooled if not given. In each of the PAIRS (3) both programs run once per circuit, one after the
# other, on the last processor, and then, of circuits in bellperson, the storage's with compiled
# constraints. A process counts by the median of its three syntheses. Takes ten
# minutes for the builds and two per pair; nothing else may run. Needs cargo, jq and taskset.
# Exit codes: 0; 1, the programs differ in what they compute, or are not what they are called;
# 2, wrong usage; else those of cargo.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
dir=${1-} storage=${2-lc-pooled} pairs=${3-3}
if [ $# -gt 3 ] || [[ $dir != [!-]* || $storage != lc-* || ! $pairs =~ ^[1-9][0-9]*$ ]] ||
    { [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; }; then
    echo "usage: scripts/circuits.sh DIR [STORAGE] [PAIRS], where DIR is new or empty" >&2
    exit 2
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/circuits

# Each build changes the lock file beside its manifest, so these are built from a copy.
mkdir -p "$target/copy/crates"
cp -rp "$root"/crates/{compiled-constraints,{porep,prover,nova}-synth} "$target/copy/crates/"
cp "$root/Cargo.lock" "$target/copy/crates/prover-synth/upstream/"
build() { # NAME MANIFEST CORE PROGRAM...
    local name=$1 manifest=$2 core=$3 program built
    local options=(--features upstream)
    [ "$name" = upstream ] || options=(--features "bellpepper-core/$name"
        --config "patch.crates-io.bellpepper-core.path='$root/$core'")
    for program in "${@:4}"; do
        echo "building $program on $name" >&2
        built=$(built build --release --bin "$program" --target-dir "$target" "${options[@]}" \
            --manifest-path "$target/copy/crates/$manifest/Cargo.toml")
        cp "$built" "$dir/$program-$name"
    done
}
for name in upstream "$storage"; do
    build "$name" prover-synth/upstream crates/bellpepper-core prover-synth kept-bytes
    build "$name" nova-synth crates/bellpepper-core-0.4 nova-synth shape-bytes
done

# The values of a clap option that are listed with their meaning.
names() { sed -n 's/^ *- \([a-z0-9-]*\): .*/\1/p'; }
mapfile -t circuits < <("$dir/prover-synth-upstream" --help | names)
jobs=("${circuits[@]/#/prover-synth --circuit }")
for prover in nova arecibo; do
    for stage in shape witness; do
        for step in trivial sha256; do
            jobs+=("nova-synth --prover $prover --stage $stage --step $step")
        done
    done
done
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
for pair in $(seq "$pairs"); do
    echo "pair $pair of $pairs" >&2
    for job in "${jobs[@]}"; do
        read -r program options <<<"$job"
        for name in upstream "$storage"; do
            # shellcheck disable=SC2086 # several options
            taskset -c "$cpu" "$dir/$program-$name" $options --json >>"$dir/samples.jsonl"
        done
        [ "$program" != prover-synth ] ||
            # shellcheck disable=SC2086
            taskset -c "$cpu" "$dir/$program-$storage" $options --compiled --json \
                >>"$dir/samples.jsonl"
    done
done
for name in upstream "$storage"; do
    for circuit in winning-post window-post strict-bits packing poseidon-legacy8 poseidon-new8; do
        "$dir/kept-bytes-$name" "$circuit"
    done
    for prover in nova arecibo; do "$dir/shape-bytes-$name" "$prover" sha256; done
done >"$dir/kept.jsonl"

all() { # CONDITION ERROR
    jq -e --slurp "$1" "$dir/samples.jsonl" >/dev/null ||
        { echo "error: $2 in $dir/samples.jsonl" >&2; exit 1; }
}
all 'group_by(.circuit) | all(map(.digest) | unique | length == 1)' \
    "the programs compute different things: see digest"
all 'all((.storage == "upstream") == (.combination_bytes == 96))' \
    "a program is not built on the crate that it is called by: see combination_bytes"
{
    echo "| circuit | constraints | registry's, s | $storage, s | times as fast | of the pairs" \
        "| compiled, s | times $storage |"
    echo "|---|---|---|---|---|---|---|---|"
    jq -r --slurp --arg storage "$storage" '
        def digits($n): . * pow(10; $n) | round / pow(10; $n);
        def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
        def seconds: map(.median_seconds) | median | digits(4);
        def ratios($base; $fork):
            [range($base | length) | $base[.].median_seconds / $fork[.].median_seconds];
        reduce .[] as $s ({}; .[$s.circuit] += [$s]) | to_entries[] | .key as $circuit | .value
        | map(select(.storage == "upstream")) as $base
        | map(select(.storage == $storage and (has("compiled_rows") | not))) as $fork
        | map(select(has("compiled_rows"))) as $compiled
        | ratios($base; $fork) as $ratios
        | [$circuit, $base[0].constraints, ($base | seconds), ($fork | seconds),
            ($ratios | median | digits(2)),
            "\($ratios | min | digits(2)) to \($ratios | max | digits(2))"]
        + if $compiled == [] then ["", ""]
            else [($compiled | seconds), (ratios($fork; $compiled) | median | digits(2))] end
        | "| \(map(tostring) | join(" | ")) |"
    ' "$dir/samples.jsonl"
    echo
    echo "| kept whole | registry's, bytes | $storage, bytes | of the registry's |"
    echo "|---|---|---|---|"
    jq -r --slurp '
        group_by(.circuit)[] | (map(select(.storage == "upstream"))[0].held_bytes) as $base
        | (map(select(.storage != "upstream"))[0].held_bytes) as $fork
        | "| \(.[0].circuit) | \($base) | \($fork) | \($fork / $base * 100 | round / 100) |"
    ' "$dir/kept.jsonl"
} >"$dir/circuits.md"
cat "$dir/circuits.md"
