"""Answers that are wrong and do not look it."""

from collections.abc import Sequence
from random import Random
from typing import Any

from puzzlemill.core.answers import Impossible
from puzzlemill.core.family import AnyFamily
from puzzlemill.core.proof.probes import is_wrong

TRIES = 40


def mistaken(
    family: AnyFamily, knobs: Any, puzzle: Any, gold: Any, taken: Sequence[Any], rng: Random
) -> Any:
    """A wrong answer like the first of those taken and none of them; None if none is found.

    A whole number is off by a little; anything else is slightly changed, or the answer to another
    puzzle of the family.
    """
    for _ in range(TRIES):
        said = _changed(family, knobs, puzzle, taken[0], rng)
        if said is not None and said not in taken and is_wrong(family, puzzle, gold, said):
            return said
    return None


def _changed(family: AnyFamily, knobs: Any, puzzle: Any, answer: Any, rng: Random) -> Any:
    if isinstance(answer, int) and not isinstance(answer, bool):
        step = rng.choice((1, 1, 2, 3, 4, 5, 10, abs(answer) // 10 + 1, abs(answer) // 4 + 1))
        said = answer + rng.choice((-1, 1)) * step
        return said if (said < 0) == (answer < 0) else None
    if isinstance(answer, Impossible) or rng.random() < 0.5:
        other = family.generate(rng, knobs)
        return None if other is None else family.solve(other)
    return family.kind(puzzle).near(answer, rng)
