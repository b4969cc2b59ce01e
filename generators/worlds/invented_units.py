"""Invented units: how much is a delivery in all, in a market whose units and customs are drawn?

Units are tied to one another by ratios, some of which hold for one good alone; customs leave a part
of the goods out, or change the sum. `solve` finds what one of each unit is worth in the unit that
is asked for; `verify` exchanges the goods step by step. Without any rule that is needed, the answer
is another one, or there is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, gcd, log2
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.prose import listed
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._coinage import coined

# So many of a unit are so many of another one; of a good, or "" where no ratio for it says more.
Ratio: TypeAlias = tuple[int, int, int, int, str]
# ("free", n, good): one in every n of a delivery is not counted; ("toll", n, k): k are added for
# every full n of the sum; ("off", n, k): k are taken off a sum of n or more. In this order.
Custom: TypeAlias = tuple[str, int, Any]
Item: TypeAlias = tuple[int, int, str]  # count, unit, good

GOODS = ("salt", "honey", "wool", "rice", "tea", "silk")
SKINS = {
    "harbour": ("In the harbour of a far town", "merchant", "delivers"),
    "valley": ("In a valley that few people know", "farmer", "brings"),
    "station": ("On a space station", "trader", "unloads"),
}
LEAST, MOST = 4, 20_000  # that an answer may be
DRAWS = 40
NEEDED = 0.6  # the share of the rules drawn that the answer needs, at least; few others are told


@dataclass(frozen=True, slots=True)
class Knobs:
    units: int  # of measure
    coins: int  # units of money; without any, measures are asked for
    own: int  # ratios of measures that one good has for itself, at most
    customs: int  # of the market, at most
    items: int  # in the question
    spare: int  # that it does not need, at most


@dataclass(frozen=True, slots=True)
class Market:
    skin: str
    units: tuple[str, ...]  # measures, and behind them money
    coins: int
    ratios: tuple[Ratio, ...]
    customs: tuple[Custom, ...]
    items: tuple[Item, ...]
    target: int  # the unit that is asked for
    needed: tuple[int, ...]  # places among the ratios, and behind them the customs


def generate(rng: Random, knobs: Knobs) -> Market | None:
    units, skin = coined(rng, knobs.units + knobs.coins), rng.choice(sorted(SKINS))
    goods = rng.sample(GOODS, min(knobs.items, len(GOODS)))
    for _ in range(DRAWS):
        target = rng.randrange(knobs.units, len(units)) if knobs.coins else 0
        ratios, customs = _ratios(rng, knobs, goods), _customs(rng, knobs, goods)
        market = Market(skin, units, knobs.coins, ratios, customs, (), target, ())
        market = replace(market, items=_items(rng, market, goods))
        gold = solve(market)
        if not gold or not LEAST <= gold <= MOST or gold in {count for count, *_ in market.items}:
            continue
        needed = _needed(market)
        least = ceil((len(ratios) + len(customs)) * NEEDED)
        if len(needed) < least:
            continue
        others = [at for at in range(len(ratios) + len(customs)) if at not in needed]
        kept = {*needed, *rng.sample(others, min(knobs.spare, len(others)))}
        market = _kept(market, kept)
        if solve(market) == gold and len(again := _needed(market)) >= least:
            return replace(market, needed=tuple(again))
    return None


def solve(market: Market) -> int | None:
    """By the worth of one of each unit, for each good; None where it does not come out whole."""
    total = Fraction(0)
    for count, unit, good in market.items:
        worth = _worth(market, good)
        if unit not in worth:
            return None
        left_out = [count // n for word, n, which in market.customs
                    if word == "free" and which == good]  # fmt: skip
        total += worth[unit] * (count - sum(left_out))
    if total.denominator != 1:
        return None
    whole = int(total)
    for word, n, k in market.customs:
        if word == "toll":
            whole += whole // n * int(k)
        elif word == "off" and whole >= n:
            whole -= int(k)
    return whole


def verify(market: Market, answer: int) -> float:
    return float(answer == _followed(market)[0])


def render(market: Market, style: Style) -> Prompt:
    where, who, does = SKINS[market.skin]
    rules = "\n".join(f"- {rule}" for rule in _told(market))
    wares = listed(f"{count} {market.units[unit]} of {good}" for count, unit, good in market.items)
    target = market.units[market.target]
    used = {unit for _, a, _, b, _ in market.ratios for unit in (a, b)}
    measures = [it for at, it in enumerate(market.units[: -market.coins or None]) if at in used]
    money = [it for at, it in enumerate(market.units) if it not in measures and at in used]
    units = f"Goods are measured in {listed(measures)}"
    units += f", and paid for in {listed(money)}." if money else "."
    units += " Parts of a unit count in proportion."
    asked = f"How many {target} is all this" + (" worth" if money else "") + ", by these rules?"
    return Prompt(
        style.pick(
            f"{where}, goods and money have units of their own. {units}\n\n{rules}\n\nA {who}"
            f" {does} {wares}. {asked}"
            if money
            else f"{where}, goods have units of their own. {units}\n\n{rules}\n\nA {who} {does}"
            f" {wares}. {asked}",
            f"A {who} {does} {wares}. {asked}\n\n{units}\n\n{rules}",
            f"The rules of a market:\n\n{rules}\n\n{units} {where}, a {who} {does} {wares}."
            f" {asked}",
        ),
        form=f"the number of {target}",
    )


def steps(market: Market) -> list[str]:
    """Each delivery, exchanged unit by unit, and the sum with its customs."""
    return _followed(market)[1]


def kin(market: Market) -> list[str]:
    """The rules that are needed, whatever units and goods are called."""
    rules: list[Any] = [*market.ratios, *market.customs]
    facts: list[tuple[Any, ...]] = []
    for at in market.needed:
        if at < len(market.ratios):
            a, one, b, other, good = rules[at]
            pair = sorted(((str(a), f"u{one}"), (str(b), f"u{other}")))
            facts.append(("are", *pair, good or "all"))
        else:
            facts.append(tuple(map(str, rules[at])))
    names = [*(f"u{at}" for at in range(len(market.units))), *GOODS]
    return unnamed(facts, names, ("are",))


def canon(market: Market) -> list[object]:
    facts: list[tuple[Any, ...]] = [
        ("are", (str(a), f"u{one}"), (str(b), f"u{other}"), good or "all")
        for a, one, b, other, good in market.ratios
    ]
    facts += [tuple(map(str, custom)) for custom in market.customs]
    facts += [("item", str(count), f"u{unit}", good) for count, unit, good in market.items]
    facts.append(("asked", f"u{market.target}"))
    names = [*(f"u{at}" for at in range(len(market.units))), *GOODS]
    return [*unnamed(facts, names, ("are",))]


def without(market: Market) -> Iterator[Market]:
    every = set(range(len(market.ratios) + len(market.customs)))
    return (_kept(market, every - {at}) for at in market.needed)


def hardness(market: Market) -> float:
    """The lines of the way, the rules to choose from, and the size of the number."""
    total, lines = _followed(market)
    return len(lines) + (len(market.ratios) + len(market.customs)) / 2 + log2(max(total, 1)) / 4


def _ratios(rng: Random, knobs: Knobs, goods: list[str]) -> tuple[Ratio, ...]:
    """A tree of measures and one of coins; a price for each good; and ratios of some goods."""
    ratios: list[Ratio] = []
    for at in range(1, knobs.units):
        ratios.append(_tied(rng, rng.randrange(max(0, at - 2), at), at, ""))
    for at in range(knobs.units + 1, knobs.units + knobs.coins):
        ratios.append(_tied(rng, at - 1, at, ""))
    for good in goods if knobs.coins else ():
        coin = rng.randrange(knobs.units, knobs.units + knobs.coins)
        ratios.append(_tied(rng, rng.randrange(knobs.units), coin, good))
    measures = ratios[: knobs.units - 1]
    for ratio in rng.sample(measures, min(knobs.own, len(measures))):
        other = _tied(rng, ratio[1], ratio[3], rng.choice(goods))
        if other[:4] != ratio[:4]:
            ratios.append(other)
    return tuple(ratios)


def _tied(rng: Random, one: int, other: int, good: str) -> Ratio:
    """Mostly one of a unit, so that most numbers come out whole."""
    a = 1 if rng.random() < 0.7 else rng.randint(2, 5)
    b = next(b for b in iter(lambda: rng.randint(2, 12), 0) if gcd(a, b) == 1)
    return (a, one, b, other, good) if rng.random() < 0.7 else (a, other, b, one, good)


def _customs(rng: Random, knobs: Knobs, goods: list[str]) -> tuple[Custom, ...]:
    free: list[Custom] = [("free", rng.randint(3, 9), good) for good in goods]
    tolls: list[Custom] = [
        ("toll", rng.randint(4, 20), rng.randint(1, 3)),
        ("off", rng.choice((20, 50, 100, 200, 500)), rng.randint(5, 19)),
    ]
    drawn = rng.sample([*free, *tolls], min(knobs.customs, len(free) + 2))
    return tuple(custom for custom in [*free, *tolls] if custom in drawn)


def _items(rng: Random, market: Market, goods: list[str]) -> tuple[Item, ...]:
    """Of each good as much as comes out whole, in a unit from which the way is long."""
    items = list[Item]()
    for good in goods:
        worth = _worth(market, good)
        measures = [unit for unit in range(len(market.units) - market.coins) if unit in worth]
        unit = rng.choice([each for each in measures if each != market.target] or measures)
        free = next((n for word, n, which in market.customs
                     if word == "free" and which == good), 0)  # fmt: skip
        counts = [count for count in range(2, 61) if (count - (count // free if free else 0))
                  % worth[unit].denominator == 0]  # fmt: skip
        items.append((rng.choice(counts) if counts else 1, unit, good))
    return tuple(items)


def _needed(market: Market) -> list[int]:
    gold, count = solve(market), len(market.ratios) + len(market.customs)
    every = set(range(count))
    return [at for at in range(count) if solve(_kept(market, every - {at})) != gold]


def _kept(market: Market, places: set[int]) -> Market:
    """The market with only some of its rules; those that are needed have new places."""
    count = len(market.ratios)
    order = {at: new for new, at in enumerate(sorted(places))}
    return replace(
        market,
        ratios=tuple(it for at, it in enumerate(market.ratios) if at in places),
        customs=tuple(it for at, it in enumerate(market.customs, count) if at in places),
        needed=tuple(order[at] for at in market.needed if at in order),
    )


def _holding(market: Market, good: str) -> list[Ratio]:
    """The ratios that hold for a good: its own, and others where it has none of these units."""
    own = [ratio for ratio in market.ratios if ratio[4] == good]
    pairs = [{a, b} for _, a, _, b, _ in own]
    return own + [it for it in market.ratios if not it[4] and {it[1], it[3]} not in pairs]


def _worth(market: Market, good: str) -> dict[int, Fraction]:
    """What one of each unit is in the unit asked for, from that one outwards."""
    worth, ratios = {market.target: Fraction(1)}, _holding(market, good)
    for _ in ratios:
        for a, one, b, other, _ in ratios:
            if one in worth:
                worth.setdefault(other, worth[one] * a / b)
            if other in worth:
                worth.setdefault(one, worth[other] * b / a)
    return worth


def _followed(market: Market) -> tuple[int, list[str]]:
    """The interpreter: each delivery exchanged along the ratios, and then the customs; -1 where
    that cannot be done."""
    lines, whole, part = list[str](), 0, 1
    for count, unit, good in market.items:
        top, bottom = count, 1
        for word, n, which in market.customs:
            if word == "free" and which == good:
                top -= top // n
        told = [f"{top} {market.units[unit]} of {good} count"] if top < count else []
        way = _way(_holding(market, good), unit, market.target, ())
        if way is None:
            return -1, lines
        for gives, gets, to in way:
            top, bottom = top * gets, bottom * gives
            divisor = gcd(top, bottom)
            top, bottom = top // divisor, bottom // divisor
            number = str(top) if bottom == 1 else f"{top}/{bottom}"
            told.append(f"{number} {market.units[to]}")
        lines.append(f"{count} {market.units[unit]} of {good}: {', '.join(told) or 'as it is'}")
        whole, part = whole * bottom + top * part, part * bottom
    if whole % part:
        return -1, lines
    whole //= part
    lines.append(f"in all: {whole} {market.units[market.target]}")
    for word, n, k in market.customs:
        if word == "toll":
            whole += sum(k for _ in range(n, whole + 1, n))
            lines.append(f"with what is added: {whole}")
        elif word == "off" and not whole < n:
            whole -= k
            lines.append(f"with what is taken off: {whole}")
    return whole, lines


def _way(
    ratios: list[Ratio], unit: int, target: int, seen: tuple[int, ...]
) -> list[tuple[int, int, int]] | None:
    """Exchanges that lead to the target: so many of what one has for so many of a unit."""
    if unit == target:
        return []
    for a, one, b, other, _ in ratios:
        for gives, here, gets, there in ((a, one, b, other), (b, other, a, one)):
            if here == unit and there not in seen:
                rest = _way(ratios, there, target, (*seen, unit))
                if rest is not None:
                    return [(gives, gets, there), *rest]
    return None


def _told(market: Market) -> Iterator[str]:
    """The rules in words."""
    units, first_coin = market.units, len(market.units) - market.coins
    general = [{it[1], it[3]} for it in market.ratios if not it[4]]
    for a, one, b, other, good in market.ratios:
        are = "is" if a == 1 else "are"
        if good and (one < first_coin) != (other < first_coin):
            a, one, b, other = (a, one, b, other) if one < other else (b, other, a, one)
            yield f"{a} {units[one]} of {good} {'costs' if a == 1 else 'cost'} {b} {units[other]}."
        elif good:
            yield (
                f"Of {good}{', though' if {one, other} in general else ''}, {a} {units[one]}"
                f" {are} {b} {units[other]}."
            )
        else:
            yield f"{a} {units[one]} {are} {b} {units[other]}."
    target = units[market.target]
    for word, n, k in market.customs:
        if word == "free":
            yield (
                f"Of {k}, one in every {n} that are delivered is not counted, in the unit in"
                f" which it is delivered: {2 * n + 1} count as {2 * n - 1}."
            )
        elif word == "toll":
            yield f"To the sum, {k} {target} {'is' if k == 1 else 'are'} added for every full {n}."
        else:
            yield f"From a sum of {n} {target} or more, {k} {target} are taken off."
    if [word for word, *_ in market.customs if word != "free"] == ["toll", "off"]:
        yield "What is added is added first; then it is seen whether something is taken off."


LADDER = (
    Knobs(3, 0, 0, 0, 1, 0),
    Knobs(3, 2, 0, 1, 1, 1),
    Knobs(4, 2, 1, 1, 2, 1),
    Knobs(5, 3, 2, 3, 3, 2),
    Knobs(6, 3, 3, 4, 4, 3),
)
FAMILY = Family(
    Market,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Integer(),
    hardness=hardness,
    proof="unique",
    solver="the worth of one of each unit",
    guess_rate=0.05,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("arithmetic", "conversion", "rules"),
)
