#!/usr/bin/env bash
# Compares the public API of the fork with that of the registry's bellpepper-core, on both lines and
# with every storage, by the JSON that rustdoc makes of each.
#
#   scripts/public_api.sh
#
# Prints each difference, after a - (missing or changed in the fork) or a + (added). The additions
# that are meant are listed in scripts/public_api/. All scratch is under target/public_api.
#
# Exit codes: 0, nothing is missing and the additions are those listed; 1, otherwise; 2, wrong
# usage; other codes are those of a build that failed.
set -euo pipefail

if [ $# -ne 0 ]; then
    echo "error: no arguments are taken" >&2
    echo "usage: scripts/public_api.sh" >&2
    exit 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
work=$root/target/public_api
export CARGO_TARGET_DIR=$work/build
mkdir -p "$work"

host=$(rustc -vV | sed -n 's/^host: //p')

# The JSON is an unstable output of rustdoc, which a stable toolchain makes only if told so. The
# target is named because a `build.target` of the user's settings moves the output.
document() { # OUTPUT CARGO-ARGUMENT...
    RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --lib --target "$host" "${@:2}" -- \
        -Z unstable-options --output-format json --cap-lints allow
    mv "$CARGO_TARGET_DIR/$host/doc/bellpepper_core.json" "$1"
}

api_diff=$(built build --manifest-path "$root/crates/api-diff/Cargo.toml")

status=0
for fork in crates/bellpepper-core crates/bellpepper-core-0.4; do
    manifest=$root/$fork/Cargo.toml
    version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$manifest")
    storages=$(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' "$manifest")

    # A package that does nothing but depend on the registry's crate.
    consumer=$work/upstream-$version
    mkdir -p "$consumer/src"
    : >"$consumer/src/lib.rs"
    cat >"$consumer/Cargo.toml" <<TOML
[package]
name = "consumer"
version = "0.0.0"
edition = "2021"
[workspace]
[dependencies]
bellpepper-core = "=$version"
TOML
    document "$work/upstream-$version.json" \
        --manifest-path "$consumer/Cargo.toml" -p bellpepper-core

    for storage in $storages; do
        echo "== $version with $storage against the registry's"
        document "$work/fork.json" --manifest-path "$manifest" --features "$storage"
        "$api_diff" "$work/upstream-$version.json" "$work/fork.json" \
            "$root/scripts/public_api/additions-$version.txt" || status=$?
    done
done
exit $status
