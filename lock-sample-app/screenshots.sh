#!/usr/bin/env bash
# Takes the pictures of the sample in docs/images anew: what the test in a browser sees. Needs chromium and chromedriver.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf lock-sample-app/target/screenshots
mvn -B -ntp -pl lock-starter,lock-sample-app test -Dsurefire.failIfNoSpecifiedTests=false -Dtest=BrowserTest
for name in flash-sale locks; do
	cp "lock-sample-app/target/screenshots/$name.png" docs/images/
done
