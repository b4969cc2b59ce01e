"""Rectangles of whole numbers: boards, matrices."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.whole import read_whole

MOST = 10_000  # cells

Rows = tuple[tuple[int, ...], ...]

_ROW = re.compile(r"\[([^\[\]]*)\]")
_LATEX = re.compile(r"\\(?:begin|end)\{[a-z]*matrix\}")


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of whole numbers: lines of numbers, a JSON list of lists, or a LaTeX matrix.

    Where every cell is one digit, a line may also leave out the spaces.
    """

    form: str = "the rows of a grid, one line each"
    digits: bool = False

    def read(self, text: str) -> Rows | None:
        text = _LATEX.sub("\n", plain(text)).replace("\\\\", "\n").replace("&", " ").strip()
        if text.startswith("[") and text.endswith("]"):
            inner = text[1:-1]
            lines = _ROW.findall(inner) if "[" in inner else [inner]
            if _ROW.sub("", inner).strip(" ,\n\t") and "[" in inner:
                return None
        else:
            lines = [line for line in text.split("\n") if line.strip(" -+|")]
        rows = [self._row(line) for line in lines]
        if not rows or any(row is None or len(row) != len(rows[0] or ()) for row in rows):
            return None
        if not rows[0] or len(rows) * len(rows[0]) > MOST:
            return None
        return tuple(row for row in rows if row is not None)

    def _row(self, line: str) -> tuple[int, ...] | None:
        cells = re.sub(r"[,|\[\]()]+", " ", line).split()
        if self.digits and len(cells) == 1 and re.fullmatch(r"\d+", cells[0], re.ASCII):
            cells = list(cells[0])
        values = [read_whole(cell) for cell in cells]
        return None if None in values else tuple(value for value in values if value is not None)

    def write(self, answer: Rows) -> str:
        return "\n".join(" ".join(map(str, row)) for row in answer)

    def near(self, answer: Rows, rng: Random) -> Rows:
        row = rng.randrange(len(answer))
        column = rng.randrange(len(answer[0]))
        pool = sorted({value for line in answer for value in line} - {answer[row][column]})
        changed = [list(line) for line in answer]
        changed[row][column] = rng.choice(pool) if pool else changed[row][column] + 1
        return tuple(map(tuple, changed))

    def guess(self, answer: Rows, rng: Random) -> Rows:
        pool = sorted({value for line in answer for value in line})
        return tuple(tuple(rng.choice(pool) for _ in line) for line in answer)
