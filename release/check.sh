#!/usr/bin/env bash
# Makes the release of HEAD twice in clean clones, without tests, with a key of its own, in the version that the snapshot
# is to become: what is published, is it signed, does it meet the rules of Maven Central, are both builds the same, and can
# fresh projects use it? Nothing leaves this machine, and nothing is installed: release/check.sh [--keep FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
keep=''
case ${1:-} in
	'') ;;
	--keep) keep=$(realpath -m "$2") ;;
	*) sed -n '2,4s/^# //p' "$0"; exit 2 ;;
esac
downloaded=${MAVEN_REPOSITORY:-$HOME/.m2/repository} # read only
temp=$(mktemp -d)
export GNUPGHOME=$temp/gnupg
trap 'gpgconf --kill gpg-agent || true; rm -rf "$temp"' EXIT

fail() {
	echo "$*" >&2
	exit 1
}

maven() {
	mvn -B -ntp -q -Dmaven.repo.local="$temp/local" -Dmaven.test.skip=true "$@" </dev/null
}

# xml NAME FILE: the text of the first such element.
xml() {
	sed -n "s|.*<$1>\(.*\)</$1>.*|\1|p" "$2" | head -n 1
}

# A local repository without anything of this project, as the comparison takes what it finds there.
mkdir -p "$downloaded"
cp -r --reflink=auto "$downloaded" "$temp/local"
rm -rf "$temp/local/io/lockstarter"
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'Check of a release <nobody@example.org>' default default 1d
git clone -q . "$temp/first"
cd "$temp/first"

version=$(sed -n 's|^	<version>\(.*\)</version>.*|\1|p' pom.xml)
version=${version%-SNAPSHOT}
release/set-version.sh "$version" -Dmaven.repo.local="$temp/local"
cp -r . "$temp/second"
maven -Prelease deploy

# What is published: all modules that do not say otherwise.
published=$temp/first/target/repository/io/lockstarter
for module in $(sed -n 's|.*<module>\(.*\)</module>.*|\1|p' pom.xml | sort -u); do
	grep -q '<maven.deploy.skip>true<' "$module/pom.xml" || echo "$module"
done >"$temp/expected"
ls "$published" | diff "$temp/expected" - || fail "Not what is to be published: < is missing, > is too much."

for folder in "$published"/*/"$version"; do
	! compgen -G "$folder/*-tests.jar" >/dev/null || fail "Tests are published in $folder"
	pom=$(ls "$folder"/*.pom)
	for element in name description url license developer scm connection developerConnection; do
		grep -q "<$element[ >]" "$pom" || fail "No <$element> in $pom"
	done
	[[ $(xml url "$pom") == "$(xml project.home "$temp/first/pom.xml")" ]] || fail "Another <url> in $pom"
	! grep -qE '<parent>|<scope>test|SNAPSHOT' <(grep -v "<version>$version<" "$pom") || fail "Not for users: $pom"
	for suffix in .pom .jar -sources.jar -javadoc.jar -cyclonedx.json -cyclonedx.xml; do
		file=${pom%.pom}$suffix
		gpg --quiet --verify "$file.asc" "$file" 2>/dev/null || fail "Missing or not signed: $file"
		[[ $(<"$file.sha1") == "$(sha1sum <"$file" | cut -d ' ' -f 1)" && -s $file.md5 ]] || fail "Wrong sum: $file"
	done
	! grep -q '"group" : "org.junit' "${pom%.pom}-cyclonedx.json" || fail "Tests in the list of components of $folder"
	echo "Published, signed and described: $(basename "$(dirname "$folder")") $version."
done

cd "$temp/second"
maven -Prelease -Dgpg.skip -pl "$(paste -sd , "$temp/expected")" verify artifact:compare -Dbuildinfo.detect.skip=false \
	-Dbuildinfo.ignoreJavadoc=false -Dreference.repo="file:$temp/first/target/repository"
# Six files of each module; the comparison counts those of all modules.
files=$((6 * $(wc -l <"$temp/expected")))
for module in $(<"$temp/expected"); do
	grep -qx "ok=$files" "$module"/target/*.buildcompare || fail "Not compared: $module"
done
echo "Two builds are the same, byte for byte."

cd "$temp/first"
release/consume.sh "$temp/first/target/repository"

if [[ -n $keep ]]; then
	mkdir -p "$keep"
	cp -r "$temp/first/target/repository/." "$keep"
fi
