#!/usr/bin/env bash
# Checks that the embedded engines flush every event before they acknowledge it. Traces each engine with strace (Debian
# package strace) while it stores events one after another: the write-ahead log must be flushed between the write of an
# event and its acknowledgement. Runs on the built service. As a control, a second run without flushes must be detected.
#
#   .ci/fsync-order.sh [engine ...]      engines: event-store broker (default: both)
#   DIST=dist/modules COUNT=20
set -euo pipefail
cd "$(dirname "$0")/.."

dist=${DIST:-dist/modules}
count=${COUNT:-20}
engines=("$@")
[ ${#engines[@]} -gt 0 ] || engines=(event-store broker)

if ! command -v strace >/dev/null; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq strace >/dev/null
  else
    echo 'strace is not installed (apt-get install strace)' >&2
    exit 1
  fi
fi
if [ ! -d "$dist" ]; then node scripts/build.mjs --modules; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# watch <engine> <FULL|OFF>: prints the checker's output and returns its exit code
watch() {
  local engine=$1 synchronous=$2 at="$work/$1-$2" status=0
  mkdir "$at"
  KONTOR_PROBE_SYNCHRONOUS=$synchronous timeout 120 strace -f -tt -y -s 262144 -o "$at/trace" \
    -e trace=write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync \
    node test/support/fsync-probe.mjs "$dist" "$engine" "$at/data" "$count" >"$at/acks" || return 3
  node .ci/fsync-order.mjs "$at/trace" "$count" || status=$?
  return "$status"
}

for engine in "${engines[@]}"; do
  status=0
  watch "$engine" FULL || status=$?
  if [ "$status" -eq 0 ]; then
    echo "ok: $engine flushed before each of $count acknowledgements"
  else
    echo "FAILED: $engine acknowledged before its flush, or could not be watched (status $status)"
    failed=1
  fi

  status=0
  watch "$engine" OFF || status=$?
  if [ "$status" -eq 10 ]; then
    echo "ok: $engine without flushes is found out"
  else
    echo "FAILED: $engine without flushes was not found out (status $status)"
    failed=1
  fi
done
exit "$failed"
