#!/usr/bin/env bash
# Sets the version of all modules, and, unless it is a snapshot, that of the dependency blocks of the documentation:
# release/set-version.sh 0.1.0 [maven options]
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?Which version?}
shift
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[A-Za-z0-9.]+)?$ ]] || { echo "No version: $version" >&2; exit 2; }
mvn -B -ntp -q versions:set -Pboot35 -DnewVersion="$version" "$@" </dev/null
if [[ $version != *-SNAPSHOT ]]; then
	sed -i -E -e "/<artifactId>lock-starter/{n;s|<version>.*</version>|<version>$version</version>|}" \
		-e "s|([A-Za-z0-9.-]+:lock-starter[a-z-]*:)[0-9][0-9A-Za-z.-]*|\1$version|g" README.md docs/*.md
fi
