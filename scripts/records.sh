#!/usr/bin/env bash
# Lists the records that are older than the sources they speak of.
#
#   scripts/records.sh
#
# Reads benches/record/sources.tsv, and compares the sources of each record at its commit with those
# in the work tree. Prints a line per record that is not fresh, with the command that renews it, and
# per record that cannot be judged, with the reason. Files that git does not know are not seen.
#
# Exit codes: 0, all are fresh; 1, some are not, or cannot be judged; 2, wrong usage.
set -euo pipefail

[ $# -eq 0 ] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."

# Prints why a record is not known to be fresh, if it is not.
fault() { # RECORD COMMIT PATHSPEC...
    local record=$1 commit=$2 path
    if [ ! -e "$record" ]; then
        echo "no such file: correct its row in sources.tsv"
    elif ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
        echo "this clone has no commit $commit: run \`git fetch --unshallow\` if it is shallow"
    else
        for path in "${@:3}"; do
            # What begins with a colon leaves files out.
            if [[ $path != :* ]] && ! git cat-file -e "$commit:$path" 2>/dev/null; then
                echo "its commit $commit has no $path: correct its row in sources.tsv"
                return
            fi
        done
        git diff --quiet "$commit" -- "${@:3}" || echo "older than its sources, measured at $commit"
    fi
}

status=0
while IFS=$'\t' read -r record commit sources renew; do
    [[ -n $record && $record != \#* ]] || continue
    read -ra paths <<<"$sources"
    fault=$(fault "benches/record/$record" "$commit" "${paths[@]}")
    [ -z "$fault" ] || { status=1; echo "$record: $fault${renew:+; to renew: $renew}"; }
done <benches/record/sources.tsv
exit $status
