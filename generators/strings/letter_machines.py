"""Letter machines: bags of blocks that rules split, or put together, until no rule applies.

In each step the first rule that can be applied is applied. `solve` does step after step; `verify`
works out how often a rule comes in a row and does that at one stroke.
"""

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed

Counts: TypeAlias = tuple[int, ...]
Rule: TypeAlias = tuple[Counts, Counts]  # what is taken away, what is put in

MOST = 400  # steps
NAMES = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of blocks
    rules: int  # in their order
    most: int  # blocks of a kind at the start
    joins: float  # how often blocks are put together, rather than split


@dataclass(frozen=True, slots=True)
class Workshop:
    blocks: Counts
    rules: tuple[Rule, ...]
    joins: bool


def generate(rng: Random, knobs: Knobs) -> Workshop | None:
    joins = rng.random() < knobs.joins
    # Kinds are ordered by size: splitting goes down and joining up, so that both come to an end.
    rules: dict[Counts, Counts] = {}
    for _ in range(4 * knobs.rules):
        taken, put = _rule(rng, knobs.kinds)
        if joins:
            taken, put = put, taken
        rules.setdefault(taken, put)
        if len(rules) == knobs.rules:
            break
    blocks = tuple(rng.randint(0, knobs.most) for _ in range(knobs.kinds))
    shop = Workshop(blocks, tuple(rules.items()), joins)
    runs = _runs(shop)
    if len(rules) < knobs.rules or runs is None or len(runs) < knobs.rules - 1:
        return None
    return shop if 3 <= sum(times for _, times, _ in runs) <= MOST else None


def solve(shop: Workshop) -> Counts | None:
    blocks = list(shop.blocks)
    for _ in range(MOST + 1):
        for taken, put in shop.rules:
            if all(there >= need for there, need in zip(blocks, taken, strict=True)):
                for kind, (less, more) in enumerate(zip(taken, put, strict=True)):
                    blocks[kind] += more - less
                break
        else:
            return tuple(blocks)
    return None


def verify(shop: Workshop, blocks: Counts) -> float:
    runs = _runs(shop)
    end = runs[-1][2] if runs else shop.blocks
    return float(runs is not None and blocks == end)


def render(shop: Workshop, style: Style) -> Prompt:
    names = NAMES[: len(shop.blocks)]
    start = ", ".join(f"{count} {name}" for count, name in zip(shop.blocks, names, strict=True))
    rules = "\n".join(
        f"{number}. {_told(taken)} -> {_told(put)}"
        for number, (taken, put) in enumerate(shop.rules, 1)
    )
    machine = "puts blocks together" if shop.joins else "takes blocks apart"
    return Prompt(
        style.pick(
            f"A machine {machine}. It begins with {start}, and has these rules:\n{rules}\n\nA rule"
            " takes the blocks on its left away and puts those on its right in; it can be applied"
            " when all the blocks on its left are there. At each step the machine applies, once,"
            " the"
            " first rule in the list that can be applied, and then starts again with rule 1. It"
            " stops when none can be. How many blocks of each kind are there then?",
            f"There is a box with {start}.\n\nRules, the most important first:\n{rules}\n\nAs long"
            " as possible, use one rule: of those for which the box holds everything to the left of"
            " the arrow, the one that comes first in the list. What is to the left of the arrow"
            " leaves the box, what is to the right is added. After each use all the rules are"
            " looked at anew, from the first one. What is in the box at the end?",
            f"{rules}\n\nEach line tells what can be exchanged for what. You own {start}. Go down"
            " the lines from the top, make the first exchange that you can afford, once, and go"
            " back"
            " to the top; go on until you can afford none. Count what you own then.",
        ),
        form=f"the {len(names)} final counts in this order: {', '.join(names)}",
    )


def steps(shop: Workshop) -> list[str]:
    lines = []
    for number, times, blocks in _runs(shop) or ():
        counts = ", ".join(f"{count} {name}" for count, name in zip(blocks, NAMES))
        lines.append(f"rule {number}, {times} time{'s' * (times > 1)}: {counts}")
    return lines


def progress(shop: Workshop, lines: Lines) -> float:
    return states_followed(FAMILY, shop, lines)


def hardness(shop: Workshop) -> float:
    """Times that another rule comes to be used, and rules."""
    runs = _runs(shop) or []
    return len(runs) * len(shop.blocks) + 2 * len(shop.rules)


def _rule(rng: Random, kinds: int) -> Rule:
    """A block or two, and the two to four smaller ones into which they can be split."""
    big = rng.randrange(kinds - 1)
    taken, put = [0] * kinds, [0] * kinds
    taken[big] = rng.choice([1, 1, 1, 2])
    if rng.random() < 0.4:
        taken[rng.randrange(kinds)] += 1
    for _ in range(sum(taken) + rng.randint(1, 2)):
        put[rng.randrange(big + 1, kinds)] += 1
    return tuple(taken), tuple(put)


@lru_cache(maxsize=2)
def _runs(shop: Workshop) -> list[tuple[int, int, Counts]] | None:
    """Number of the rule, how often it comes in a row, and what is there afterwards."""
    blocks, runs = shop.blocks, list[tuple[int, int, Counts]]()
    for _ in range(MOST + 1):
        ready = [_uses(blocks, taken) for taken, _ in shop.rules]
        rule = next((number for number, uses in enumerate(ready) if uses), None)
        if rule is None:
            return runs
        taken, put = shop.rules[rule]
        change = tuple(more - less for less, more in zip(taken, put, strict=True))
        times = min(
            [
                1 + (there - need) // -step
                for there, need, step in zip(blocks, taken, change, strict=True)
                if step < 0
            ]
            + [_until(blocks, change, earlier) for earlier, _ in shop.rules[:rule]]
        )
        if times > MOST:
            return None
        blocks = tuple(there + times * step for there, step in zip(blocks, change, strict=True))
        if runs and runs[-1][0] == rule + 1:
            times += runs.pop()[1]
        runs.append((rule + 1, times, blocks))
    return None


def _uses(blocks: Counts, taken: Counts) -> bool:
    return all(there >= need for there, need in zip(blocks, taken, strict=True))


def _until(blocks: Counts, change: Counts, taken: Counts) -> int:
    """After how many changes a rule that cannot be applied can be; very many if never."""
    wait, end = 1, MOST + 1
    for there, step, need in zip(blocks, change, taken, strict=True):
        if there < need:
            wait = max(wait, -((there - need) // step) if step > 0 else MOST + 1)
        elif step < 0:
            end = min(end, (there - need) // -step)
    return wait if wait <= end else MOST + 1


def _told(counts: Counts) -> str:
    return " + ".join(f"{count} {name}" for count, name in zip(counts, NAMES) if count)


LADDER = (
    Knobs(3, 2, 6, 0.3),
    Knobs(4, 3, 8, 0.4),
    Knobs(5, 5, 10, 0.5),
    Knobs(6, 7, 16, 0.5),
    Knobs(8, 10, 24, 0.5),
)
FAMILY = Family(
    Workshop,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    notation=lambda shop: answers.IntList(names=tuple(NAMES[: len(shop.blocks)])),
    hardness=hardness,
    proof="unique",
    solver="simulation, step by step",
    guess_rate=0.05,
    steps=steps,
    progress=progress,
    redraws=True,
    skills=("simulation", "tracking"),
    peers=("reasoning-gym/string_splitting", "reasoning-gym/string_synthesis"),
)
