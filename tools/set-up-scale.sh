#!/usr/bin/env bash
# Makes .venv-scale: Ray, and an S3-compatible server to put builds into, for the checks in tests/real.
# Does nothing when that was done. PYTHON names the interpreter to start from.
#
# The versions are those of constraints.txt: without them pip takes gigabytes for a torch on CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-scale
inputs="pyproject.toml setup.py constraints.txt"
. tools/set-up-head.sh

"${install[@]}" -c constraints.txt -e '.[train,ray,store]' \
    ray==2.60.0 s3fs==2026.9.0 'moto[server]==5.2.5' boto3 'pytest>=8.3'
finished
