"""Set identity: which of some equations between sets fails, and for which sets.

Whether an element lies in a compound set depends only on which of the named sets it lies in; so one
element is enough for a counterexample, and the answer says where it lies. `solve` keeps for every
set the regions of the Venn diagram that it covers, as bits of a number; `verify` asks element by
element with "and", "or" and "not".
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations, product
from random import Random
from typing import Any, TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.statements._claims import KIND, Answer, asked, broken, mixed, read

Formula: TypeAlias = Any  # a letter, or (sign, formula, formula)
Claim: TypeAlias = tuple[Any, ...]  # relation, left, right


@dataclass(frozen=True, slots=True)
class Knobs:
    claims: int  # to choose from
    sets: int  # named ones
    signs: int  # in each side of a claim
    given: bool  # whether claims may suppose something


@dataclass(frozen=True, slots=True)
class Claims:
    sets: int
    claims: tuple[
        Claim, ...
    ]  # relation, left, right, and what is supposed: (subset, superset) or ()


def generate(rng: Random, knobs: Knobs) -> Claims | None:
    """Claims by whether two random formulas cover the same regions; a false one nearly holds."""

    def drawn(wanted: bool) -> Claim | None:
        supposing = knobs.given and rng.random() < 0.4
        for _ in range(120):
            claim: Claim | None = _drawn(rng, knobs)
            assert claim is not None
            if claim[1] == claim[2]:
                continue
            if supposing:
                claim = _supposing(rng, claim, knobs.sets, wanted)
            regions = _regions(claim, knobs.sets) if claim else 0
            if claim and wanted and regions == 0 and _useful(claim, knobs.sets):
                return claim
            if claim and not wanted and 0 < regions.bit_count() <= max(1, knobs.sets - 1):
                return claim
        return None

    def kernel(claim: Claim) -> str:
        return _kernel(claim, LETTERS[: knobs.sets])

    found = mixed(rng, knobs.claims, lambda: drawn(True), lambda: drawn(False), kernel)
    return Claims(knobs.sets, found) if found else None


def solve(claims: Claims) -> Answer | None:
    """All regions of the Venn diagram at once, as bits."""

    def counterexample(claim: Claim) -> dict[str, int] | None:
        regions = _regions(claim, claims.sets)
        if not regions:
            return None
        region = (regions & -regions).bit_length() - 1
        return {name: region >> place & 1 for place, name in enumerate(LETTERS[: claims.sets])}

    found = broken(claims.claims, counterexample)
    return _lowered(found)


def verify(claims: Claims, answer: Answer) -> float:
    names = LETTERS[: claims.sets]
    if isinstance(answer, answers.Impossible):
        return float(
            all(
                _holds(claim, {name: bool(region >> place & 1) for place, name in enumerate(names)})
                for claim in claims.claims
                for region in range(2 ** len(names))
            )
        )
    found = read(answer, len(claims.claims), 1)
    if found is None or {name.upper() for name in found[1]} != set(names):
        return 0.0
    place, values = found
    if any(value < 0 for value in values.values()):
        return 0.0
    return float(
        not _holds(claims.claims[place], {name.upper(): bool(v) for name, v in values.items()})
    )


def recheck(claims: Claims, answer: Answer) -> bool:
    """With real sets of regions."""
    names = LETTERS[: claims.sets]
    everything = frozenset(range(2 ** len(names)))
    named = {
        name: frozenset(region for region in everything if region >> place & 1)
        for place, name in enumerate(names)
    }

    def built(formula: Formula) -> frozenset[int]:
        if isinstance(formula, str):
            return named[formula]
        sign, *parts = formula
        one, other = map(built, parts)
        return {"∪": one | other, "∩": one & other, "\\": one - other, "△": one ^ other}[sign]

    def wrong(claim: Claim) -> frozenset[int]:
        relation, left, right, given = claim
        one, other = built(left), built(right)
        bad = one - other if relation == "⊆" else one ^ other
        return bad - (named[given[0]] - named[given[1]]) if given else bad

    if isinstance(answer, answers.Impossible):
        return not any(map(wrong, claims.claims))
    values = {name.upper(): value for name, value in answer}
    place = values.pop("CLAIM", 0)
    if set(values) != set(names) or not set(values.values()) <= {0, 1}:
        return False
    region = sum(int(values[name]) << at for at, name in enumerate(names))
    inside = place in range(1, len(claims.claims) + 1)
    return inside and region in wrong(claims.claims[int(place) - 1])


def render(claims: Claims, style: Style) -> Prompt:
    names = LETTERS[: claims.sets]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    example = ", ".join(["claim = 2", *(f"{name} = {at % 2}" for at, name in enumerate(names))])
    return asked(
        style,
        f"Each claim is about any sets {listed}. ∪ means union, ∩ intersection, X \\ Y the elements"
        ' of X that are not in Y, X △ Y the elements of exactly one of X and Y, and ⊆ "is a'
        ' subset of or equal to".',
        [_told(claim) for claim in claims.claims],
        example,
        "A counterexample says in which sets a single element lies so that the claim fails when"
        " nothing else is in any set: 1 for a set that the element is in, 0 for a set that it is"
        " not in.",
    )


def steps(claims: Claims) -> list[str]:
    lines = []
    names = LETTERS[: claims.sets]
    for place, claim in enumerate(claims.claims, 1):
        regions = _regions(claim, claims.sets)
        if not regions:
            lines.append(f"Claim {place} holds in all {2**claims.sets} regions")
            continue
        region = (regions & -regions).bit_length() - 1
        where = ", ".join(f"{name} = {region >> at & 1}" for at, name in enumerate(names))
        lines.append(f"Claim {place} fails for an element with {where}")
    return lines


def hardness(claims: Claims) -> float:
    return sum(len(_told(claim)) for claim in claims.claims) * 2.0**claims.sets


def canon(claims: Claims) -> list[Claim]:
    return sorted(claims.claims, key=str)


def _kernel(claim: Claim, names: str) -> str:
    """Both sides, whichever is first, with the sides of ∪, ∩ and △ in one order, whatever the sets
    are called. What is supposed does not count: a claim follows from one that supposes less."""

    def sides(called: dict[str, str]) -> str:
        return str(sorted(_tidied(side, called) for side in claim[1:3]))

    # However the sets are called, these numbers stay; only letters that share them have to be tried
    # in all orders.
    shown = [(str(side), _bits(side, len(names))) for side in claim[1:3]]
    alike: dict[tuple[tuple[int, int], ...], list[str]] = {}
    for name in names:
        mine = _bits(name, len(names))
        places = sorted((text.count(name), (bits & mine).bit_count()) for text, bits in shown)
        alike.setdefault(tuple(places), []).append(name)
    groups = [alike[places] for places in sorted(alike) if any(many for many, _ in places)]
    orders = product(*map(permutations, groups))
    return min(sides(dict(zip(chain(*order), names))) for order in orders)


def _tidied(formula: Formula, called: dict[str, str]) -> str:
    if isinstance(formula, str):
        return called[formula]
    sign, *parts = formula
    sides = [_tidied(part, called) for part in parts]
    if sign != "\\":
        sides.sort()
    return f"({sign.join(sides)})"


def _lowered(answer: Answer | None) -> Answer | None:
    """Names as the answer kind reads them."""
    if answer is None or isinstance(answer, answers.Impossible):
        return answer
    return tuple(sorted((name.lower(), value) for name, value in answer))


def _drawn(rng: Random, knobs: Knobs) -> Claim:
    """A formula, and the same after some steps that need not be allowed."""
    names = LETTERS[: knobs.sets]
    left = _formula(rng, names, knobs.signs)
    right = left
    for _ in range(rng.randint(2, 4)):
        right = _changed(rng, right, names)
    relation = rng.choice("==⊆")
    return (relation, left, right, ())


def _supposing(rng: Random, claim: Claim, sets: int, wanted: bool) -> Claim | None:
    """The claim with a condition that saves it, or one that saves it in some regions only."""
    fails = _regions(claim, sets)
    names = LETTERS[:sets]
    found = []
    for given in ((one, other) for one in names for other in names if one != other):
        left = _regions((*claim[:3], given), sets)
        if left != fails and (left == 0) == wanted:
            found.append((*claim[:3], given))
    return rng.choice(found) if found else None


def _formula(rng: Random, names: str, signs: int) -> Formula:
    if not signs:
        return rng.choice(names)
    left = rng.randint(0, signs - 1)
    sign = rng.choice("∪∪∩∩\\\\△")
    one, other = _formula(rng, names, left), _formula(rng, names, signs - 1 - left)
    while other == one:
        other = rng.choice([name for name in names if name != one])
    return (sign, one, other)


def _changed(rng: Random, formula: Formula, names: str) -> Formula:
    """One step somewhere: an exchange of sides, a distribution, another sign or letter."""
    if isinstance(formula, str):
        return rng.choice(names) if rng.random() < 0.25 else formula
    sign, one, other = formula
    if rng.random() < 0.4:
        return (sign, _changed(rng, one, names), other)
    if rng.random() < 0.5:
        return (sign, one, _changed(rng, other, names))
    if isinstance(other, tuple) and rng.random() < 0.7:
        inner, two, three = other
        if rng.random() < 0.7:  # X ? (Y ! Z) = (X ? Y) ! (X ? Z), perhaps with other signs
            turned = {"∪": "∩", "∩": "∪"}.get(inner, inner) if sign == "\\" else inner
            return (turned, (sign, one, two), (sign, one, three))
        return (inner, (sign, one, two), three)
    if sign == "\\":
        return (sign, one, ("∩", one, other))
    if sign == "△" and rng.random() < 0.6:
        return ("\\", ("∪", one, other), ("∩", one, other))
    if rng.random() < 0.2:
        return (rng.choice("∪∩\\△"), one, other)
    return (sign, other, one)


def _regions(claim: Claim, sets: int) -> int:
    """The regions in which a claim fails, as bits."""
    relation, left, right, given = claim
    one, other = _bits(left, sets), _bits(right, sets)
    bad = one & ~other if relation == "⊆" else one ^ other
    if given:
        bad &= ~(_bits(given[0], sets) & ~_bits(given[1], sets))
    return bad


@lru_cache(maxsize=4096)
def _bits(formula: Formula, sets: int) -> int:
    if isinstance(formula, str):
        place = LETTERS.index(formula)
        return sum(1 << region for region in range(2**sets) if region >> place & 1)
    sign, *parts = formula
    one, other = (_bits(part, sets) for part in parts)
    match sign:
        case "∪":
            return one | other
        case "∩":
            return one & other
        case "\\":
            return one & ~other
        case _:
            return one ^ other


def _useful(claim: Claim, sets: int) -> bool:
    """Whether a true claim says something: its sides differ, and it needs what it supposes."""
    relation, left, right, given = claim
    if left == right or (relation == "⊆" and not _regions(("=", left, right, ()), sets)):
        return False
    return not given or _regions((relation, left, right, ()), sets) > 0


def _holds(claim: Claim, inside: dict[str, bool]) -> bool:
    """Whether a claim holds when one element is all there is."""
    relation, left, right, given = claim
    if given and inside[given[0]] and not inside[given[1]]:
        return True
    one, other = _within(left, inside), _within(right, inside)
    return one == other if relation == "=" else other or not one


def _within(formula: Formula, inside: dict[str, bool]) -> bool:
    if isinstance(formula, str):
        return inside[formula]
    sign, left, right = formula
    one, other = _within(left, inside), _within(right, inside)
    if sign == "∪":
        return one or other
    if sign == "∩":
        return one and other
    return one and not other if sign == "\\" else one != other


def _told(claim: Claim) -> str:
    relation, left, right, given = claim
    whole = f"{_text(left)} {relation} {_text(right)}"
    return f"if {given[0]} ⊆ {given[1]}, then {whole}" if given else whole


def _text(formula: Formula) -> str:
    if isinstance(formula, str):
        return formula
    sign, one, other = formula
    return f"{_inner(one)} {sign} {_inner(other)}"


def _inner(formula: Formula) -> str:
    return formula if isinstance(formula, str) else f"({_text(formula)})"


LETTERS = "ABCDE"
LADDER = (
    Knobs(2, 2, 2, False),
    Knobs(3, 3, 2, False),
    Knobs(4, 3, 3, True),
    Knobs(5, 4, 4, True),
    Knobs(6, 5, 5, True),
)
FAMILY = Family(
    Claims,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=KIND,
    hardness=hardness,
    solver="all regions of the Venn diagram",
    guess_rate=0.35,
    recheck=recheck,
    steps=steps,
    canon=canon,
    known=lambda claims: LETTERS[: claims.sets],
    skills=("proof", "functions"),
    version=3,
)
