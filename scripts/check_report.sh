#!/usr/bin/env bash
# Looks at lc-ab's page in headless Chromium, on a phone and a screen, by light and in the dark:
# does it fit, can it be read, is everything drawn? Takes a report.json; without one, the example
# that the tests of lc-ab use. Installs Chromium where it is missing and apt-get can be used.
#
#   scripts/check_report.sh [report.json] [folder for screenshots]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
report=$(realpath "${1:-$root/crates/lc-ab/tests/example/report.json}")
shots=${2:-}
command -v chromium >/dev/null ||
    { apt-get update -qq && apt-get install -y -qq chromium >/dev/null; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$report" "$work/report.json"
"$root/scripts/ab.sh" report "$work/report.json" >/dev/null

# A frame is as wide as it is told to be, where a window may not be; the size of its page, its
# colours and drawings are read from outside.
cat >"$work/check.html" <<'PAGE'
<!DOCTYPE html>
<meta name="color-scheme" content="light dark">
<body style="margin:0"><iframe id="frame" style="border:0;height:6000px"></iframe>
<pre id="result">not run</pre>
<script>
const [width, dark] = location.hash.slice(1).split(",");
const frame = document.getElementById("frame");
frame.style.width = width + "px";
frame.onload = () => {
  const page = frame.contentDocument, style = (e) => frame.contentWindow.getComputedStyle(e);
  const luminance = (color) => {
    const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = color.match(/[\d.]+/g).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(style(page.body).backgroundColor);
  const ink = luminance(style(page.body).color);
  const contrast = (Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05);
  const place = (e) => e.getBoundingClientRect();
  const inside = (e) => place(e).left >= -1 && place(e).right <= width;
  const all = (selector) => [...page.querySelectorAll(selector)];
  const are_inside = (selector) => all(selector).length > 0 && all(selector).every(inside);
  const checks = {
    "the page is no wider than the screen": page.documentElement.scrollWidth <= width,
    "text stands out from the paper": contrast >= 7,
    "the paper follows the colour scheme": (paper < 0.2) === (dark === "dark"),
    "text is large enough":
      all("p, li, td, text, .label").every((e) => parseFloat(style(e).fontSize) >= 12),
    "every dot and interval is on the screen": are_inside(".dot, .interval, .mean"),
    "labels of the axes are on the screen": are_inside(".scale text"),
    "bars are drawn": all(".bar .full").some((e) => place(e).width > 20),
  };
  document.getElementById("result").textContent =
    Object.entries(checks).map(([name, good]) => (good ? "pass: " : "FAIL: ") + name).join("\n");
};
frame.src = "report.html";
</script>
PAGE

chromium_here() {
    chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --allow-file-access-from-files --user-data-dir="$(mktemp -d -p "$work")" "$@" 2>/dev/null
}

passed=0
failed=0
for scheme in light dark; do
    # Blink's numbers for the scheme that a user prefers.
    prefers=$([[ $scheme == dark ]] && echo 0 || echo 1)
    for width in 390 1280; do
        result=$(chromium_here --blink-settings=preferredColorScheme="$prefers" \
            --virtual-time-budget=10000 --dump-dom "file://$work/check.html#$width,$scheme" |
            sed -n '/<pre id="result">/,/<\/pre>/p' | sed 's/<[^>]*>//g')
        echo "$width px, $scheme:"
        while IFS= read -r line; do
            echo "  $line"
            if [[ $line == pass:* ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
        done <<<"$result"
        if [[ -n $shots ]]; then
            mkdir -p "$shots"
            chromium_here --blink-settings=preferredColorScheme="$prefers" --hide-scrollbars \
                --virtual-time-budget=10000 --window-size="$((width < 500 ? 500 : width)),4200" \
                --screenshot="$shots/$width-$scheme.png" "file://$work/check.html#$width,$scheme"
        fi
    done
done
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
