"""Lists of claims of which at most one is false: what their families share.

An answer names the false claim and values that break it, or says that it is impossible: so a guess
must hit the claim and a counterexample to it, and "true" alone is seldom right.
"""

from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import TypeAlias, TypeVar

from puzzlemill.core import answers
from puzzlemill.core.answers.unknowns import Values
from puzzlemill.core.family import Prompt, Style
from puzzlemill.core.fraction import Fraction

Answer: TypeAlias = Values | answers.Impossible
T = TypeVar("T")

KIND = answers.OrImpossible(answers.Unknowns(numbered="claim"))


def mixed(
    rng: Random,
    count: int,
    true: Callable[[], T | None],
    false: Callable[[], T | None],
    kernel: Callable[[T], Hashable],
) -> tuple[T, ...] | None:
    """So many different claims; one of them is false, but for one list in count + 1.

    Claims with the same kernel say the same, or one follows from the other. There is one of them
    in a list: where two stood side by side, at most one false claim would mean that both are true.
    """
    broken = rng.randint(0, count)
    found: list[T] = []
    kernels = set[Hashable]()
    for place in range(count):
        make = false if place == broken else true
        for _ in range(40):
            claim = make()
            if claim is not None and kernel(claim) not in kernels:
                found.append(claim)
                kernels.add(kernel(claim))
                break
        else:
            return None
    return tuple(found)


def broken(
    claims: Sequence[T], counterexample: Callable[[T], dict[str, int] | None]
) -> Answer | None:
    """The answer to a list; None where more than one claim is false."""
    found: Answer = answers.IMPOSSIBLE
    for place, claim in enumerate(claims, 1):
        values = counterexample(claim)
        if values is None:
            continue
        if found is not answers.IMPOSSIBLE:
            return None
        told = {name: Fraction(value) for name, value in values.items()}
        found = tuple(sorted((told | {"claim": Fraction(place)}).items()))
    return found


def read(answer: Values, count: int, most: int) -> tuple[int, dict[str, int]] | None:
    """The place of the claim, from 0, and the whole values; None where it is nothing like that."""
    values = dict(answer)
    claim = values.pop("claim", None)
    if claim is None or claim.denominator > 1 or not 1 <= claim <= count:
        return None
    if any(value.denominator > 1 or abs(value) > most for value in values.values()):
        return None
    return int(claim) - 1, {name: int(value) for name, value in values.items()}


def asked(
    style: Style, opening: str, claims: Sequence[str], example: str, closing: str = ""
) -> Prompt:
    """The list with its question; the example shows how a counterexample is written."""
    listed = "\n".join(f"Claim {place}: {claim}" for place, claim in enumerate(claims, 1))
    question = style.pick(
        f"{opening} At most one of the following claims is false; all others are true.\n\n{listed}"
        "\n\nFind the false claim and a counterexample to it. If all claims are true, a"
        " counterexample is impossible.",
        f"{opening} Which of these claims fails?\n\n{listed}\n\nNo more than one of them is false."
        " Name it, with values that break it; if there is no false claim, no such values exist and"
        ' the answer is "impossible".',
        f"{opening} Somebody makes these claims:\n\n{listed}\n\nEither all of them are true, or"
        " exactly one is false. In the second case give the number of the false claim and a"
        " counterexample; in the first case a counterexample is impossible.",
    )
    if closing:
        question += f"\n\n{closing}"
    return Prompt(
        question,
        form=f"the false claim's number and the values of a counterexample, written as {example},"
        ' or with the word "impossible" if every claim is true',
    )
