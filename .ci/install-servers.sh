#!/usr/bin/env bash
# Installs the requirements of test/real/, test/console/, test/reliability/ and test/fuzz/ on a bare Debian with Node,
# Java and Maven: nats-server, redis-server, chromium, strace, Go, Python with venv, beancount, and a server that speaks
# MongoDB's protocol. Skips what is already installed.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v nats-server >/dev/null || missing+=(nats-server)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v chromium >/dev/null || missing+=(chromium)
command -v strace >/dev/null || missing+=(strace)
command -v go >/dev/null || missing+=(golang-go)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi
.ci/mongo-server.sh
.ci/beancount.sh
nats-server --version
redis-server --version
chromium --version
go version
