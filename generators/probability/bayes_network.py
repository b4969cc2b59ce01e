"""Bayes network: events that make one another likelier; some are seen, one is asked for.

`solve` adds up all ways in which the events may turn out. `verify` never lists them: it sums out
one event after another, from tables that hold only what is still needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import capital, listed
from puzzlemill.generators.probability._chance import PROBABILITY, trivial

Seen: TypeAlias = tuple[tuple[int, bool], ...]  # events, and whether they happened
Table: TypeAlias = dict[tuple[bool, ...], Fraction]


@dataclass(frozen=True, slots=True)
class Knobs:
    events: int  # of the network
    causes: int  # of an event, at most
    seen: int  # at most
    forced: float  # the share of questions in which somebody sets an event


@dataclass(frozen=True, slots=True)
class Network:
    names: tuple[str, ...]  # in an order in which causes come first
    causes: tuple[tuple[int, ...], ...]  # of each event, from 0
    rates: tuple[
        tuple[int, ...], ...
    ]  # percent: all causes true first, the last one changing first
    seen: Seen
    forced: Seen  # none or one
    asked: int


def generate(rng: Random, knobs: Knobs) -> Network | None:
    theme = rng.choice(THEMES)
    causes = []
    for place in range(knobs.events):
        many = rng.randint(min(1, place), min(place, knobs.causes))
        causes.append(tuple(sorted(rng.sample(range(place), many))))
    order = rng.sample(range(knobs.events), knobs.events)
    asked, *others = order
    forced: Seen = ()
    if rng.random() < knobs.forced:
        able = [event for event in others if causes[event]]
        if not able:
            return None
        forced = ((rng.choice(able), rng.random() < 0.5),)
        others.remove(forced[0][0])
    count = rng.randint(1, min(knobs.seen, len(others)))
    seen = tuple(sorted((event, rng.random() < 0.6) for event in others[:count]))
    names = tuple(rng.sample(theme, knobs.events))
    return _filled(rng, Network(names, tuple(causes), (), seen, forced, asked))


def solve(network: Network) -> Fraction | None:
    """The weight of all outcomes that agree with what is seen, and of those with the event."""
    if any(not 0 <= rate <= 100 for row in network.rates for rate in row):
        return None
    given = event = 0
    known = dict((*network.seen, *network.forced))
    for outcome in product((True, False), repeat=len(network.names)):
        if any(outcome[place] != value for place, value in known.items()):
            continue
        weight = 1
        for place, value in enumerate(outcome):
            if place not in dict(network.forced):
                rate = network.rates[place][_row(network, place, outcome)]
                weight *= rate if value else 100 - rate
        given += weight
        event += weight * outcome[network.asked]
    return Fraction(event, given) if given else None


def verify(network: Network, answer: Fraction) -> float:
    known = dict((*network.seen, *network.forced))
    forced = dict(network.forced)
    tables: list[tuple[tuple[int, ...], Table]] = []
    for place, causes in enumerate(network.causes):
        if place not in forced:
            tables.append(_kept(((*causes, place), _table(network.rates[place])), known))
    for gone in reversed(range(len(network.names))):
        if gone != network.asked and gone not in known:
            tables = _summed_out(tables, gone)
    yes, no = Fraction(1), Fraction(1)
    for scope, table in tables:
        yes *= table[(True,) * len(scope)]
        no *= table[(False,) * len(scope)]
    total = yes + no
    return float(total > 0 and answer * total == yes)


def render(network: Network, style: Style) -> Prompt:
    lines = []
    for place, causes in enumerate(network.causes):
        name = network.names[place]
        if not causes:
            lines.append(f"- {capital(name)}: {network.rates[place][0]}%.")
            continue
        parts = [
            f"{rate}% if {_told(network, tuple(zip(causes, values)))}"
            for rate, values in zip(network.rates[place], _settings(len(causes)))
        ]
        lines.append(f"- {capital(name)}: {', '.join(parts)}.")
    rules = "\n".join(lines)
    rest = "Apart from what is listed, an event does not depend on the events named before it."
    known = _told(network, network.seen)
    before = ""
    if network.forced:
        event, value = network.forced[0]
        change = "true" if value else "false"
        before = (
            f" Somebody now steps in and makes {_quoted(network, event)} {change} by force,"
            " whatever its causes are; everything else still follows the list."
        )
    asked = f"{_quoted(network, network.asked)} is true"
    scene = "Each line gives how likely an event is to be true"
    return Prompt(
        style.pick(
            f"{scene}:\n\n{rules}\n\n{rest}{before} It is found that {known}. What is the"
            f" probability that {asked}?",
            f"Some events influence others. {scene}, and on which others that depends:\n\n{rules}"
            f"\n\n{rest}{before} Find the probability that {asked}, given that {known}.",
            f"{scene}:\n\n{rules}\n\n{rest}{before} Given that {known}, how likely is it that"
            f" {asked}?",
        ),
        form=PROBABILITY,
    )


def steps(network: Network) -> list[str]:
    """The weight of the event with what is seen, and that of its contrary."""
    known = dict((*network.seen, *network.forced))
    weights = []
    lines = []
    for wanted in (True, False):
        total = Fraction(0)
        for outcome, chance in _outcomes(network, {**known, network.asked: wanted}):
            states = " ".join("T" if value else "F" for value in outcome)
            if len(network.names) <= 5:
                lines.append(f"{states}: {chance}")
            total += chance
        said = f"{_quoted(network, network.asked)} {'true' if wanted else 'false'}"
        lines.append(f"All that agrees with what is found, with {said}: {total}")
        weights.append(total)
    total = sum(weights, Fraction(0))
    return [*lines, f"The probability is ({weights[0]}) / ({total}) = {weights[0] / total}."]


def hardness(network: Network) -> float:
    """The outcomes that are left open, each a product of all events."""
    left = len(network.names) - len(network.seen) - len(network.forced)
    return (1 << left) * len(network.names) + sum(map(len, network.rates))


def canon(network: Network) -> list[Any]:
    return [network.causes, network.rates, network.seen, network.forced, network.asked]


def twin(rng: Random, knobs: Knobs, network: Network) -> Network | None:
    return _filled(rng, network)


def renamed(rng: Random, knobs: Knobs, network: Network) -> Network:
    return replace(network, names=tuple(rng.sample(rng.choice(THEMES), len(network.names))))


def _filled(rng: Random, draft: Network) -> Network | None:
    """Rates with which everything that is seen, or set, matters to the answer."""
    rates = tuple(
        tuple(5 * rng.randint(1, 19) for _ in range(2 ** len(causes))) for causes in draft.causes
    )
    network = replace(draft, rates=rates)
    value = solve(network)
    if value is None or trivial(value) or 100 * value in rates[network.asked]:
        return None
    for place in range(len(network.seen)):
        without = replace(network, seen=network.seen[:place] + network.seen[place + 1 :])
        if solve(without) == value and not network.forced:
            return None
    if network.forced:
        seen = tuple(sorted((*network.seen, *network.forced)))
        others = [replace(network, forced=()), replace(network, forced=(), seen=seen)]
        if all(solve(other) == value for other in others):
            return None
    return network


def _settings(causes: int) -> Iterator[tuple[bool, ...]]:
    yield from product((True, False), repeat=causes)


def _row(network: Network, place: int, outcome: tuple[bool, ...]) -> int:
    row = 0
    for cause in network.causes[place]:
        row = 2 * row + (not outcome[cause])
    return row


def _outcomes(
    network: Network, known: dict[int, bool]
) -> Iterator[tuple[tuple[bool, ...], Fraction]]:
    for outcome in product((True, False), repeat=len(network.names)):
        if all(outcome[place] == value for place, value in known.items()):
            chance = Fraction(1)
            for place, value in enumerate(outcome):
                if place not in dict(network.forced):
                    rate = network.rates[place][_row(network, place, outcome)]
                    chance *= Fraction(rate if value else 100 - rate, 100)
            yield outcome, chance


def _table(rates: tuple[int, ...]) -> Table:
    """How likely an event is to turn out as it does, by its causes and, last, itself."""
    causes = len(rates).bit_length() - 1
    return {
        (*values, own): Fraction(rate if own else 100 - rate, 100)
        for rate, values in zip(rates, _settings(causes))
        for own in (True, False)
    }


def _kept(
    factor: tuple[tuple[int, ...], Table], known: dict[int, bool]
) -> tuple[tuple[int, ...], Table]:
    """A table without the events that are known."""
    scope, table = factor
    left = [at for at, event in enumerate(scope) if event not in known]
    return tuple(scope[at] for at in left), {
        tuple(values[at] for at in left): chance
        for values, chance in table.items()
        if all(known.get(event, value) == value for event, value in zip(scope, values))
    }


def _summed_out(
    tables: list[tuple[tuple[int, ...], Table]], gone: int
) -> list[tuple[tuple[int, ...], Table]]:
    """The tables that speak of an event, multiplied, and added up over it."""
    others = [factor for factor in tables if gone not in factor[0]]
    about = [factor for factor in tables if gone in factor[0]]
    scope = tuple(sorted({event for own, _ in about for event in own} - {gone}))
    made: Table = {}
    for values in _settings(len(scope)):
        total = Fraction(0)
        for value in (True, False):
            setting = {**dict(zip(scope, values)), gone: value}
            chance = Fraction(1)
            for own, table in about:
                chance *= table[tuple(setting[event] for event in own)]
            total += chance
        made[values] = total
    return [*others, (scope, made)]


def _quoted(network: Network, event: int) -> str:
    return f'"{network.names[event]}"'


def _told(network: Network, seen: Seen) -> str:
    parts = [
        f"{_quoted(network, event)} is {'true' if value else 'false'}" for event, value in seen
    ]
    return listed(parts)


THEMES = (
    ("rain", "storm", "flood", "power cut", "late trains", "closed school", "wet roof", "detour"),
    ("fever", "cough", "infection", "fatigue", "headache", "rash", "positive test", "sick leave"),
    ("leak", "low pressure", "alarm", "shutdown", "warm pump", "worn valve", "noise", "red light"),
    ("frost", "poor harvest", "high price", "empty shelf", "drought", "pests", "hail", "import"),
)
LADDER = (
    Knobs(2, 1, 1, 0.0),
    Knobs(3, 2, 2, 0.0),
    Knobs(4, 2, 2, 0.2),
    Knobs(6, 2, 3, 0.4),
    Knobs(8, 3, 3, 0.5),
)
FAMILY = Family(
    Network,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Number(),
    hardness=hardness,
    proof="unique",
    solver="the sum over all outcomes",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    inputs=("rates",),
    twin=twin,
    renamed=renamed,
    skills=("probability", "fractions"),
    peers=("reasoning-core/bayesian_association", "reasoning-core/bayesian_intervention"),
    version=2,
)
