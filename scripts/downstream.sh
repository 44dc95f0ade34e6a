#!/usr/bin/env bash
# Runs the test suites of published crates that build on bellpepper-core, on the fork.
#
#   scripts/downstream.sh [NAME...] [--storage S]
#
# NAME is a crate (bellperson) or one version of it (bellperson-0.27.0); none means all of them,
# and no --storage means every storage. Progress goes to standard error, the table (Markdown) to
# standard output: it holds every result so far for the fork's present sources, so that a full
# table can be gathered in several runs. All scratch, logs too, is under target/downstream.
#
# Needs cargo, jq and git. Exit codes: 0, no suite fails in a way in which it does not fail on the
# registry's crate; 1, one does; 2, wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
work=$root/target/downstream
export CARGO_TARGET_DIR=$work/build
# A lint that a newer compiler raises fails no peer, as it fails no dependency in a build of cargo.
export RUSTFLAGS="--cap-lints warn" RUSTDOCFLAGS="--cap-lints warn"

# Crate, version, its bellpepper-core line, features in place of the default ones, most of which
# want a GPU (nova-snark's do not).
peers='
bellpepper            0.2.1  0.2
bellpepper            0.4.1  0.4
neptune               11.0.0 0.2 bls,arity2,arity4,arity8,arity11
neptune               13.0.0 0.4 bls,pasta,arity2,arity4,arity8,arity11
bellperson            0.26.0 0.2 groth16
bellperson            0.27.0 0.2 groth16
filecoin-hashers      14.1.0 0.2 blake2s,poseidon,sha256
storage-proofs-core   19.1.0 0.2
storage-proofs-porep  19.1.0 0.2
storage-proofs-post   19.1.0 0.2
storage-proofs-update 19.1.0 0.2
nova-snark            0.37.0 0.4 default
arecibo               0.1.1  0.4 asm
'
storages=$(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' "$root/crates/bellpepper-core/Cargo.toml")

usage() {
    echo "error: $1" >&2
    echo "usage: scripts/downstream.sh [NAME...] [--storage S]" >&2
    echo "names: $(awk 'NF { printf "%s-%s ", $1, $2 }' <<<"$peers")" >&2
    echo "storages: ${storages//$'\n'/ }" >&2
    exit 2
}

wanted=""
chosen_storages=$storages
while [ $# -gt 0 ]; do
    case $1 in
    --storage)
        grep -qx -- "${2-}" <<<"$storages" || usage "no storage '${2-}'"
        chosen_storages=$2
        shift 2
        ;;
    *)
        awk -v n="$1" '$1 == n || $1 "-" $2 == n { found = 1 } END { exit !found }' <<<"$peers" ||
            usage "no peer '$1'"
        wanted="$wanted $1"
        shift
        ;;
    esac
done

# Results are filed under what they were measured on.
fork=$(cd "$root/crates" &&
    find bellpepper-core/src bellpepper-core*/Cargo.toml -type f -not -path '*/tests/*' |
    LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-12)
results=$work/results/$fork
mkdir -p "$results" "$work/log"

