#!/usr/bin/env bash
# All tests: line 0.2 on every storage, line 0.4 on the default storage, and the examples.
#
#   scripts/test.sh
#
# Exit codes: 0, all pass; else those of cargo.
set -euo pipefail
cd "$(dirname "$0")/.."
# One place for all builds: most dependencies are the same.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
storages=$(sed -n 's/^\(lc-[a-z0-9]*\) = .*/\1/p' crates/bellpepper-core/Cargo.toml)

cargo test --release --workspace --exclude dropin
for storage in $storages; do
    cargo test --release -p bellpepper-core@0.2.1 --features "$storage" --test against_upstream
    # Unoptimized, since that is what needs most stack.
    cargo test -p dropin --features "$storage"
done
# Only the pooled storage has unsafe code, and only a build that uses it compiles it.
for storage in $storages; do
    [ "$storage" = lc-pooled ] || cargo rustc -p bellpepper-core@0.2.1 --lib \
        --features "$storage" -- -F unsafe_code -D warnings
done
cargo test --release --manifest-path crates/bellpepper-core-0.4/Cargo.toml
cargo test --release --manifest-path examples/compiled-prover/Cargo.toml
# On the registry's crate too, which the workspace replaces by its own.
registry=$CARGO_TARGET_DIR/registry
rm -rf "$registry"
cp -r crates/compiled-constraints "$registry"
cp Cargo.lock "$registry/"
echo '[workspace]' >>"$registry/Cargo.toml"
cargo test --release --manifest-path "$registry/Cargo.toml"
for storage in $storages; do
    cargo test --release --manifest-path examples/prover/Cargo.toml --features "$storage"
done
