#!/usr/bin/env bash
# Makes .venv with everything that the demo and the tests need; does nothing when that was done.
#
# The versions are those of constraints.txt. uv installs them in seconds where it can be had, pip in
# a minute or two where it cannot. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv/.made-from
wanted=$(cat pyproject.toml setup.py constraints.txt tools/set-up.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv/bin/python ] || "$python" -m venv .venv

if .venv/bin/python -m pip install --quiet uv; then
    # uv does not read pip's settings: hand over the folder of local wheels, if there is one.
    UV_FIND_LINKS=${UV_FIND_LINKS:-$(.venv/bin/python -m pip config get global.find-links 2>/dev/null || true)}
    [ -n "$UV_FIND_LINKS" ] && export UV_FIND_LINKS || unset UV_FIND_LINKS
    .venv/bin/uv pip install --quiet --python .venv/bin/python -c constraints.txt -e '.[dev]'
else
    .venv/bin/python -m pip install --quiet -c constraints.txt -e '.[dev]'
fi
echo "$wanted" > "$stamp"
