#!/usr/bin/env bash
# Makes .venv-harnesses: inspect_ai and lm-eval on the CPU, for the checks in tests/real. Does
# nothing when that was done. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-harnesses/.made-from
wanted=$(cat pyproject.toml setup.py tools/set-up-harnesses.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv-harnesses/bin/python ] || "$python" -m venv .venv-harnesses
.venv-harnesses/bin/python -m pip install --quiet -e . "pytest>=8.3" torch==2.13.0 inspect_ai==0.3.285
.venv-harnesses/bin/python -m pip install --quiet lm-eval==0.4.13
echo "$wanted" > "$stamp"
