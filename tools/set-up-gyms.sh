#!/usr/bin/env bash
# Makes .venv-gyms: Harbor, NeMo Gym and OpenEnv, for the checks of exported folders in
# tests/real/folders.py. Does nothing when that was done.
#
# NeMo Gym and Harbor need Python 3.12. PYTHON names the interpreter to start from. NeMo Gym comes
# without what it depends on: its pins exclude those of the others, and its servers need little of it.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-gyms/.made-from
wanted=$(cat pyproject.toml setup.py tools/set-up-gyms.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3.12}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || {
    echo "Harbor and NeMo Gym need Python 3.12 or newer; $python is $("$python" -V). Set PYTHON to one." >&2
    exit 1
}
[ -x .venv-gyms/bin/python ] || "$python" -m venv .venv-gyms
pip=(.venv-gyms/bin/python -m pip install --quiet)
"${pip[@]}" -e '.[serve]' openenv==0.10.0 harbor==0.25.0 "pytest>=8.3"
"${pip[@]}" --no-deps nemo-gym==0.4.0
"${pip[@]}" hydra-core aiohttp psutil itsdangerous devtools orjson "mcp<2" yappi ray==2.60.0 wandb \
    mlflow-skinny gprof2dot pydot GitPython anthropic openai datasets python-multipart
echo "$wanted" > "$stamp"
