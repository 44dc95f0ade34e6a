#!/usr/bin/env bash
# Runs the unit tests of the storages of linear combinations under valgrind and the sanitizers.
#
#   scripts/sanitize.sh             all three
#   scripts/sanitize.sh memcheck    lc-pooled under valgrind: accesses, and that nothing is lost
#                                   when combinations and threads (with their free lists) have ended
#   scripts/sanitize.sh address     every storage, under AddressSanitizer
#   scripts/sanitize.sh thread      the tests of lc-pooled that cross threads, under
#                                   ThreadSanitizer: the other storages have no code of their own
#                                   that does
#
# Exit codes: 0; 1, something was found or a test failed (it is shown); 2, wrong usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/scripts/built.sh"
target=${CARGO_TARGET_DIR:-$root/target}/sanitize
host=$(rustc -vV | sed -n 's/^host: //p')

# The path of the unit tests' binary, built with the given options of cargo.
tests() {
    built test --manifest-path "$root/Cargo.toml" -p bellpepper-core@0.2.1 --lib --no-run "$@"
}

memcheck() {
    command -v valgrind >/dev/null || { echo "sanitize.sh: valgrind is not installed" >&2; exit 2; }
    local binary
    binary=$(tests --release --target-dir "$target/plain")
    # Release code: a debug build takes half an hour. Several threads are one under valgrind.
    valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect \
        "$binary" lc::tests::pooled lc::tests::unwinding --test-threads 1
}

# Sanitizers are unstable options, of the stable compiler too. The standard library is not
# instrumented: the compiler has to be told to allow the mix, and ThreadSanitizer not to see a race
# where the test harness hands a result over by a channel, its main thread frees what it gave to a
# test's, or a scope drops the handle of a thread.
sanitized() {
    local sanitizer=$1
    shift
    local flags="-Zsanitizer=$sanitizer -Cunsafe-allow-abi-mismatch=sanitizer" binary
    binary=$(RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags \
        tests --release --target "$host" --target-dir "$target/$sanitizer")
    printf 'race:%s\n' CompletedTest '^test::run_test$' ScopedJoinHandle >"$target/suppressions"
    TSAN_OPTIONS="suppressions=$target/suppressions" "$binary" "$@"
}

case ${1:-all} in
    memcheck) memcheck ;;
    address) sanitized address lc::tests ;;
    thread) sanitized thread pooled::threads ;;
    all)
        memcheck
        sanitized address lc::tests
        sanitized thread pooled::threads
        ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac || exit 1
