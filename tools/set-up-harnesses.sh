#!/usr/bin/env bash
# Makes .venv-harnesses: inspect_ai, lm-eval and lighteval on the CPU, for the checks in tests/real. Does
# nothing when that was done. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-harnesses
inputs="pyproject.toml setup.py"
. tools/set-up-head.sh

"${install[@]}" -e . "pytest>=8.3" torch==2.13.0 inspect_ai==0.3.285
"${install[@]}" lm-eval==0.4.13 lighteval==0.13.0 torch==2.13.0 inspect_ai==0.3.285
finished
