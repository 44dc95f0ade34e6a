#!/usr/bin/env bash
# Shows that Groth16 parameters, verifying keys and proofs (bellperson 0.27, fixed randomness) made
# with the fork are byte for byte those made with the registry's crate, and verify under each
# other's.
#
#   scripts/groth16_identity.sh [--storage S] [--porep]
#
# No --storage means every storage; --porep adds the whole circuit of a 2 KiB Proof-of-Replication
# (several minutes and about 1 GB of disk a storage). Scratch is under target/groth16.
#
# Exit codes: 0, identical; 1, a difference or a failure; 2, wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
work=$root/target/groth16
export CARGO_TARGET_DIR=$work/build
storages=$(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' "$root/crates/bellpepper-core/Cargo.toml")

usage() {
    echo "error: $1" >&2
    echo "usage: scripts/groth16_identity.sh [--storage S] [--porep]" >&2
    echo "storages: ${storages//$'\n'/ }" >&2
    exit 2
}

chosen_storages=$storages
more=()
while [ $# -gt 0 ]; do
    case $1 in
    --storage)
        grep -qx -- "${2-}" <<<"$storages" || usage "no storage '${2-}'"
        chosen_storages=$2
        shift 2
        ;;
    --porep)
        more=(--features porep)
        shift
        ;;
    *) usage "unknown argument '$1'" ;;
    esac
done

# The same sources and lock file (the members stand in one line of the manifest), less the override
# and what only the fork has.
registry=$work/registry-workspace
rm -rf "$registry"
mkdir -p "$registry/crates"
sed -e '/^\[patch\.crates-io\]/,$d' -e 's|^members = .*|members = ["crates/*"]|' \
    "$root/Cargo.toml" >"$registry/Cargo.toml"
cp "$root/Cargo.lock" "$registry/"
cp -r "$root"/crates/{compiled-constraints,dropin,porep-synth} "$registry/crates/"
sed -i '/"bellpepper-core\/lc-/d' "$registry"/crates/*/Cargo.toml

# Builds the program of a workspace, says on which crate, and makes a folder of what it makes.
make() { # FOLDER WORKSPACE CARGO_ARGS...
    local folder=$1 manifest=$2/Cargo.toml
    shift 2
    local program
    program=$(built build --release -p dropin --bin groth16-identity --manifest-path "$manifest" \
        "${more[@]}" "$@")
    core=$(cargo tree -q -p dropin -i bellpepper-core@0.2.1 --depth 0 --manifest-path "$manifest")
    echo "$(basename "$folder"), on $core:"
    cp "$program" "$folder.program"
    rm -rf "$folder"
    "$folder.program" make "$folder"
}

fail() { # ERROR
    echo "error: $1" >&2
    exit 1
}

make "$work/registry" "$registry" --features dropin/upstream
[ "$core" = "bellpepper-core v0.2.1" ] || fail "the registry's crate was not built"
for storage in $chosen_storages; do
    ours=$work/$storage
    make "$ours" "$root" --features "dropin/$storage"
    [ "$core" = "bellpepper-core v0.2.1 ($root/crates/bellpepper-core)" ] ||
        fail "the fork was not built"
    diff -rq "$work/registry" "$ours" || fail "$storage makes other bytes than the registry's crate"
    "$ours.program" verify "$work/registry" "$ours"
    "$work/registry.program" verify "$ours" "$work/registry"
    echo "$storage: identical to the registry's crate ($(cat "$ours"/* | sha256sum | cut -c1-16))"
done
