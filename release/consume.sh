#!/usr/bin/env bash
# Builds a fresh Maven project and a fresh Gradle project with the dependency blocks of the README, on what
# was deployed into a folder, and runs them: release/consume.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
	-*) sed -n '2,3s/^# //p' "$0"; exit 2 ;;
esac
repository=$(cd "${1:-../target/repository}" && pwd)
downloaded=${MAVEN_REPOSITORY:-$HOME/.m2/repository} # read only
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

# block LANGUAGE: prints the blocks of the README in that language that name the starter.
block() {
	awk -v start="\`\`\`$1" '
		$0 == start { text = ""; inside = 1; next }
		/^```/ { if (inside && text ~ /lock-starter/) printf "%s", text; inside = 0 }
		inside { text = text $0 "\n" }' ../README.md
}

# project DIRECTORY LANGUAGE BOOT: a fresh project.
project() {
	local file
	cp -r consumer "$1"
	block "$2" >"$1/block"
	grep -q lock-starter "$1/block" || { echo "README.md has no dependency block in $2."; exit 1; }
	for file in pom.xml build.gradle; do
		sed -i.template -e "/^@dependency@$/{" -e "r $1/block" -e d -e "}" -e "s|@boot@|$3|" \
			-e "s|@repository@|file://$repository|" -e "s|@downloaded@|file://$downloaded|" "$1/$file"
	done
}

boot_of() {
	sed -n 's|.*<spring-boot.version>\(.*\)</spring-boot.version>.*|\1|p' "$1"
}

# run WHAT JAVA-ARGUMENT...
run() {
	local what=$1
	shift
	"${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@" >"$temp/output" 2>&1 || { cat "$temp/output"; exit 1; }
	grep -q 'The annotated method held its lock' "$temp/output"
	echo "The dependency block of the README works: $what."
}

for boot in $(boot_of ../pom.xml) $(boot_of ../lock-starter-boot35/pom.xml); do
	project "$temp/maven-$boot" xml "$boot"
	mvn -B -ntp -q -f "$temp/maven-$boot/pom.xml" -Dmaven.repo.local="$temp/local" package </dev/null
	run "Maven, Spring Boot $boot" -jar "$temp/maven-$boot/target/shop.jar"
done

if command -v gradle >/dev/null; then
	project "$temp/gradle" kotlin none
	(
		cd "$temp/gradle"
		export GRADLE_USER_HOME=${GRADLE_USER_HOME:-$temp/gradle-home}
		# mavenLocal(), if the README names it, is the repository of the projects before, and not this machine's.
		gradle -q --no-daemon -Dmaven.repo.local="$temp/local" printClassPath </dev/null >"$temp/class-path"
	)
	run "$(gradle --version | grep '^Gradle ')" -cp "$(tail -n 1 "$temp/class-path")" com.example.shop.Application
else
	echo "No Gradle here: only Maven projects were built."
fi
