#!/usr/bin/env bash
# What the alert rules say of written histories, by Prometheus' own checker: promtool of the path, else of Debian's package,
# which is unpacked and not installed (it would start a server).
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
