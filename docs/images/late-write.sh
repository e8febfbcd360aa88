#!/usr/bin/env bash
# Draws docs/images/late-write.svg, a moving picture of the README: a holder stops for longer than its ttl, and its late write
# is refused. Each line below is a step: when it appears (s), in which column, at which height, how it looks, and its text.
# Needs bash and awk.
set -euo pipefail
cd "$(dirname "$0")"
awk -F' *[|] *' -v end=14 '
BEGIN {
	split("10 300 590", left, " ")
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 330\" width=\"860\" height=\"330\" role=\"img\" aria-label=\"Instance A has token 41 and stops for longer than its ttl. Instance B gets the lock with token 42 and writes. The late write of A is refused.\">"
	print "<style>"
	print "text { font: 14px system-ui, sans-serif; fill: #57606a }"
	print ".who { font-weight: 600; fill: #24292f }"
	print "line { stroke: #8c959f; stroke-opacity: .5 }"
	print ".held { fill: #ddf4ff; stroke: #0969da }"
	print ".stopped { fill: none; stroke: #8c959f; stroke-dasharray: 4 4 }"
	print ".good { fill: #dafbe1; stroke: #1a7f37 }"
	print ".bad { fill: #ffebe9; stroke: #cf222e }"
	print "@media (prefers-color-scheme: dark) {"
	print "  text { fill: #9da7b3 }"
	print "  .who { fill: #e6edf3 }"
	print "  .held { fill: #0c2d4d; stroke: #4493f8 }"
	print "  .good { fill: #0f2d1a; stroke: #3fb950 }"
	print "  .bad { fill: #3c1618; stroke: #f85149 }"
	print "}"
	print "@media (prefers-reduced-motion: reduce) { g { animation: none !important } }"
	who[1] = "instance A"; who[2] = "instance B"; who[3] = "database"
	for (i = 1; i <= 3; i++) names = names sprintf("<text class=\"who\" x=\"%d\" y=\"22\">%s</text>\n", left[i], who[i])
	for (i = 2; i <= 3; i++) names = names sprintf("<line x1=\"%d\" y1=\"10\" x2=\"%d\" y2=\"320\"/>\n", left[i] - 15, left[i] - 15)
}
/^[0-9]/ {
	n++
	from = 100 * $1 / end
	printf "@keyframes s%d { 0%%, %.1f%% { opacity: 0 } %.1f%%, 100%% { opacity: 1 } }\n", n, from, from + 2
	printf ".s%d { animation: s%d %ds infinite }\n", n, n, end
	steps = steps sprintf("<g class=\"s%d\"><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"250\" height=\"34\" rx=\"5\"/><text x=\"%d\" y=\"%d\">%s</text></g>\n", n, $4, left[$2], $3, left[$2] + 12, $3 + 22, $5)
}
END { printf "</style>\n%s%s</svg>\n", names, steps }' >late-write.svg <<'STEPS'
0.2  | 1 | 36  | held    | holds stock:42, token 41
1.7  | 2 | 60  | stopped | waits for stock:42
2.7  | 1 | 76  | stopped | stops for longer than the ttl …
5.2  | 2 | 116 | held    | the lock expired: token 42
6.7  | 2 | 156 | held    | writes 0 with token 42
7.5  | 3 | 156 | good    | 42 is the largest: written
9.0  | 1 | 228 | bad     | goes on, writes 0 with token 41
9.8  | 3 | 228 | bad     | 41 is smaller than 42: refused
11.0 | 1 | 276 | bad     | LockLostException, rolled back
STEPS
