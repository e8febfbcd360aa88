#!/usr/bin/env bash
# The real registry and the real scripts in a world of one thread, where everything follows from a seed. Options:
# --seeds N (1000) or --seconds S; --seed X (1: the first); --topology one|failover|cluster|quorum (each in turn); --shared P (percent of locks in shared mode);
# --varied (other sizes and traits in every run, see Trait, and not in a quarter); --with TRAIT (and no other);
# --vanishing N (6 at most: how many single keys of servers vanish);
# --plant NAME (a bug, see Plants); --plants [WORD ...] --rounds N (5) (a table of all bugs, see PlantTable);
# --coverage, with --seconds S (60) and --seed X alone (the branches of classes and scripts that no run enters, see Coverage); --trace; and those that a violation prints. Exit status 0: nothing was wrong.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

(cd .. && mvn -B -ntp -q ${MVN_ARGS:-} -pl lock-starter-simulation -am test-compile \
	org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
	-Dmdep.outputFile="$work/class.path" -Dmdep.includeScope=test </dev/null)
"$java" -Xmx1g -XX:+UseSerialGC -Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider -Dslf4j.internal.verbosity=ERROR \
	-cp "target/test-classes:$(cat "$work/class.path")" io.lockstarter.simulation.Simulation "$@"
