"""Permutations of the whole numbers from 0 or 1 up."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.bracket_spans import groups, inside
from puzzlemill.core.answers.cell_rows import latex_rows
from puzzlemill.core.answers.flat_list import chained, list_ways, parted
from puzzlemill.core.answers.names import agreed, read_ints
from puzzlemill.core.answers.spelling import tidy

_DIGITS = re.compile(r"[0-9]{2,10}")


@dataclass(frozen=True, slots=True)
class Permutation:
    """Each number from `start` on once, in one-line notation: "3 1 2", "[3, 1, 2]", "312".

    What is no permutation is not read. With `cycles` round brackets hold cycles: "(1 3)(2 4)".
    """

    size: int | None = None  # how many numbers; None: as many as there are
    start: int = 1  # the smallest number
    cycles: bool = False
    chain: bool = False  # whether it is an order, so that 1 -> 3 does not say where 1 goes

    def __post_init__(self) -> None:
        if self.cycles and self.size is None:
            raise ValueError(
                "a permutation in cycles needs its size: cycles leave fixed points out"
            )

    @property
    def form(self) -> str:
        end = "n" if self.size is None else str(self.start + self.size - 1)
        return f"the numbers from {self.start} to {end}, each once, in order, separated by spaces"

    def read(self, text: str) -> tuple[int, ...] | None:
        found = agreed(self._readings(tidy(text)))
        size = self.size or (len(found) if found else 0)
        if found is None or sorted(found) != list(range(self.start, self.start + size)):
            return None
        return found

    def _readings(self, body: str) -> Iterator[tuple[int, ...] | None]:
        rows = latex_rows(body)
        if rows is not None and len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1:
            above, below = read_ints(rows[0]), read_ints(rows[1])
            yield below if above and list(above) == sorted(set(above)) else None
            return
        if self.cycles and body.startswith("("):
            yield self._from_cycles(body)
            return
        bare = inside(body) or body
        if _DIGITS.fullmatch(bare):
            yield tuple(map(int, bare))
            return
        if "-" in bare:
            yield read_ints(bare.split("-"))
        found = parted(body, "ints")
        if self.chain and set("<>") & set(body):
            found = parted(chained(body), "ints")
        if found is not None and (found.between != "\u2192" or self.chain):
            yield read_ints(found.items)

    def _from_cycles(self, body: str) -> tuple[int, ...] | None:
        assert self.size is not None
        found = groups(body.replace("()", "").strip() or f"({self.start})")
        if found is None or found[1] not in ("", ","):
            return None
        image = {number: number for number in range(self.start, self.start + self.size)}
        moved: set[int] = set()
        for piece in found[0]:
            cycle = parted(piece, "ints")
            numbers = read_ints(cycle.items) if cycle else None
            if not numbers or not image.keys() >= set(numbers) or moved & set(numbers):
                return None
            if len(set(numbers)) < len(numbers):
                return None
            moved |= set(numbers)
            image |= dict(zip(numbers, numbers[1:] + numbers[:1], strict=True))
        return tuple(image.values())

    def write(self, answer: tuple[int, ...]) -> str:
        return " ".join(map(str, answer))

    def ways(self, answer: tuple[int, ...]) -> list[str]:
        parts = [str(number) for number in answer]
        above = " & ".join(str(number) for number in sorted(answer))
        ways = [
            way
            for way in list_ways(parts)
            if (self.chain or ("->" not in way and "\\to" not in way))
            and not (self.cycles and "(" in way)
        ]
        if len(parts) > 1:
            ways.append(f"\\begin{{pmatrix}} {above} \\\\ {' & '.join(parts)} \\end{{pmatrix}}")
            if max(answer) < 10:
                ways.append("".join(parts))
        return [*ways, *([self._in_cycles(answer)] if self.cycles else [])]

    def _in_cycles(self, answer: tuple[int, ...]) -> str:
        written, seen = "", set()
        for number in sorted(answer):
            cycle = []
            while number not in seen:
                seen.add(number)
                cycle.append(str(number))
                number = answer[number - self.start]
            written += f"({' '.join(cycle)})" if len(cycle) > 1 else ""
        return written or f"({self.start})"

    def near(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        """Two numbers swapped."""
        changed = list(answer)
        if len(changed) > 1:
            here, there = rng.sample(range(len(changed)), 2)
            changed[here], changed[there] = changed[there], changed[here]
        return tuple(changed)

    def guess(self, answer: tuple[int, ...], rng: Random) -> tuple[int, ...]:
        return tuple(rng.sample(answer, len(answer)))
