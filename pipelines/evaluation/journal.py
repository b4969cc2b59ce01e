"""An evaluation's folder: settings, lines of what was asked and replied, and the ledger of seeds.

Lines are added as replies come. What was cut off by a kill is taken off when it goes on.
"""

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import parsed, read_json, write_json, write_text

SETTINGS, RESULT, PAGE = "evaluation.json", "result.json", "page.html"
REPLIES, GAMES = "replies.jsonl", "games.jsonl"
LEDGER = "ledger.jsonl"  # beside the folders of all evaluations
LARGEST_SEED = 2**53  # that every reader of JSON takes

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Journal:
    folder: Path

    @property
    def settings(self) -> dict[str, Any]:
        record: dict[str, Any] = read_json(self.folder / SETTINGS)
        return record

    @property
    def seed(self) -> int:
        return int(self.settings["seed"])

    def batches(self) -> list[dict[str, Any]]:
        """The lines of all whole batches. A last one that a kill cut off is removed: it is asked
        again."""
        lines = self._lines(REPLIES)
        last = [line for line in lines if line["batch"] == lines[-1]["batch"]]
        if lines and len(last) < last[0]["of"]:
            lines = lines[: -len(last)]
            write_text(self.folder / REPLIES, "".join(map(_written, lines)))
        return lines

    def games(self) -> list[dict[str, Any]]:
        """The lines of the games that were played, each game's at once."""
        return self._lines(GAMES)

    def _lines(self, name: str) -> list[dict[str, Any]]:
        """A file's whole lines; a last one that was cut off is removed."""
        path = self.folder / name
        if not path.exists():
            return []
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            path.write_bytes(whole)
        return [self._line(path, place, line) for place, line in enumerate(whole.splitlines(), 1)]

    def add(self, lines: Iterable[Line], name: str = REPLIES) -> None:
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write("".join(map(_written, lines)))

    def _line(self, path: Path, place: int, line: bytes) -> dict[str, Any]:
        try:
            value = parsed(line.decode("utf-8"))
        except ValueError as error:
            fault = f"{path}, line {place}: {error}; evaluate under another --name"
            raise UserError(fault) from None
        assert isinstance(value, dict)
        return value


def _written(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def opened(
    folder: Path, settings: Mapping[str, Any], policy: str, seed: int | None, replace: bool
) -> Journal:
    """The journal of an evaluation that begins, or goes on; with its seed."""
    journal, wanted = Journal(folder), {**settings, "policy": policy}
    if (folder / SETTINGS).exists() and not replace:
        begun = journal.settings
        if seed is not None and seed != begun["seed"]:
            wanted["seed"] = seed
        if differing := [name for name in wanted if begun.get(name) != wanted[name]]:
            raise UserError(
                f"{folder} is an evaluation with another {', '.join(differing)}: give this one"
                " another --name, or replace that one with --replace"
            )
        return journal
    for name in (REPLIES, GAMES, RESULT, PAGE):
        (folder / name).unlink(missing_ok=True)
    public = seed is not None
    drawn = seed if seed is not None else secrets.randbelow(LARGEST_SEED)
    _note(folder.parent, {"policy": policy, "seed": drawn, "public": public, "name": folder.name})
    write_json(folder / SETTINGS, {**wanted, "seed": drawn, "public": public})
    return journal


def _note(home: Path, entry: Mapping[str, Any]) -> None:
    """Write into the ledger who is asked with which seed; a private seed is used once."""
    home.mkdir(parents=True, exist_ok=True)
    ledger = home / LEDGER
    entries = (
        [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []
    )
    if not entry["public"] and any(each["seed"] == entry["seed"] for each in entries):
        raise UserError(f"{ledger}: the seed {entry['seed']} was used before; run it again")
    with ledger.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