# Lays a peer's published source, as cargo fetches it, into $1, as a workspace of its own.
lay_out() { # FOLDER NAME VERSION LINE
    rm -rf "$1" "$1.fetch"
    mkdir -p "$1.fetch/src"
    touch "$1.fetch/src/lib.rs"
    cat >"$1.fetch/Cargo.toml" <<EOF
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[dependencies]
$2 = { version = "=$3", default-features = false }
[workspace]
EOF
    local manifest
    manifest=$(cargo metadata -q --format-version 1 --manifest-path "$1.fetch/Cargo.toml" |
        jq -r --arg name "$2" --arg version "$3" '.packages[]
            | select(.name == $name and .version == $version).manifest_path')
    cp -r "$(dirname "$manifest")" "$1"
    rm -rf "$1.fetch"
    # These only pin.
    rm -f "$1"/Cargo.lock "$1"/rust-toolchain "$1"/rust-toolchain.toml
    {
        echo "[workspace]"
        # Its own tests use it, but it was published without.
        [ "$2-$3" != bellpepper-0.2.1 ] || printf '[dev-dependencies.blstrs]\nversion = "0.7"\n'
        # A storage can be asked for only where there is a direct dependency.
        grep -q '^\[dependencies.bellpepper-core\]' "$1/Cargo.toml" ||
            printf '[dependencies.bellpepper-core]\nversion = "%s"\n' "$4"
    } >>"$1/Cargo.toml"
}

# The names of the tests that a log shows failing.
failing() { sed -n 's/^test \(.*\) \.\.\. FAILED.*/\1/p' "$1" | sort -u; }

# Whether a log is of a suite that ran to its end: it was built, and no test program died.
complete() { grep -q '^test result:' "$1" && ! grep -q '(signal: ' "$1"; }

# Runs a suite on one storage and files the outcome: a line for the table, then their failing tests.
run() { # NAME VERSION LINE FEATURES STORAGE
    local name=$1 version=$2 line=$3 features=$4 storage=$5
    local peer=$name-$version folder=$work/$name-$version log=$work/log/$name-$version.$storage.log
    local patch=$root/patches/filecoin.toml
    [ "$line" = 0.2 ] || patch=$root/patches/bellpepper-$line.toml
    local on_registry=(--no-default-features --features "$features")
    local on_fork=("${on_registry[@]}" --features "bellpepper-core/$storage" --config "$patch")

    echo "$peer on $storage: $log" >&2
    lay_out "$folder" "$name" "$version" "$line"
    # In the folder, since cargo reads a .cargo/config.toml from there.
    cd "$folder"
    local graph
    if ! graph=$("$check_patch" . "${on_fork[@]}" 2>"$log") ||
        ! grep -q "the fork, .*, storage $storage\$" <<<"$graph"; then
        printf '%s\n' "error: $peer is not on the fork with $storage:" "$graph" "see $log" >&2
        exit 1
    fi
    local status=0
    cargo test --release --no-fail-fast "${on_fork[@]}" >"$log" 2>&1 || status=$?

    local passed ignored cell
    read -r passed ignored < <(
        awk '/^test result:/ { p += $4; i += $8 } END { print p + 0, i + 0 }' "$log"
    )
    cell="$passed passed"
    [ "$ignored" = 0 ] || cell="$cell, $ignored ignored"
    local theirs=""
    if [ "$status" != 0 ]; then
        local again=$work/log/$peer.registry.log ours=""
        if complete "$log"; then
            local names
            mapfile -t names < <(failing "$log")
            cargo test --release --no-fail-fast "${on_registry[@]}" -- --exact "${names[@]}" \
                >"$again" 2>&1 || true
            theirs=$(comm -12 <(failing "$log") <(failing "$again"))
            ours=$(comm -23 <(failing "$log") <(failing "$again"))
        elif cargo test --release --no-fail-fast "${on_registry[@]}" >"$again" 2>&1 ||
            complete "$again"; then
            ours="(does not build, or a test program dies: see $log)"
        else
            theirs="(does not build, or a test program dies)"
        fi
        [ -z "$theirs" ] || cell="$cell, $(wc -l <<<"$theirs") theirs"
        if [ -n "$ours" ]; then
            cell="$cell, **$(wc -l <<<"$ours") FAILED**"
            printf '%s\n' "fails on the fork only, $peer on $storage:" "$ours" >&2
            bad=1
        fi
    fi
    echo "$cell" >&2
    printf '%s\n' "$cell" ${theirs:+"$theirs"} >"$results/$peer.$storage"
}

table() {
    echo "# Suites of published crates on the fork"
    echo
    echo "$(date -u +%F), sources $fork at commit $(git -C "$root" rev-parse --short HEAD)," \
        "$(rustc --version | cut -d' ' -f1-2), $(nproc) cores, $(uname -m); release builds," \
        "default features off."
    echo "*Theirs*: fails on the registry's crate too."
    echo
    echo "| peer | features | ${storages//$'\n'/ | } |"
    echo "|---|---|$(sed 's/.*/---|/' <<<"$storages" | tr -d '\n')"
    local name version line features storage cell result
    while read -r name version line features; do
        [ -n "$name" ] || continue
        printf '| %s %s | %s |' "$name" "$version" "${features//,/, }"
        for storage in $storages; do
            cell="not run" result=$results/$name-$version.$storage
            [ ! -f "$result" ] || cell=$(head -1 "$result")
            printf ' %s |' "$cell"
        done
        echo
    done <<<"$peers"
    echo
    local file
    for file in "$results"/*; do
        [ ! -f "$file" ] || tail -n +2 "$file" | sed "s/^/theirs, $(basename "${file%.*}"): /"
    done | sort -u
}

check_patch=$(built build --release -p check-patch --manifest-path "$root/Cargo.toml")

bad=0
for storage in $chosen_storages; do
    while read -r name version line features; do
        [ -n "$name" ] || continue
        if [ -z "$wanted" ] || grep -qxE -- "$name|$name-$version" <<<"${wanted// /$'\n'}"; then
            run "$name" "$version" "$line" "$features" "$storage" </dev/null
        fi
    done <<<"$peers"
done
table
exit $bad
