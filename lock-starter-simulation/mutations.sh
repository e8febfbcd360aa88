#!/usr/bin/env bash
# Plants the bugs of src/test/mutations/mutations.txt, one at a time, in a copy of the classes, and runs the tests that
# should notice. Fails if one is not caught or does not apply. With arguments: only those whose names contain one of
# them. Needs a JDK and Maven.
# --generated: plants mutants that nobody thought up, some of each room, and runs the simulation alone on each, in a JVM
# of its own, until it breaks a rule. Prints the score of each room and what survived. Options: --rooms
# engine,leader,redis,redis.connection,quorum,scripts (all); --sample N (40: how many of each); --sample-seed X (1: by
# which they are drawn); --seconds S (60: of a processor, for each); --jobs N (1: how many at a time);
# --only TEXT (in its id); --list (which these are, and no more).
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

# A copy, so that nobody who builds meanwhile changes what is tested.
tar -c --exclude=./.git --exclude=target -C .. . | tar -x -C "$work"
cd "$work"
mvn -B -ntp -q ${MVN_ARGS:-} -pl lock-starter-simulation -am test-compile \
	org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
	-Dmdep.outputFile=target/class.path -Dmdep.includeScope=test </dev/null
# Tests of lock-starter need more than those of the simulation.
cd lock-starter-simulation
"$java" -cp "target/test-classes:$(cat target/class.path):$(cat ../lock-starter/target/class.path)" \
	io.lockstarter.mutation.MutationRun "$@"
