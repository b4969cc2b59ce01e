#!/usr/bin/env bash
# Makes .venv-doors: the clients of the protocols that `puzzlemill serve` speaks, for the checks in
# tests/real/doors.py; 0.6 GB. Does nothing when that was done.
#
# An environment of its own, because they bring frameworks that the server does without. PYTHON names
# the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-doors
inputs="pyproject.toml setup.py"
. tools/set-up-head.sh

"${install[@]}" -e '.[serve]' openenv==0.10.0 openreward==0.1.167 reasoning-gym==0.1.25 datasets==5.2.0 transformers==5.23.0 "pytest>=8.3"
"${install[@]}" --no-deps trl==1.16.0  # its adapter alone needs no torch
finished
