"""Chain: the answer to one problem is a number of the next, across families; two to four of them.

Each link names the number that it needs by the answer before it, plus or minus what makes it fit.
`solve` works from the first problem to the last; `verify` knows the number that each link was made
with, asks each family's verifier whether it is the answer, and then judges the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.family import PHRASINGS, AnyFamily, Prompt, Start, Style, parts
from puzzlemill.core.inputs import Input, exchangeable, exchanged, prompt_with
from puzzlemill.core.variants import Operator, around, letters, pack, share_of

# What answers are fed from: they answer with one whole number, and name inputs. Part of the
# version: another list makes other items.
FEEDERS = (
    *("ages", "bounded_solutions", "coin_problem", "committee", "factorial_zeros", "gcd"),
    *("inclusion_exclusion", "inventory", "lattice_paths", "lcm", "modular_arithmetic"),
    *("modular_power", "recurrence", "totient", "word_problem"),
)
LARGEST = 100_000  # answer that is fed on
TRIES = 100

Step = tuple[str, tuple[Any, ...], str, tuple[int, ...], int]  # family, puzzle, field, way, value
ORDINALS = ("First problem.", "Second problem.", "Third problem.", "Fourth problem.")


@dataclass(frozen=True, slots=True)
class Link:
    family: AnyFamily
    puzzle: Any
    place: Input | None  # that is fed from the answer before; none in the first


@dataclass(frozen=True, slots=True)
class Chain:
    parent: tuple[Any, ...]
    feeders: tuple[Step, ...]  # the first has no place to be fed
    field: str
    way: tuple[int, ...]
    value: int
    phrasing: int


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Chain | None:
    puzzle = start.puzzle
    phrasing, level = rng.randrange(PHRASINGS), share_of(parent.ladder, knobs)
    place = exchangeable(parent, puzzle, Style(phrasing), rng)
    if place is None:
        return None
    feeders = []
    for step in range(1 + (level > 0.4) + (level > 0.8)):
        fed = _feeder(rng, level, phrasing, step > 0, start)
        if fed is None:
            return None
        feeders.append(fed)
    return Chain(pack(puzzle), tuple(feeders), place.field, place.way, place.value, phrasing)


def solve(parent: AnyFamily, chain: Chain) -> Any:
    made = links(parent, chain)
    answer: Any = None
    for link, shift in zip(made, _shifts(made), strict=True):
        puzzle = link.puzzle
        if link.place:
            puzzle = exchanged(puzzle, link.place, answer + shift)
        answer = link.family.solve(puzzle)
    return answer


def verify(parent: AnyFamily, chain: Chain, answer: Any) -> float:
    made = links(parent, chain)
    for link, fed, shift in zip(made, made[1:], _shifts(made)[1:]):
        assert fed.place, "every problem but the first is fed"
        if link.family.verify(link.puzzle, fed.place.value - shift) < 1:
            return 0.0
    return parent.verify(made[-1].puzzle, answer)


def render(parent: AnyFamily, chain: Chain, style: Style) -> Prompt:
    made, inner = links(parent, chain), Style(chain.phrasing)
    texts = [link.family.render(link.puzzle, inner).text for link in made]
    free = iter(letters(texts, 2 * len(made)))
    before, said = "", list[str]()
    for step, (link, shift) in enumerate(zip(made, _shifts(made), strict=True)):
        asked = link.family.render(link.puzzle, inner)
        said.append(style.pick(f"Problem {step + 1}.", f"({step + 1})", ORDINALS[step]))
        if link.place:
            letter = next(free)
            fed = prompt_with(link.family, link.puzzle, link.place, letter, inner)
            assert fed, f"{link.family.name}: {link.place} is not told as it is"
            asked = fed
            said[-1] += f" Let {letter} = {_sum(before, shift)}."
        said[-1] += f"\n{asked.question}"
        if step < len(made) - 1:
            before = next(free)
            said[-1] += "\n" + style.pick(
                f"Call its answer, {asked.form}, {before}.",
                f"The answer, {asked.form}, is {before}.",
                f"Let {before} be the answer ({asked.form}).",
            )
    opening = style.pick(
        "Each of these problems names the answer to the one before it. Give the answer to the"
        " last.",
        "Solve the problems in turn; only the answer to the last one is asked for.",
        "Work through the problems below. Your answer is that of the last one.",
    )
    return Prompt("\n\n".join([opening, *said]), asked.form, asked.images)


def recheck(parent: AnyFamily, chain: Chain, answer: Any) -> bool:
    assert parent.recheck, f"{parent.name} has no recheck"
    return parent.recheck(parent.puzzle(*chain.parent), answer)


def further(parent: AnyFamily, chain: Chain) -> list[tuple[AnyFamily, Any]]:
    return [part for link in links(parent, chain)[:-1] for part in parts(link.family, link.puzzle)]


def of(parent: AnyFamily) -> AnyFamily:
    return around(
        parent,
        Chain,
        partial(vary, parent),
        partial(render, parent),
        partial(further, parent),
        solve=partial(solve, parent),
        verify=partial(verify, parent),
        recheck=parent.recheck and partial(recheck, parent),
        steps=None,
        canon=None,
        version=1 + sum(registry.family(name).version - 1 for name in FEEDERS),
    )


def links(parent: AnyFamily, chain: Chain) -> list[Link]:
    """From the first problem to the last."""
    found = [
        Link(family, family.puzzle(*packed), Input(field, way, number) if step else None)
        for step, (name, packed, field, way, number) in enumerate(chain.feeders)
        for family in (registry.family(name),)
    ]
    place = Input(chain.field, chain.way, chain.value)
    return [*found, Link(parent, parent.puzzle(*chain.parent), place)]


def _shifts(made: Sequence[Link]) -> list[int]:
    """What is added to each answer to give the number that the next problem needs."""
    wanted = [link.place.value for link in made if link.place]
    golds: list[Any] = [link.family.solve(link.puzzle) for link in made[:-1]]
    return [0, *(number - gold for number, gold in zip(wanted, golds, strict=True))]


def _sum(letter: str, shift: int) -> str:
    return letter if not shift else f"{letter} {'+' if shift > 0 else '-'} {abs(shift)}"


def _feeder(rng: Random, level: float, phrasing: int, fed: bool, start: Start) -> Step | None:
    """A problem whose answer is a whole number of modest size."""
    for _ in range(TRIES):
        family = registry.family(rng.choice(FEEDERS))
        puzzle = family.generate(rng, family.at(round(level, 2)))
        if puzzle is None or not start.fits(family, puzzle):
            continue
        place = exchangeable(family, puzzle, Style(phrasing), rng)
        answer = family.solve(puzzle)
        if place and answer is not None and abs(answer) <= LARGEST:
            where = (place.field, place.way, place.value) if fed else ("", (), 0)
            return family.name, pack(puzzle), *where
    return None


OPERATOR = Operator(of, lambda family: "" if family.inputs else "names no `inputs`")
