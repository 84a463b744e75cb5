#!/usr/bin/env bash
# Installs beancount, which checks exported ledgers, from PyPI into a virtual environment, unless it is already installed.
#
#   BEANCOUNT_HOME=test/support/beancount/python .ci/beancount.sh
set -euo pipefail
cd "$(dirname "$0")/.."

version=3.2.3
home=${BEANCOUNT_HOME:-test/support/beancount/python}
mark="$home/version-$version"
if [ -f "$mark" ]; then exit 0; fi
rm -rf "$home"
python3 -m venv "$home"
"$home/bin/python" -m pip install --quiet --disable-pip-version-check "beancount==$version"
touch "$mark"
