"""Files that are whole or absent: written beside, then renamed."""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import get_ident
from typing import Any

from puzzlemill.core.errors import UserError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to; it takes its final name only when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}")
    try:
        yield beside
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path, who: str = "build") -> Iterator[None]:
    """Hold a folder; who else wants it is refused. The lock ends with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{folder}: another {who} is at work here; wait for it to end"
            ) from None
        yield


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


def read_json(path: Path) -> Any:
    """What a JSON file holds. A file may be from anywhere: whatever is wrong with it is told."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except (ValueError, RecursionError) as error:
        said = str(error) or type(error).__name__
        raise UserError(f"{path}: not JSON that can be read: {said}") from None


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
