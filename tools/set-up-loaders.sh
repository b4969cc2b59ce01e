#!/usr/bin/env bash
# Makes .venv-loaders: the trainers that exports are written for, on the CPU, for the checks in
# tests/real; 1.7 GB. Does nothing when that was done.
#
# An environment of its own, because they pin packages that .venv has newer. verl, OpenRLHF and others
# come without what they depend on: what is run of them needs little of it, and the rest would bring a
# CUDA build of torch. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-loaders/.made-from
wanted=$(cat pyproject.toml setup.py tools/set-up-loaders.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv-loaders/bin/python ] || "$python" -m venv .venv-loaders

packages=(-e . torch==2.13.0 trl==1.16.0 transformers==5.23.0 datasets==5.2.0 accelerate==1.15.0)
packages+=(tensordict==0.15.3 ray==2.60.0 omegaconf hydra-core codetiming orjson pylatexenc verifiers==0.4.0)
packages+=(reasoning-gym==0.1.25 "pytest>=8.3")
packages+=(starlette openai chz tiktoken cloudpickle termcolor distro)  # of adapters and their frameworks
alone=(verl==0.9.1 openrlhf==0.11.2 gem-llm==0.1.0 skyrl-gym==0.4.0 tinker==0.38.0 tinker-cookbook==0.6.1)
if .venv-loaders/bin/python -m pip install --quiet uv; then
    # uv does not read pip's settings: hand over the folder of local wheels, if there is one.
    UV_FIND_LINKS=${UV_FIND_LINKS:-$(.venv-loaders/bin/python -m pip config get global.find-links 2>/dev/null || true)}
    [ -n "$UV_FIND_LINKS" ] && export UV_FIND_LINKS || unset UV_FIND_LINKS
    install=(.venv-loaders/bin/uv pip install --quiet --python .venv-loaders/bin/python)
else
    install=(.venv-loaders/bin/python -m pip install --quiet)
fi
"${install[@]}" "${packages[@]}"
"${install[@]}" --no-deps "${alone[@]}"
echo "$wanted" > "$stamp"
