#!/usr/bin/env bash
# Several JVMs use locks while everything goes wrong that can. Options: --seconds N (60), --seed N (any: replays the order
# of faults), --jvms N (4), --keys N (50), --ttl MS (1500). Exit status 0: nothing was wrong. Needs a JDK and Maven.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

(cd .. && mvn -B -ntp -q ${MVN_ARGS:-} -pl lock-starter -am test-compile \
	org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
	-Dmdep.outputFile="$work/class.path" -Dmdep.includeScope=test </dev/null)
"$java" -Xmx1g -Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider -Dslf4j.internal.verbosity=ERROR \
	-cp "target/test-classes:target/classes:$(cat "$work/class.path")" io.lockstarter.proof.TortureRun "$@"
