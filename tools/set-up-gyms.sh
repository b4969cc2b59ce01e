#!/usr/bin/env bash
# Makes .venv-gyms: Harbor, NeMo Gym and OpenEnv, for the checks of exported folders in
# tests/real/folders.py. Does nothing when that was done.
#
# NeMo Gym and Harbor need Python 3.12. PYTHON names the interpreter to start from. NeMo Gym comes
# without what it depends on: its pins exclude those of the others, and its servers need little of it.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-gyms
inputs="pyproject.toml setup.py"
least=3.12
python=python3.12
. tools/set-up-head.sh

"${install[@]}" -e '.[serve]' openenv==0.10.0 harbor==0.25.0 "pytest>=8.3"
"${install[@]}" --no-deps nemo-gym==0.4.0
"${install[@]}" hydra-core aiohttp psutil itsdangerous devtools orjson "mcp<2" yappi ray==2.60.0 wandb \
    mlflow-skinny gprof2dot pydot GitPython anthropic openai datasets python-multipart
finished
