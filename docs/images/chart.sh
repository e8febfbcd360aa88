#!/usr/bin/env bash
# Draws docs/images/throughput.svg, the chart of the README, with the figures of docs/internals/benchmarks.md.
# Each library has the one of its locks that did best in the scene. Run it after lock-benchmarks/run.sh. Needs bash and awk.
set -euo pipefail
cd "$(dirname "$0")/.."
awk -F' *[|] *' '
function scene(heading, title) { scenes++; title_of[scenes] = title; heading_of[scenes] = heading }
function bar(s, library, y,    name, value, width, ours) {
	name = best[s, library]
	value = figure[s, name]
	if (value == "") { print "No row of \"" library "\" under \"" heading_of[s] "\"" > "/dev/stderr"; exit 1 }
	width = 400 * number(value) / most[s]
	ours = (name == "lock-starter") ? "ours" : "bar"
	printf "<text x=\"262\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, name
	printf "<rect class=\"%s\" x=\"270\" y=\"%d\" width=\"%.1f\" height=\"16\"/>\n", ours, y, width
	printf "<text data-row=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", name, 276 + width, y + 13, value
	printf "<text class=\"p99\" x=\"892\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y + 13, p99[s, name]
}
function number(text) { gsub(",", "", text); return text + 0 }
BEGIN {
	scene("## Hot key: 4 JVMs with 8 threads each, 100 µs section", "32 threads of 4 JVMs want one key and keep it for 100 µs: acquisitions a second")
	scene("## One thread, its own key", "One thread, a key that nobody else wants: acquisitions a second")
	rows = split("lock-starter;Redisson;Spring Integration;Lock4j;textbook lock", row, ";")
}
/^## / { current = 0; for (i = 1; i <= scenes; i++) if ($0 == heading_of[i]) current = i }
current && $2 == "" && $3 == "cycles/s" { for (i = 1; i <= NF; i++) if ($i == "p99, µs") slowest = i }
current && NF > 3 && $3 ~ /^[0-9,]+$/ {
	figure[current, $2] = $3
	p99[current, $2] = $slowest
	for (i = 1; i <= rows; i++)
		if (i == 1 ? $2 == row[i] : index($2, row[i]) == 1)
			if (number($3) > number(figure[current, best[current, row[i]]])) best[current, row[i]] = $2
}
END {
	for (i = 1; i <= scenes; i++) for (j = 1; j <= rows; j++)
		if (number(figure[i, best[i, row[j]]]) > most[i]) most[i] = number(figure[i, best[i, row[j]]])
	height = scenes * (36 + 26 * rows) + 8
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " height "\" width=\"900\" height=\"" height "\" role=\"img\" aria-label=\"Acquisitions a second, side by side\">"
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
		printf "<text x=\"892\" y=\"%d\" text-anchor=\"end\">p99 of acquiring, µs</text>\n", y + 14
		y += 28
		for (j = 1; j <= rows; j++) { bar(i, row[j], y); y += 26 }
		y += 8
	}
	print "</svg>"
}' internals/benchmarks.md >images/throughput.svg.new
mv images/throughput.svg.new images/throughput.svg
