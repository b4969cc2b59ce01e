"""Boards: rectangles of characters."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core.answers.bullets import unmarked
from puzzlemill.core.answers.cell_rows import MOST
from puzzlemill.core.answers.form import layers
from puzzlemill.core.answers.spelling import untitled
from puzzlemill.core.answers.wrappers import seen

Rows = tuple[str, ...]

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_WIDE = {0xFF01 + step: chr(0x21 + step) for step in range(94)}
_BARS = dict.fromkeys(map(ord, "\u2502\u2503\u2551"), "|")
_MATRIX = re.compile(
    r"\\(?:begin|end) ?\{\w{0,8}(?:matrix|array)\*?\} ?(?:\{[lcr|]{1,200}\})?", re.ASCII
)
_ESCAPED = re.compile(r"\\([#$%&_{}])")
_STRING = re.compile(r"\"([^\"\\\n]*)\"|'([^'\\\n]*)'")
_ROW = re.compile(r"\[([^\[\]]*)\]")
_RULE = re.compile("[-+=| \u2500-\u257f]+")
_DIVIDER = re.compile(r"\|(?: *:?-{3,}:? *\|)+")


@dataclass(frozen=True, slots=True)
class Board:
    """Rows of cells, each one of a few signs: lines of signs, with or without spaces, or JSON."""

    symbols: str
    form: str = "the rows of the board, one line each, without spaces between the cells"

    def __post_init__(self) -> None:
        if len(set(self.symbols)) < 2 or any(symbol.isspace() for symbol in self.symbols):
            raise ValueError(
                f"a board's symbols are two signs or more, no spaces: {self.symbols!r}"
            )

    def read(self, text: str) -> Rows | None:
        """The first layer of the text that is a board. A full stop may be a cell, so that it is
        taken off only where the rows do not make a rectangle with it."""
        text = untitled(seen(text).strip())
        hashes, stops = text.count("#"), text.count(".")
        for layer in layers(text):
            if "#" in self.symbols and layer.count("#") < hashes:
                return None  # cells were taken for the mark of a heading
            for candidate in (layer, layer.removesuffix("."), untitled(layer)):
                kept = "." not in self.symbols or candidate.count(".") >= stops - 1
                if kept and (rows := self._rows(candidate)):
                    return rows
        return None

    def _rows(self, text: str) -> Rows | None:
        text = self._spelled(text)
        if text.startswith("[") and "[" not in self.symbols:
            rows = self._json_rows(text)
        else:
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            if not set(self.symbols) & set("0123456789-*"):
                lines = unmarked(lines)
            table = _table(lines) if "|" in self.symbols else None
            rows = [self._cells(line) for line in lines if not self._is_rule(line)]
            if table:
                rows = [self._run(row) for row in table]
        found = tuple(row for row in rows or () if row)
        if not rows or len(found) < len(rows) or len({len(row) for row in found}) > 1:
            return None
        return found if len(found) * len(found[0]) <= MOST else None

    def _spelled(self, text: str) -> str:
        """The text in the board's own signs: other dashes, wide characters, LaTeX's escapes."""
        text = text.translate(_own_signs(self.symbols))
        if "\\" not in self.symbols:
            text = _ESCAPED.sub(r"\1", _MATRIX.sub("", text.replace("\\\\", "\n")))
            text = text.replace("\\displaystyle", "")
        return text.strip()

    def _is_rule(self, line: str) -> bool:
        return bool(_RULE.fullmatch(line)) and not set(line) & set(self.symbols)

    def _cells(self, line: str) -> str | None:
        """The cells of a line: run together, or parted by spaces, bars or commas, all alike."""
        if "|" not in self.symbols:
            line = line.removeprefix("|").removesuffix("|").strip()
        for sign in "|&,":
            if sign not in self.symbols and sign in line:
                return self._run(line.removesuffix(",").split(sign))
        return self._run(line.split())

    def _run(self, parts: list[str]) -> str | None:
        cells = [part.strip() for part in parts]
        if len(cells) > 1 and any(len(cell) != 1 for cell in cells):
            return None
        run = "".join(cells)
        if self.symbols.upper() == self.symbols:
            run = run.upper()
        elif self.symbols.lower() == self.symbols:
            run = run.lower()
        return run if set(run) <= set(self.symbols) else None

    def _json_rows(self, text: str) -> list[str | None] | None:
        """A list of strings, or of lists of one-sign strings, with or without quotes."""
        body = text.removeprefix("[").removesuffix("]")
        if len(body) != len(text) - 2:
            return None
        if "[" in body:
            if _ROW.sub("", body).strip(" ,\n\t"):
                return None
            return [
                self._run([_unquoted(cell) for cell in row.removesuffix(",").split(",")])
                for row in _ROW.findall(body)
            ]
        if _STRING.sub("", body).strip(" ,\n\t"):
            return None
        return [self._run((one or other).split()) for one, other in _STRING.findall(body)]

    def write(self, answer: Rows) -> str:
        return "\n".join(answer)

    def ways(self, answer: Rows) -> list[str]:
        spaced = "\n".join(" ".join(row) for row in answer)
        ways = [
            spaced,
            f"```\n{spaced}\n```",
            json.dumps(answer, ensure_ascii=False),
            json.dumps([list(row) for row in answer], ensure_ascii=False),
            "[\n" + ",\n".join(f'  "{row}"' for row in answer) + "\n]",
        ]
        if '"' in self.symbols or "\\" in self.symbols or "[" in self.symbols:
            del ways[2:]
        if "|" not in self.symbols:
            ways.append("\n".join("|" + "|".join(row) + "|" for row in answer))
            ways.append("\n".join("| " + " | ".join(row) + " |" for row in answer))
        elif len(answer[0]) > 1:
            table = ["| " + " | ".join(row) + " |" for row in answer]
            ways.append("\n".join([table[0], "|---" * len(answer[0]) + "|", *table[1:]]))
        if "," not in self.symbols:
            ways.append("\n".join(",".join(row) for row in answer))
        return ways

    def near(self, answer: Rows, rng: Random) -> Rows:
        row, column = rng.randrange(len(answer)), rng.randrange(len(answer[0]))
        line = answer[row]
        other = rng.choice([symbol for symbol in self.symbols if symbol != line[column]])
        return (*answer[:row], line[:column] + other + line[column + 1 :], *answer[row + 1 :])

    def guess(self, answer: Rows, rng: Random) -> Rows:
        return tuple("".join(rng.choice(self.symbols) for _ in row) for row in answer)


@lru_cache(maxsize=500)
def _own_signs(symbols: str) -> dict[int, str]:
    odd = {**_DASHES, **_WIDE, **_BARS}
    return {code: sign for code, sign in odd.items() if chr(code) not in symbols}


def _table(lines: list[str]) -> list[list[str]] | None:
    """The cells of a table of which some are bars: every other sign of a line is a bar."""
    rows = [line.replace("\\|", "|") for line in lines if not _DIVIDER.fullmatch(line)]
    rows = [row.replace(" ", "") for row in rows]
    if any(len(row) < 5 or len(row) % 2 == 0 or set(row[::2]) != {"|"} for row in rows):
        return None
    return [list(row[1::2]) for row in rows]


def _unquoted(cell: str) -> str:
    cell = cell.strip()
    return cell[1:-1] if len(cell) == 3 and cell[0] == cell[2] and cell[0] in "\"'" else cell
