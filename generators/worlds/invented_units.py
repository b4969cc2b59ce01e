"""Invented units: how much is a delivery in all, in a market whose units and customs are drawn?

Units are tied to one another by ratios, some of which hold for one good alone; customs leave a part
of the goods out, or change the sum. `solve` finds what one of each unit is worth in the unit that
is asked for; `verify` exchanges the goods step by step. Without any rule that is needed, the answer
is another one, or there is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, gcd, log2
from random import Random
from typing import Any

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.core.fraction import Fraction
from puzzlemill.core.prose import listed
from puzzlemill.generators._misreadings import misreadings
from puzzlemill.generators._renaming import unnamed
from puzzlemill.generators.worlds._coinage import coined
from puzzlemill.generators.worlds._market_rules import Custom, Item, Ratio, followed, holding, told

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


@lru_cache(maxsize=2)  # generate asks before the item is certified
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
    return float(answer == followed(market)[0])


def render(market: Market, style: Style) -> Prompt:
    where, who, does = SKINS[market.skin]
    rules = "\n".join(f"- {rule}" for rule in told(market))
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
    return followed(market)[1]


def misread(rng: Random, market: Market) -> Market:
    """A number of a ratio, or the count of a good, is taken for one near it."""
    if rng.random() < 0.7:
        at, step = rng.randrange(len(market.ratios)), rng.choice((-2, -1, 1, 2))
        a, one, b, other, good = market.ratios[at]
        a, b = (max(1, a + step), b) if rng.random() < 0.5 else (a, max(1, b + step))
        ratios = (*market.ratios[:at], (a, one, b, other, good), *market.ratios[at + 1 :])
        return replace(market, ratios=ratios)
    at = rng.randrange(len(market.items))
    count, unit, good = market.items[at]
    item = (max(2, count + rng.choice((-2, -1, 1, 2))), unit, good)
    return replace(market, items=(*market.items[:at], item, *market.items[at + 1 :]))


def _likely(market: Market) -> int | None:
    """The answer, where it is one that is drawn."""
    total = solve(market)
    return total if total and LEAST <= total <= MOST else None


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
    total, lines = followed(market)
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


def _worth(market: Market, good: str) -> dict[int, Fraction]:
    """What one of each unit is in the unit asked for, from that one outwards."""
    worth, ratios = {market.target: Fraction(1)}, holding(market, good)
    size = 0
    while size < len(worth):
        size = len(worth)
        for a, one, b, other, _ in ratios:
            if one in worth:
                if other not in worth:
                    worth[other] = worth[one] * a / b
            elif other in worth:
                worth[one] = worth[other] * b / a
    return worth


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
    slips=misreadings(_likely, misread),
    skills=("arithmetic", "conversion", "rules"),
    slips_version=2,
)
