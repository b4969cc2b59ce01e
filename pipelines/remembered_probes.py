"""What probing verifiers found, remembered between builds in the user's cache folder.

Probing is most of a small build's time, and the same rows under the same code give the same
figures. A file a family holds the last few. Processes may write at once: each writes whole files,
and what one of them loses is only probed again.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import puzzlemill
from puzzlemill import core, generators
from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.shapes import fields, listed, text
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.outputs.manifest import PROBED
from puzzlemill.pipelines.parallel_audit import truth_of

CACHE = "PUZZLEMILL_CACHE"  # the variable that names the folder; empty: nothing is remembered
KEPT = 32  # figures of a family
_FILE = listed(fields({"key": text(), "figures": PROBED}))

Rows = Sequence[Mapping[str, Any]]


def remembered_truth(
    rows: Mapping[str, Rows], libraries: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """family → figures: those remembered of these very rows, the others from probing."""
    keys = {name: _key(name, some, libraries) for name, some in rows.items()}
    known = {name: figures for name in rows if (figures := _recalled(name, keys[name]))}
    probed = truth_of({name: some for name, some in rows.items() if name not in known})
    for name, figures in probed.items():
        # A worker may be killed, or starved until it overstays; neither is told of a family twice.
        if "failed" not in figures and not figures["crashes"]:
            _remember(name, keys[name], figures)
    return {name: known.get(name) or probed[name] for name in rows}


def cache_folder() -> Path | None:
    """Where figures are kept; None where nothing is to be remembered."""
    named = os.environ.get(CACHE)
    if named is not None:
        return Path(named).expanduser() if named else None
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a user without a home
        return None
    return home / "puzzlemill"


def _path(name: str) -> Path | None:
    folder = cache_folder()
    return folder / "probes" / f"{name}.json" if folder else None


def _recalled(name: str, key: str) -> dict[str, Any] | None:
    return next((each["figures"] for each in _all(_path(name)) if each["key"] == key), None)


def _remember(name: str, key: str, figures: Mapping[str, Any]) -> None:
    if path := _path(name):
        others = [each for each in _all(path) if each["key"] != key]
        with suppress(OSError, UserError):  # a folder that is full or closed fails no build
            write_json(path, [*others, {"key": key, "figures": figures}][-KEPT:])


def _all(path: Path | None) -> list[dict[str, Any]]:
    """What a family's file holds; nothing where it is missing or damaged."""
    with suppress(UserError):
        if path and not _FILE(found := read_json(path), ""):
            return list(found)
    return []


def _key(name: str, rows: Rows, libraries: Mapping[str, str]) -> str:
    """Of all that figures follow from: the rows, and the code that probes them."""
    code = [_code(), _digest_of(registry.folder_of(name)), registry.family(name).version]
    version = [puzzlemill.__version__, sys.version, dict(libraries)]
    return digest(canonical_json([name, *version, *code, [*map(dict, rows)]]))


@cache
def _code() -> str:
    """Of the package, all that a verifier may use: families import each other's files, too."""
    return "".join(_digest_of(Path(path)) for room in (core, generators) for path in room.__path__)


@cache
def _digest_of(folder: Path) -> str:
    """Of all Python files of a folder."""
    hashed = blake2b(digest_size=8)
    for path in sorted(folder.rglob("*.py")):
        hashed.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()
