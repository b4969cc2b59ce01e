"""Graph game: two players move a token along arrows; from where can one of them force a target?

The token is to come to a target once, or to come to targets again and again for ever.
`solve` grows attractors, round a fixed point where it must be for ever. `verify` lifts progress
measures instead: for each place, how long the opponent can keep the token away from targets.
"""

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.graphs._canonical import canonical

TRIES = 60

Goal = Literal["once", "for ever"]


@dataclass(frozen=True, slots=True)
class Knobs:
    places: int  # nodes of the graph
    arrows: float  # from a place, on average
    goal: Goal  # to come to a target once, or again and again for ever


@dataclass(frozen=True, slots=True)
class Arena:
    owners: str  # A or B for each place: who moves the token on from there
    arrows: tuple[tuple[int, ...], ...]  # from each place, numbered from 1; never none
    targets: tuple[int, ...]
    goal: Goal


def generate(rng: Random, knobs: Knobs) -> Arena | None:
    count = knobs.places
    for _ in range(TRIES):
        anna = rng.randrange(count * 2 // 5, count * 3 // 5 + 1)
        owners = "".join(rng.sample("A" * anna + "B" * (count - anna), count))
        arrows: list[set[int]] = []
        for place in range(1, count + 1):
            others = [it for it in range(1, count + 1) if it != place]
            many = 1 + sum(rng.random() < (knobs.arrows - 1) / 3 for _ in range(3))
            arrows.append(set(rng.sample(others, many)))
        few = max(count // 6, 1) if knobs.goal == "once" else max(count // 4, 2)
        targets = tuple(sorted(rng.sample(range(1, count + 1), few)))
        arena = Arena(owners, tuple(tuple(sorted(it)) for it in arrows), targets, knobs.goal)
        won, shallow = set(solve(arena)), _attracted(arena, set(targets), "A")
        other = len(won - set(targets)) if knobs.goal == "once" else len(shallow - won)
        # Neither nearly nothing nor nearly all, and where it must be for ever, not just once.
        if 0.3 <= len(won) / count <= 0.75 and other >= 1 + count // 12:
            return arena
    return None


def solve(arena: Arena) -> tuple[int, ...]:
    """Attractors; the places from which B can keep clear of targets are taken out till none is."""
    targets, everywhere = set(arena.targets), set(range(1, len(arena.owners) + 1))
    if arena.goal == "once":
        return tuple(sorted(_attracted(arena, targets, "A")))
    good = set(targets)
    while True:
        won = _attracted(arena, good, "A")
        lost = _attracted(arena, everywhere - won, "B")
        # A target is good if from it A can come to a good one again.
        still = {
            it
            for it in good
            if (any if arena.owners[it - 1] == "A" else all)(
                to not in lost for to in arena.arrows[it - 1]
            )
        }
        if still == good:
            return tuple(sorted(won))
        good = still


def verify(arena: Arena, places: tuple[int, ...]) -> float:
    count = len(arena.owners)
    most = count - len(arena.targets)  # more places without a target in a row is for ever
    measure = [0] * count
    changed = True
    while changed:
        changed = False
        for place in range(count):
            if measure[place] > most:
                continue
            ahead = [measure[to - 1] for to in arena.arrows[place]]
            best = min(ahead) if arena.owners[place] == "A" else max(ahead)
            if place + 1 in arena.targets:
                lifted = 0 if arena.goal == "once" or best <= most else most + 1
            else:
                lifted = min(best + 1, most + 1)
            if lifted > measure[place]:
                measure[place], changed = lifted, True
    return float(set(places) == {it + 1 for it in range(count) if measure[it] <= most})


def render(arena: Arena, style: Style) -> Prompt:
    count = len(arena.owners)
    both = {
        owner: ", ".join(str(it + 1) for it in range(count) if arena.owners[it] == owner)
        for owner in "AB"
    }
    arrows = "\n".join(
        f"{place} -> {', '.join(map(str, to))}" for place, to in enumerate(arena.arrows, start=1)
    )
    targets = ", ".join(map(str, arena.targets))
    many = len(arena.targets) > 1
    if arena.goal == "once":
        goal = style.pick(
            f"Anna wins as soon as the token is on a target ({targets}); if that never happens, Ben"
            " wins. A token that starts on a target has won for Anna already.",
            f"The target{'s are' if many else ' is'} {targets}. Anna wants the token to stand on a"
            " target at least once, at the start or later; Ben wants it never to stand on one.",
        )
    else:
        goal = style.pick(
            f"The game goes on for ever. Anna wins if the token is on targets ({targets}) again and"
            " again, infinitely often; otherwise, if from some time on it never is on a target any"
            " more, Ben wins.",
            f"The target{'s are' if many else ' is'} {targets}, and there is no last move. Ben wins"
            " if there comes a time after which the token never stands on a target again; if there"
            " is no such time, Anna wins.",
        )
    return Prompt(
        style.pick(
            f"Anna and Ben play on {count} places. A token is moved along arrows, one arrow at a"
            f" time. From these places Anna chooses the arrow: {both['A']}. From these Ben chooses"
            f" it: {both['B']}. The arrows lead from each place to:\n{arrows}\n{goal} From which"
            " places can Anna make sure that she wins, whatever Ben does, if the token starts"
            " there?",
            f"A game for two on a directed graph with the nodes 1 to {count}:\n{arrows}\n\nThe"
            " token follows an edge in each turn, chosen by the player who owns the node that it is"
            f" on. Anna's nodes are {both['A']}; Ben's nodes are {both['B']}. {goal} List all start"
            " nodes from which Anna has a winning strategy.",
            f"{goal}\nThe token moves along one arrow at a time, and it is Anna who chooses the"
            f" arrow when the token is at {both['A']}, and Ben when it is at {both['B']}. The"
            f" arrows:\n{arrows}\nFor which starting places can Anna force a win against every play"
            " of Ben?",
        ),
        form="the numbers of all these places, in any order, separated by commas",
    )


def steps(arena: Arena) -> list[str]:
    """The places won, in the order in which they are found."""
    good, lines = set(arena.targets), []
    won = set(solve(arena))
    if arena.goal == "for ever":
        bad = sorted(good - won)
        good &= won
        if bad:
            told = ", ".join(map(str, bad))
            lines.append(f"targets from which Ben need not let the token come back: {told}")
    found = sorted(good)
    lines.append(f"targets that count: {', '.join(map(str, found)) or 'none'}")
    while True:
        more = _one_step(arena, good, "A") - good
        if not more:
            return lines
        for place in sorted(more):
            who = "Anna can move" if arena.owners[place - 1] == "A" else "Ben must move"
            lines.append(f"{place}: {who} to a place that is won")
        good |= more


def canon(arena: Arena) -> Any:
    """Which numbers the places have makes no difference."""
    edges = tuple((place, to - 1, 1) for place, ends in enumerate(arena.arrows) for to in ends)
    marks = [
        2 * (owner == "A") + (place in arena.targets)
        for place, owner in enumerate(arena.owners, start=1)
    ]
    return canonical(len(arena.owners), edges, True, marks), arena.goal


def hardness(arena: Arena) -> float:
    return len(arena.owners) + sum(map(len, arena.arrows))


def _attracted(arena: Arena, goal: set[int], player: str) -> set[int]:
    """The places from which a player can force the token to a goal."""
    found = set(goal)
    while more := _one_step(arena, found, player) - found:
        found |= more
    return found


def _one_step(arena: Arena, goal: set[int], player: str) -> set[int]:
    return {
        place
        for place, (owner, ends) in enumerate(zip(arena.owners, arena.arrows), start=1)
        if (any if owner == player else all)(to in goal for to in ends)
    }


LADDER = (
    Knobs(8, 1.6, "once"),
    Knobs(11, 1.9, "once"),
    Knobs(15, 2.1, "once"),
    Knobs(20, 2.2, "for ever"),
    Knobs(28, 2.3, "for ever"),
    Knobs(40, 2.3, "for ever"),
)
FAMILY = Family(
    Arena,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntSet(called=("place",)),
    hardness=hardness,
    proof="unique",
    solver="attractors and a fixed point",
    guess_rate=0.2,
    steps=steps,
    canon=canon,
    skills=("games", "graphs"),
    peers=("reasoning-core/game_best_move", "reasoning-core/game_forced_win"),
    version=2,
)
