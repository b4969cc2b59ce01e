#!/usr/bin/env bash
# Makes .venv-site: MkDocs with its theme, and Playwright to look at the pages. Does nothing when that
# was done. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=.venv-site
. tools/set-up-head.sh

"${install[@]}" mkdocs==1.6.1 mkdocs-material==9.8.1 playwright "pytest>=8.3"
finished
