"""Sequences of moves from a fixed alphabet."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.flat_list import MOST, empty_ways, parted
from puzzlemill.core.answers.names import bare, complete
from puzzlemill.core.answers.spelling import says_nothing, tidy

WORDS = (
    ("up", "U"), ("down", "D"), ("left", "L"), ("right", "R"),
    ("\u2191", "U"), ("\u2193", "D"), ("\u2190", "L"), ("\u2192", "R"),
    ("north", "N"), ("south", "S"), ("east", "E"), ("west", "W"),
)  # fmt: skip

_ARROWS = re.compile("[\u2190\u2191\u2192\u2193][\u2190\u2191\u2192\u2193 ,;\n]*")
_FILLER = re.compile(r"(?:(?:then|and) )?(?:(?:move|go|step|slide) )?", re.IGNORECASE)
_PRAISE = re.compile(
    r"(?:answer|solution|result|it|this|that)(?: is|['\u2019]s) right\b", re.IGNORECASE
)  # or a move
_FILLERS = frozenset({"move", "go", "step", "slide"})
_SPELLINGS = tuple(
    (re.compile(pattern), sign)
    for pattern, sign in (
        (r"\^ ?\{ ?(?:\\prime ?|'|-1 ?)\}|\^ ?\\prime(?![A-Za-z])|\u207b\u00b9|`", "'"),
        (r"\^ ?\{ ?2 ?\}|\^ ?2(?![0-9])", "2"),
        (r"\\uparrow(?![A-Za-z])|\u2b06", "\u2191"),
        (r"\\downarrow(?![A-Za-z])|\u2b07", "\u2193"),
        (r"\\leftarrow(?![A-Za-z])|\u2b05", "\u2190"),
        ("\u27a1", "\u2192"),
    )
)


@dataclass(frozen=True, slots=True)
class Moves:
    """Moves in order: "U D L R", "UDLR", "up, down", "U -> D", one a line.

    A run without spaces is cut into the longest moves: "R2U'" is R2 and U'.
    """

    moves: tuple[str, ...] = ("U", "D", "L", "R")
    words: tuple[tuple[str, str], ...] = WORDS  # other spellings, in lower case, and their moves
    empty: bool = False  # whether there may be no moves

    @property
    def form(self) -> str:
        return f"the moves in order, each one of {', '.join(self.moves)}, separated by spaces"

    def read(self, text: str) -> tuple[str, ...] | None:
        if self.empty and says_nothing(text):
            return ()
        if _PRAISE.search(text):
            return None
        body = tidy(text)
        for pattern, sign in _SPELLINGS:
            body = pattern.sub(sign, body)
        if body.startswith("'") and body.endswith("'"):  # quotes: no move begins with a prime
            body = body[1:-1]
        spellings = self._spellings()
        if _ARROWS.fullmatch(body) and "\u2192" in spellings:
            return complete([spellings.get(sign) for sign in body if sign not in " ,;\n"])
        found = parted(body, "words")
        if found is None:
            return None
        if found.between not in (" ", ""):  # a run beside another may be another answer
            return complete([spellings.get(_key(part, spellings)) for part in found.items])
        tokens = [bare(part) for part in found.items if part.lower() not in _FILLERS]
        runs = complete([self._run(token, spellings) for token in tokens])
        moves = tuple(move for run in runs or () for move in run)
        return moves if moves and len(moves) <= MOST else None

    def _run(self, token: str, spellings: dict[str, str]) -> list[str] | None:
        """A run of moves without spaces; None for what is no run, or also a word."""
        word = spellings.get(_key(token, spellings))
        found, place = [], 0
        longest = max(map(len, self.moves))
        while place < len(token):
            for size in range(longest, 0, -1):
                sign = token[place : place + size]
                move = spellings.get(sign) or spellings.get(sign.lower())
                if len(sign) == size and move and len(move) == size:
                    found.append(move)
                    place += size
                    break
            else:
                return [word] if word else None
        return found if word in (None, *found[:1]) else None

    def _spellings(self) -> dict[str, str]:
        """Every spelling of every move; in lower case where no two moves differ by case alone."""
        cases = Counter(move.lower() for move in self.moves)
        found = {word: move for word, move in self.words if move in self.moves}
        found |= {move.lower(): move for move in self.moves if cases[move.lower()] == 1}
        return found | {move: move for move in self.moves}

    def write(self, answer: tuple[str, ...]) -> str:
        return " ".join(answer) or "none"

    def ways(self, answer: tuple[str, ...]) -> list[str]:
        if not answer:
            return empty_ways()
        run, words = "".join(answer), {move: word for word, move in reversed(self.words)}
        ways = [
            ", ".join(answer),
            ",".join(answer),
            f"[{', '.join(answer)}]",
            json.dumps(list(answer), ensure_ascii=False),
            " -> ".join(answer),
            "\n".join(answer),
            f"Moves: {' '.join(answer)}",
        ]
        if self._run(run, self._spellings()) == list(answer):
            ways.append(run)
        if words.keys() >= set(answer):
            ways += [", ".join(words[move] for move in answer)]
            ways += [" ".join(words[move].title() for move in answer)]
        if "'" in run:
            ways += [" ".join(answer).replace("'", sign) for sign in ("\u2019", "\u2032", "^{-1}")]
        if len(answer) > 1:
            ways += [f"{', '.join(answer[:-1])} and {answer[-1]}", ", then ".join(answer)]
            ways += ["\n".join(f"{count}. {move}" for count, move in enumerate(answer, 1))]
            ways += ["\n".join(f"- {move}" for move in answer)]
        return ways

    def near(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        if not answer:
            return (rng.choice(self.moves),)
        changed, place = list(answer), rng.randrange(len(answer))
        match rng.randrange(4):
            case 0 if len(changed) > 1:
                del changed[place]
            case 1:
                changed.insert(place, rng.choice(self.moves))
            case 2 if changed[place - 1] != changed[place]:
                changed[place - 1], changed[place] = changed[place], changed[place - 1]
            case _:
                changed[place] = rng.choice([it for it in self.moves if it != answer[place]])
        return tuple(changed)

    def guess(self, answer: tuple[str, ...], rng: Random) -> tuple[str, ...]:
        return tuple(rng.choice(self.moves) for _ in answer)


def _key(part: str, known: Iterable[str]) -> str:
    """A part as it is known: "Move up" as "up"."""
    text = _FILLER.sub("", bare(part), count=1)
    return text if text in known else text.lower()
