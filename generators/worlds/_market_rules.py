"""Markets of drawn units: what their rules are, how they are told, and how they are followed."""

from collections.abc import Iterator
from math import gcd
from typing import Any, Protocol, TypeAlias

# So many of a unit are so many of another one; of a good, or "" where no ratio for it says more.
Ratio: TypeAlias = tuple[int, int, int, int, str]
# ("free", n, good): one in every n of a delivery is not counted; ("toll", n, k): k are added for
# every full n of the sum; ("off", n, k): k are taken off a sum of n or more. In this order.
Custom: TypeAlias = tuple[str, int, Any]
Item: TypeAlias = tuple[int, int, str]  # count, unit, good


class Rules(Protocol):
    """What a market rules, and what is delivered there."""

    @property
    def units(self) -> tuple[str, ...]: ...
    @property
    def coins(self) -> int: ...
    @property
    def ratios(self) -> tuple[Ratio, ...]: ...
    @property
    def customs(self) -> tuple[Custom, ...]: ...
    @property
    def items(self) -> tuple[Item, ...]: ...
    @property
    def target(self) -> int: ...


def holding(market: Rules, good: str) -> list[Ratio]:
    """The ratios that hold for a good: its own, and others where it has none of these units."""
    own = [ratio for ratio in market.ratios if ratio[4] == good]
    pairs = [{a, b} for _, a, _, b, _ in own]
    return own + [it for it in market.ratios if not it[4] and {it[1], it[3]} not in pairs]


def followed(market: Rules) -> tuple[int, list[str]]:
    """The interpreter: each delivery exchanged along the ratios, and then the customs; -1 where
    that cannot be done."""
    lines, whole, part = list[str](), 0, 1
    for count, unit, good in market.items:
        top, bottom = count, 1
        for word, n, which in market.customs:
            if word == "free" and which == good:
                top -= top // n
        told = [f"{top} {market.units[unit]} of {good} count"] if top < count else []
        way = _way(holding(market, good), unit, market.target, ())
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


def told(market: Rules) -> Iterator[str]:
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
