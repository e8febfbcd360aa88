#!/usr/bin/env bash
# Builds lock-benchmarks and runs it; then writes docs/internals/benchmarks.md from all results there are.
# Without arguments: all scenarios beside the peers, for more than an hour. soak, growth, cold-start, startup, permits, readwrite, cluster
# and quorum are commands of their own: see run.sh --help.
set -euo pipefail
cd "$(dirname "$0")/.."
mvn -B -ntp -q -Prun -pl lock-benchmarks -am -DskipTests package
target=lock-benchmarks/target
run() {
	"${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$target/classes:$target/lib/*" io.lockstarter.benchmark.Main "$@"
}
[[ ${1-} == report ]] || run "$@"
run report
