# The head of tools/set-up*.sh, which source it at the repository's root: it ends the script where its
# environment is there already, and makes an empty environment otherwise.
#
#     environment=.venv-x [inputs="FILE..."] [least=3.12] [python=python3.12]; . tools/set-up-head.sh
#
# `inputs` are the files that the environment is made from, besides the script. PYTHON names the
# interpreter to start from. A script ends with `finished`.
least=${least:-3.11}
python=${PYTHON:-${python:-python3}}
wanted=$(cat ${inputs:-} "tools/${0##*/}" tools/set-up-head.sh | sha256sum | cut -d' ' -f1)
if [ -f "$environment/.made-from" ] && [ "$(cat "$environment/.made-from")" = "$wanted" ]; then
    exit 0
fi

"$python" -c "import sys; sys.exit(sys.version_info < (${least/./, }))" || {
    echo "this needs Python $least or newer; $python is $("$python" -V). Set PYTHON to a newer one." >&2
    exit 1
}
[ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
install=("$environment/bin/python" -m pip install --quiet)

# Installs with uv where it can be had, which takes seconds instead of minutes.
with_uv() {
    "${install[@]}" uv || return 0
    # uv does not read pip's settings: hand over the folder of local wheels, if there is one.
    UV_FIND_LINKS=${UV_FIND_LINKS:-$("$environment/bin/python" -m pip config get global.find-links 2>/dev/null || true)}
    [ -n "$UV_FIND_LINKS" ] && export UV_FIND_LINKS || unset UV_FIND_LINKS
    install=("$environment/bin/uv" pip install --quiet --python "$environment/bin/python")
}

finished() {
    echo "$wanted" > "$environment/.made-from"
}
