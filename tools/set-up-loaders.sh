#!/usr/bin/env bash
# Makes .venv-loaders: the trainers that exports are written for, on the CPU, for the checks in
# tests/real; 1.7 GB. Does nothing when that was done.
#
# An environment of its own, because they pin packages that .venv has newer. verl, OpenRLHF and others
# come without what they depend on: what is run of them needs little of it, and the rest would bring a
# CUDA build of torch. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-loaders
inputs="pyproject.toml setup.py"
. tools/set-up-head.sh

packages=(-e . torch==2.13.0 trl==1.16.0 transformers==5.23.0 datasets==5.2.0 accelerate==1.15.0)
packages+=(tensordict==0.15.3 ray==2.60.0 omegaconf hydra-core codetiming cachetools orjson pylatexenc verifiers==0.4.0)
packages+=(reasoning-gym==0.1.25 "pytest>=8.3")
packages+=(starlette fastapi uvicorn openai chz tiktoken blobfile cloudpickle termcolor distro)  # of adapters and their frameworks
packages+=(structlog google-genai opentelemetry-exporter-otlp-proto-grpc)  # of openreward
alone=(verl==0.9.1 openrlhf==0.11.2 gem-llm==0.1.0 skyrl-gym==0.4.0 tinker==0.38.0 tinker-cookbook==0.6.1)
alone+=(openenv==0.10.0 openreward==0.1.167)  # their pins exclude those of verifiers
with_uv
"${install[@]}" "${packages[@]}"
"${install[@]}" --no-deps "${alone[@]}"
finished
