#!/usr/bin/env bash
# Makes .venv-doors: the clients of the protocols that `puzzlemill serve` speaks, for the checks in
# tests/real/doors.py; 0.6 GB. Does nothing when that was done.
#
# An environment of its own, because they bring frameworks that the server does without. PYTHON names
# the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-doors/.made-from
wanted=$(cat pyproject.toml setup.py tools/set-up-doors.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv-doors/bin/python ] || "$python" -m venv .venv-doors
pip=(.venv-doors/bin/python -m pip install --quiet)
"${pip[@]}" -e '.[serve]' openenv==0.10.0 openreward==0.1.167 datasets==5.2.0 transformers==5.23.0 "pytest>=8.3"
"${pip[@]}" --no-deps trl==1.16.0  # its adapter alone needs no torch
echo "$wanted" > "$stamp"
