#!/usr/bin/env bash
# Downloads the server that replaces MongoDB in tests (test/support/mongo-server/pom.xml) from Maven Central.
# Does nothing if the folder was filled from the same pom.xml before.
#
#   MONGO_SERVER_LIB=test/support/mongo-server/lib .ci/mongo-server.sh
set -euo pipefail
cd "$(dirname "$0")/.."

pom=test/support/mongo-server/pom.xml
lib=${MONGO_SERVER_LIB:-test/support/mongo-server/lib}
mark="$lib/filled-from"

wanted=$(sha256sum <"$pom")
if [ -f "$mark" ] && [ "$(cat "$mark")" = "$wanted" ]; then exit 0; fi

if ! command -v mvn >/dev/null || ! command -v java >/dev/null; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq --no-install-recommends default-jdk-headless maven >/dev/null
  else
    echo 'maven and a JDK are not installed (apt-get install default-jdk-headless maven)' >&2
    exit 1
  fi
fi

mkdir -p "$lib"
lib=$(cd "$lib" && pwd)
rm -f "$lib"/*.jar "$mark"
mvn -q -B -f "$pom" dependency:copy-dependencies -DoutputDirectory="$lib"
echo "$wanted" >"$mark"
