#!/usr/bin/env bash
# Draws docs/images/throughput.svg, the chart of the README, with the figures of docs/internals/benchmarks.md.
# Run it after lock-benchmarks/run.sh. Needs bash and awk.
set -euo pipefail
cd "$(dirname "$0")/.."
awk -F' *[|] *' '
function scene(heading, title) { scenes++; title_of[scenes] = title; heading_of[scenes] = heading }
function bar(s, name, label, y,    value, width, ours) {
	value = figure[s, name]
	if (value == "") { print "No row \"" name "\" under \"" heading_of[s] "\"" > "/dev/stderr"; exit 1 }
	width = 400 * number(value) / most[s]
	ours = (name == "lock-starter") ? "ours" : "bar"
	printf "<text x=\"262\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, label
	printf "<rect class=\"%s\" x=\"270\" y=\"%d\" width=\"%.1f\" height=\"16\"/>\n", ours, y, width
	printf "<text data-row=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", name, 276 + width, y + 13, value
}
function number(text) { gsub(",", "", text); return text + 0 }
BEGIN {
	scene("## Hot key: 4 JVMs with 8 threads each, 100 µs section", "32 threads of 4 JVMs want one key and keep it for 100 µs: acquisitions a second")
	scene("## One thread, its own key", "One thread, a key that nobody else wants: acquisitions a second")
	rows = split("lock-starter;Redisson lock;Spring Integration pub/sub;Lock4j;textbook lock, 1 ms poll", row, ";")
	split("lock-starter;Redisson RLock;Spring Integration, pub/sub;Lock4j;SET NX by hand, asks each ms", label, ";")
}
/^## / { current = 0; for (i = 1; i <= scenes; i++) if ($0 == heading_of[i]) current = i }
current && NF > 3 && $3 ~ /^[0-9,]+$/ {
	figure[current, $2] = $3
}
END {
	for (i = 1; i <= scenes; i++) for (j = 1; j <= rows; j++)
		if (number(figure[i, row[j]]) > most[i]) most[i] = number(figure[i, row[j]])
	height = scenes * (36 + 26 * rows) + 8
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 " height "\" width=\"760\" height=\"" height "\" role=\"img\" aria-label=\"Acquisitions a second, side by side\">"
	print "<style>"
	print "text { font: 13px system-ui, sans-serif; fill: #57606a }"
	print ".title { font-weight: 600; fill: #24292f }"
	print ".bar { fill: #8c959f }"
	print ".ours { fill: #0969da }"
	print "@media (prefers-color-scheme: dark) {"
	print "  text { fill: #9da7b3 }"
	print "  .title { fill: #e6edf3 }"
	print "  .bar { fill: #6e7681 }"
	print "  .ours { fill: #4493f8 }"
	print "}"
	print "</style>"
	y = 8
	for (i = 1; i <= scenes; i++) {
		printf "<text class=\"title\" x=\"8\" y=\"%d\">%s</text>\n", y + 14, title_of[i]
		y += 28
		for (j = 1; j <= rows; j++) { bar(i, row[j], label[j], y); y += 26 }
		y += 8
	}
	print "</svg>"
}' internals/benchmarks.md >images/throughput.svg.new
mv images/throughput.svg.new images/throughput.svg
