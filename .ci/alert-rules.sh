#!/usr/bin/env bash
# Tests the alert rules against recorded series with promtool from the path or, if there is none, from Debian's package.
# The package is unpacked, not installed, because installing it would start a server.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v promtool >/dev/null; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  apt-get update -qq
  (cd "$work" && apt-get -o APT::Sandbox::User=root download -qq prometheus && dpkg -x prometheus_*.deb .)
  PATH="$work/usr/bin:$PATH"
fi
promtool check rules docs/monitoring/alerts.yml
promtool test rules test/monitoring/alerts.promtool.yml
