"""Reviewers' notes: marks and texts by uid, in a file beside the build.

The file is only ever appended to, one line at a time: what two tabs write stands side by side.
"""

import fcntl
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import parsed

MARKS = ("good", "doubtful", "wrong")
REVIEWS = ("noted", *MARKS, "not reviewed")  # what a filter chooses: any note or mark, a mark, none
LONGEST = 4_000  # characters of a note


@dataclass(frozen=True, slots=True)
class Note:
    uid: str
    mark: str  # one of MARKS, or empty: the mark is as it was
    text: str


def notes_file(folder: Path) -> Path:
    """Outside of the build's folder: a build that is made again loses none of it."""
    folder = folder.resolve()
    return folder.with_name(f"{folder.name}.notes.jsonl")


def add_note(folder: Path, uid: str, said: Mapping[str, str]) -> None:
    """Write a note behind those that there are."""
    note = Note(uid, said.get("mark", ""), said.get("text", "").strip())
    if note.mark not in ("", *MARKS):
        raise UserError(f"a mark is one of {', '.join(MARKS)}")
    if len(note.text) > LONGEST:
        raise UserError(f"a note has {LONGEST:,} characters at most")
    if not note.mark and not note.text:
        raise UserError("choose a mark or write a note")
    path = notes_file(folder)
    try:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(asdict(note)).encode() + b"\n")
    except OSError as error:
        raise UserError(f"{path}: the note cannot be kept: {error.strerror}") from None


def notes_state(folder: Path) -> tuple[int, int]:
    """What changes whenever a note is written."""
    path = notes_file(folder)
    state = path.stat() if path.is_file() else None
    return (state.st_mtime_ns, state.st_size) if state else (0, 0)


def notes_on(folder: Path) -> Mapping[str, tuple[Note, ...]]:
    """The notes on each item, the oldest first."""
    state = notes_state(folder)
    return _notes_in(notes_file(folder), *state) if any(state) else {}


@lru_cache(maxsize=4)
def _notes_in(path: Path, changed: int, size: int) -> Mapping[str, tuple[Note, ...]]:
    notes: dict[str, tuple[Note, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            known = parsed(line)
            note = Note(*(str(known[name]) for name in ("uid", "mark", "text")))
        except (ValueError, TypeError, LookupError) as error:
            raise UserError(
                f"{path}: line {number} is no note: {error}; mend or remove it"
            ) from None
        notes[note.uid] = (*notes.get(note.uid, ()), note)
    return notes


def mark_of(notes: tuple[Note, ...]) -> str:
    """The last mark that was given."""
    return next((note.mark for note in reversed(notes) if note.mark), "")


def is_reviewed_as(notes: tuple[Note, ...], review: str) -> bool:
    """Whether an item with these notes is one of those that a filter chooses."""
    return bool(notes) if review == "noted" else mark_of(notes) == review
