#!/usr/bin/env bash
# Measures the table of gains in the README: the storages against the registry's crate on the default
# circuit, each row a session of lc-ab.
#
#   scripts/gains.sh DIR
#
# DIR is new or empty; there go the reports, a folder a session, and gains.md. Takes some 20 minutes
# on two cores, builds included; nothing else may run. Needs cargo, jq, and valgrind for the
# instructions. Exit codes: 0; 2, wrong usage; else those of lc-ab.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
dir=${1-}
if [ $# != 1 ] || [[ $dir != [!-]* ]] || { [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; }; then
    echo "error: one argument is needed, a folder that is new or empty" >&2
    exit 2
fi
for tool in cargo jq valgrind; do
    command -v "$tool" >/dev/null || { echo "error: $tool is not installed" >&2; exit 2; }
done
mkdir -p "$dir"

session() { # NAME OPTIONS...
    "$root/scripts/ab.sh" --out "$dir/$1" --rounds 12 "${@:2}" >&2
}
session default
session two-threads --no-explain --variants upstream,lc-pooled --threads 2 --partitions 2
session jemalloc --no-explain --variants upstream+jemalloc,lc-pooled+jemalloc
session witness-only --no-explain --variants upstream,lc-pooled --witness-only

digits='def digits($n): . * pow(10; $n) | round / pow(10; $n); '
{
    echo "| session | against the registry's crate | times as fast | 95% interval | median pair | pairs |"
    echo "|---|---|---|---|---|---|"
    for name in default two-threads jemalloc witness-only; do
        jq -r --arg name "$name" "$digits"'
            .session.plan.variants as $variants | .analysis.scenarios[0].comparisons[]
            | .estimate as $e
            | "| \($name) | \($variants[.subject].label) | \($e.ratio | digits(3)) | \($e.low | digits(3)) to \($e.high | digits(3)) | \($e.median_ratio | digits(3)) | \($e.pairs) |"
        ' "$dir/$name/report.json"
    done
    echo
    echo "| on the default circuit | instructions a constraint | of the registry's crate's | allocations in enforce, a thousand constraints | peak resident, MiB |"
    echo "|---|---|---|---|---|"
    jq -r "$digits"'
        .session as $s | .analysis.scenarios[0].summaries as $summaries
        | $s.explanation.variants[0].simulated.Ok.instructions as $base
        | range($s.plan.variants | length) as $v
        | $s.explanation.variants[$v] as $e
        | "| \($s.plan.variants[$v].label) | \($e.simulated.Ok.instructions | round) | \($e.simulated.Ok.instructions / $base * 100 | digits(1))% | \($e.count.Ok | .enforce.calls * 1000 / .constraints | digits(2)) | \($summaries[$v].peak_rss_bytes / 1048576 | digits(1)) |"
    ' "$dir/default/report.json"
} >"$dir/gains.md"
cat "$dir/gains.md"
