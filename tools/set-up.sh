#!/usr/bin/env bash
# Makes .venv with everything that the demo and the tests need; does nothing when that was done.
#
# The versions are those of constraints.txt. uv installs them in seconds where it can be had, pip in
# a minute or two where it cannot. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv
inputs="pyproject.toml setup.py constraints.txt"
. tools/set-up-head.sh

with_uv
"${install[@]}" -c constraints.txt -e '.[dev]'
finished
