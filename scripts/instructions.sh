#!/usr/bin/env bash
# Counts the instructions of each shape in benches/ on each storage, and the bytes of kept
# combinations, beside the registry's crate.
#
#   scripts/instructions.sh            prints counts per iteration, and the ratios of
#                                      benches/limits.tsv
#   scripts/instructions.sh --check    the same; fails if a ratio is above its limit
#
# A table of tab-separated values; a few percent lie between compilers and processors. Needs
# valgrind; takes about a minute beside the build. Exit codes: 0; 1, a ratio is above its limit; 2,
# wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
case ${1:-} in
    '') check=0 ;;
    --check) check=1 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is not installed" >&2; exit 2; }

bench() { # PROGRAM
    built build --release -p lc-benches --bin "$1" --manifest-path "$root/Cargo.toml" \
        --target-dir "${CARGO_TARGET_DIR:-$root/target}"
}
shapes=$(bench shapes)
bytes=$(bench bytes)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A copy by one instruction that repeats itself would count as many instructions as bytes.
export GLIBC_TUNABLES=glibc.cpu.x86_rep_movsb_threshold=1000000000
# Counts only inside of `measured`, and dumps the sum at each return from it: shapes.out.1, .2, ...
valgrind --quiet --tool=callgrind --callgrind-out-file="$work/shapes.out" \
    --collect-atstart=no --toggle-collect='shapes::measured' --dump-after='shapes::measured' \
    "$shapes" >"$work/calls"

# Shape, subject, instructions of an iteration.
number=0
while IFS=$'\t' read -r shape subject iterations; do
    number=$((number + 1))
    total=$(sed -n 's/^totals: //p' "$work/shapes.out.$number")
    printf '%s\t%s\t%s\n' "$shape" "$subject" $((total / iterations))
done <"$work/calls" >"$work/counts"
"$bytes" --table >>"$work/counts"

awk -F '\t' -v OFS='\t' -v check="$check" '
    FNR == 1 { file++ }
    file == 1 {
        count[$1, $2] = $3
        if (!seen[$1]++) shapes[++shape_count] = $1
        next
    }
    /^#/ { next }
    !header++ {
        for (i = 3; i <= NF; i++) storage[i] = $i
        columns = NF
        row = "instructions or bytes" OFS "" OFS "upstream"
        for (i = 3; i <= columns; i++) row = row OFS storage[i]
        print row
        for (s = 1; s <= shape_count; s++) {
            row = shapes[s] OFS "" OFS count[shapes[s], "upstream"]
            for (i = 3; i <= columns; i++) row = row OFS count[shapes[s], storage[i]]
            print row
        }
        print ""
        row = "ratio" OFS "to" OFS ""
        for (i = 3; i <= columns; i++) row = row OFS storage[i]
        print row
        next
    }
    {
        row = $1 OFS $2 OFS ""
        for (i = 3; i <= columns; i++) {
            other = $2 == "upstream" ? count[$1, "upstream"] : count[$2, storage[i]]
            own = count[$1, storage[i]]
            if ($i == "") { row = row OFS ""; continue }
            if (own == "" || other == "") {
                print $1 " on " storage[i] ": not measured" > "/dev/stderr"
                exit 1
            }
            ratio = own / other
            row = row OFS sprintf("%.3f", ratio)
            if (ratio > $i) {
                above++
                printf "%s on %s: %.3f times %s, at most %s\n", $1, storage[i], ratio, $2, $i \
                    > "/dev/stderr"
            }
        }
        print row
    }
    END { if (check && above) exit 1 }
' "$work/counts" "$root/benches/limits.tsv"
