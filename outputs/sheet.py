"""A sheet: puzzles for people, one or more a page, with the answers at the end, as HTML or PDF."""

import os
import re
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.drawings import drawing_of
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import Item
from puzzlemill.core.storage.files import whole
from puzzlemill.outputs.listing import items_of
from puzzlemill.outputs.templates import fill
from puzzlemill.outputs.viewer.typeset import typeset

SUFFIXES = (".html", ".pdf")
PATIENCE = 120  # seconds for Chromium
ONE_WORDING = {"phrasings": [0]}  # people read the rules once
_SHOWN = ("picture", "fixed")  # pieces that are the puzzle itself
_TAGS = re.compile(r",? between <answer> and </answer>")  # how a policy answers; people write


def write_puzzles(
    families: Sequence[str], level: float, seed: int, count: int, file: Path, per_page: int = 1
) -> None:
    """So many puzzles of each family; the file's suffix says in which format."""
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(f"{file}: a sheet is HTML or PDF; name it {file.with_suffix('.html')}")
    if not file.parent.is_dir():
        raise UserError(f"{file.parent}: there is no such folder to write {file.name} to")
    browser = _browser() if suffix == ".pdf" else ""
    items = [item for name in families for item in items_of(name, level, seed, count, ONE_WORDING)]
    puzzles = [_puzzle(item) for item in items]
    if per_page > 1:
        _leave_out_repetitions(puzzles)
    pages = [puzzles[first : first + per_page] for first in range(0, len(puzzles), per_page)]
    page = fill("sheet.jinja", puzzles=puzzles, pages=pages, per_page=per_page)
    with whole(file) as beside:
        if browser:
            _print(browser, page, beside)
        else:
            beside.write_text(page, encoding="utf-8")


def _leave_out_repetitions(puzzles: Sequence[dict[str, Any]]) -> None:
    """What the first puzzle of a family says in words, the others do not say again."""
    said: dict[str, set[str]] = {}
    for puzzle in puzzles:
        before = said.get(puzzle["family"], set())
        words = {piece["text"] for piece in puzzle["pieces"] if piece["kind"] not in _SHOWN}
        puzzle["pieces"] = [piece for piece in puzzle["pieces"] if piece["text"] not in before]
        said.setdefault(puzzle["family"], words)


def _puzzle(item: Item) -> dict[str, Any]:
    prompt = _TAGS.sub("", item.prompt)
    return {
        "family": item.family,
        "drawing": drawing_of(registry.family(item.family), item.puzzle),
        "pieces": list(typeset([{"role": "user", "content": prompt}])),
        "pictures": [f"data:image/png;base64,{b64encode(each).decode()}" for each in item.images],
        "answer": item.answer,
    }


def _browser() -> str:
    browser = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if browser is None:
        raise UserError(
            "a PDF is printed by Chromium, which is not found: install it, set CHROMIUM to its"
            " path, or write a sheet with the suffix .html and print that"
        )
    return browser


def _print(browser: str, page: str, file: Path) -> None:
    with TemporaryDirectory() as folder:
        source, printed = Path(folder, "sheet.html"), Path(folder, "sheet.pdf")
        source.write_text(page, encoding="utf-8")
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
        command = [browser, *options, f"--print-to-pdf={printed}", source.as_uri()]
        with suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        if not printed.is_file():
            raise UserError(f"{browser} printed no PDF; write a sheet with the suffix .html")
        file.write_bytes(printed.read_bytes())
