"""Right answers in the first lines of a reply, and the form in which lines are compared."""

import re
from functools import lru_cache
from typing import Any

from puzzlemill.core.answers import Impossible
from puzzlemill.core.family import AnyFamily, Lines, Style

_SIGNS = str.maketrans({"\u2212": "-", "\u00d7": "*", "\u00b7": "*", "\u00f7": "/"})
_AROUND = re.compile(r"\s*([=+\-*/^:;,()|<>])\s*")
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=8192)
def plain(line: str) -> str:
    """A line without the differences that mean nothing: letter case, spaces, other signs."""
    text = _AROUND.sub(r"\1", line.translate(_SIGNS).casefold())
    return _SPACE.sub(" ", text).strip(" .")


def is_answered(
    family: AnyFamily, puzzle: Any, lines: Lines, steps: frozenset[str] = frozenset()
) -> bool:
    """Whether the last lines are a right answer, and no other line, but for steps that look like
    one, is another answer."""
    height = _height(family, puzzle)
    text = "\n".join(lines[-height:])
    if not lines or not _is_right(family, puzzle, text):
        return False
    if height > 1:
        return True
    kind: Any = family.kind(puzzle)
    telling = {lines[-1], *(line for line in lines if plain(line) not in steps)}
    answers = {said for line in telling if (said := stated_answer(kind, line)) is not None}
    return len(answers) == 1


@lru_cache(maxsize=1024)
def gold(family: AnyFamily, puzzle: Any) -> Any:
    return family.solve(puzzle)


def has_none(family: AnyFamily, puzzle: Any) -> bool:
    """Whether it is impossible, so that nothing but saying so leads on."""
    return isinstance(gold(family, puzzle), Impossible)


@lru_cache(maxsize=64)
def _height(family: AnyFamily, puzzle: Any) -> int:
    """Lines of the answer."""
    return family.written(puzzle, gold(family, puzzle)).count("\n") + 1


@lru_cache(maxsize=1024)
def _is_right(family: AnyFamily, puzzle: Any, text: str) -> bool:
    answer = family.kind(puzzle).read(text)
    return answer is not None and family.verify(puzzle, answer) == 1


@lru_cache(maxsize=8192)
def stated_answer(kind: Any, line: str) -> Any:
    """The answer on a line that says no more: an equation that ends in it says more."""
    answer = kind.read(line)
    if answer is None or ("=" not in line and ":" not in line):
        return answer
    return answer if plain(kind.write(answer)) == plain(line) else None


@lru_cache(maxsize=64)
def prompt_lines(family: AnyFamily, puzzle: Any) -> tuple[str, ...]:
    return tuple(family.render(puzzle, Style()).text.splitlines())


@lru_cache(maxsize=64)
def worked_lines(family: AnyFamily, puzzle: Any) -> tuple[str, ...]:
    """The worked solution, if there is one."""
    return tuple(family.steps(puzzle)) if family.steps else ()
