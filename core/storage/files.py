"""Files that are whole or absent: written beside, then renamed."""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from hashlib import sha256
from math import isfinite
from pathlib import Path
from threading import get_ident
from typing import Any

from puzzlemill.core.errors import UserError

LOCK = ".lock"  # of a folder at which a process is at work
LARGEST_JSON = 1 << 28  # bytes; a manifest names every shard, some 40 bytes each
DEEPEST = 64  # levels of nesting
LARGEST_NUMBER = 10**100


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to; it takes its final name only when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    try:
        yield beside
        os.replace(beside, path)
    except OSError as error:
        _tell_full(path.parent, error)
        raise
    finally:
        beside.unlink(missing_ok=True)


def _tell_full(folder: Path, error: OSError) -> None:
    """Where a disk is full, say which, and what to do: the error itself often names no file."""
    if error.errno in (ENOSPC, EDQUOT):
        raise UserError(
            f"{folder}: the disk is full; free some space and run the same command again"
        ) from error


@contextmanager
def alone_in(folder: Path, who: str) -> Iterator[None]:
    """Hold a folder; who else wants it is refused, and told who is there. The lock ends with the
    process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("a+", encoding="utf-8", errors="replace") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read(80).strip() or "another process"
            raise UserError(f"{folder}: {holder} is at work here; wait for it to end") from None
        file.truncate(0)
        file.write(who)
        file.flush()
        try:
            yield
        except OSError as error:
            _tell_full(folder, error)
            raise


def sweep(folder: Path) -> None:
    """Remove what was being written when a process was killed. Nobody may be writing there."""
    for path in folder.rglob(".*"):
        if re.fullmatch(r"\..+\.\d+-\d+", path.name):
            path.unlink(missing_ok=True)


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill; when the block ends well it takes its name, and an older one's place."""
    folder = folder.resolve()
    beside, behind = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    try:
        yield beside
        shutil.rmtree(behind, ignore_errors=True)
        if folder.exists():
            folder.rename(behind)
        beside.rename(folder)
        shutil.rmtree(behind, ignore_errors=True)
    except OSError as error:
        _tell_full(folder, error)
        raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def also_at(path: Path, other: Path) -> None:
    """The same file under another name; a copy where the disk knows no such thing."""
    other.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)


def write_text(path: Path, text: str) -> None:
    with whole(path) as beside:
        beside.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=2, sort_keys=True) + "\n")


def read_json(path: Path, finite: bool = True) -> Any:
    """What a JSON file holds. A file may be from anywhere: whatever is wrong with it is told.

    `finite`: infinities and NaN, which JSON does not know, are refused.
    """
    try:
        if path.exists() and not path.is_file():  # reading a pipe would never end
            raise ValueError("no file")
        if path.stat().st_size > LARGEST_JSON:
            raise ValueError(f"over {LARGEST_JSON >> 20} MB")
        return parsed(path.read_text(encoding="utf-8"), finite)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except ValueError as error:
        raise UserError(f"{path}: not JSON that can be read: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def parsed(text: str, finite: bool = True) -> Any:
    """JSON of somebody else's as plain data; a ValueError where it would trip whoever uses it."""
    try:
        whole = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    waiting = [(whole, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth == DEEPEST:
                raise ValueError("nested too deeply")
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            waiting += [(each, depth + 1) for each in inner]
        elif isinstance(value, str):
            value.encode()  # half a surrogate pair can be neither shown nor written
        elif isinstance(value, float):
            if finite and not isfinite(value):
                raise ValueError(f"holds {value}")
        elif isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise ValueError("holds a number of over 100 digits")
    return whole


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
