#!/usr/bin/env bash
# Makes .venv-site: MkDocs with its theme, and Playwright to look at the pages. Does nothing when that
# was done. PYTHON names the interpreter to start from.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=.venv-site/.made-from
wanted=$(sha256sum < tools/set-up-site.sh | cut -d' ' -f1)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "puzzlemill needs Python 3.11 or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x .venv-site/bin/python ] || "$python" -m venv .venv-site
.venv-site/bin/python -m pip install --quiet mkdocs==1.6.1 mkdocs-material==9.8.1 playwright "pytest>=8.3"
echo "$wanted" > "$stamp"
