"""The words of drawn scoring rules: what each of them says, in three skins.

A rule is a tuple of a word and its operands, kinds being numbers; ("given", kind, rule) and
("barring", kind, rule) count only with, or only without, a thing of that kind.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from random import Random
from typing import Any, TypeAlias

Rule: TypeAlias = tuple[Any, ...]
Thing: TypeAlias = tuple[int, int]  # its kind, and its number

KINDS = 4
NAMES = [*permutations(range(KINDS))]  # that the kinds may be given, by number
THINGS = [(kind, number) for kind in range(KINDS) for number in range(1, 10)]


@dataclass(frozen=True, slots=True)
class Skin:
    item: str
    items: str
    whole: str  # what the chosen ones make
    sort: str  # what the kinds are
    trait: str  # the number that each has
    kinds: tuple[tuple[str, str], ...]  # one of the kind, and several


SKINS = {
    "cards": Skin(
        "card",
        "cards",
        "hand",
        "kind",
        "number",
        (("sun", "suns"), ("moon", "moons"), ("star", "stars"), ("wave", "waves")),
    ),
    "stones": Skin(
        "stone",
        "stones",
        "necklace",
        "kind",
        "weight",
        (("ruby", "rubies"), ("opal", "opals"), ("pearl", "pearls"), ("topaz", "topazes")),
    ),
    "sailors": Skin(
        "sailor",
        "sailors",
        "crew",
        "job",
        "strength",
        (("cook", "cooks"), ("pilot", "pilots"), ("doctor", "doctors"), ("gunner", "gunners")),
    ),
}
TEXTS = {
    "each": "each {one} scores {points} points",
    "fine": "each {one} costs {points} points",
    "sum": "the {trait} of each {one} is added to the points",
    "pair": "every two {items} of the same {trait} score {points} points together",
    "step": "every two {items} differing in {trait} by exactly 1 score {points} points together",
    "variety": "each different {sort} in the {whole} scores {points} points once",
    "exactly": "the {whole} scores {points} points if it has exactly {count}",
    "more": "the {whole} scores {points} points if it has more {several} than {others}",
    "even": "each {item} with an even {trait} scores {points} points",
    "light": "the {whole} scores {points} points if its {items} have a total {trait} of at most"
    " {count}",
    "top": "the highest {trait} in the {whole} is added to its points",
    "crowd": "every {item} beyond the first of the same {sort} costs {points} points",
}
WORDS = tuple(TEXTS)  # of rules without a condition


def drawn_rule(rng: Random, chosen: int, conditioned: bool) -> Rule:
    """A rule about so many chosen things."""
    if conditioned:
        return (
            rng.choice(("given", "barring")),
            rng.randrange(KINDS),
            drawn_rule(rng, chosen, False),
        )
    word, points = rng.choice(WORDS), rng.randint(2, 9)
    match word:
        case "each" | "fine":
            return word, rng.randrange(KINDS), points
        case "sum":
            return word, rng.randrange(KINDS)
        case "exactly":
            return word, rng.randrange(KINDS), rng.randint(1, max(1, chosen // 2)), points + 3
        case "more":
            return word, *rng.sample(range(KINDS), 2), points + 3
        case "light":
            return word, rng.randint(4 * chosen, 6 * chosen), points + 3
        case "top":
            return (word,)
    return word, points


def said(skin: Skin, rule: Rule) -> str:
    """A rule as a sentence, without its capital letter and full stop."""
    word, *operands = rule
    if word in ("given", "barring"):
        kind, inner = operands
        amount = "at least one" if word == "given" else "no"
        return f"only if the {skin.whole} has {amount} {skin.kinds[kind][0]}: {said(skin, inner)}"
    words = {"item": skin.item, "items": skin.items, "whole": skin.whole, "trait": skin.trait}
    words["sort"] = skin.sort
    if word in ("each", "fine", "sum", "exactly", "more"):
        words["one"], words["several"] = skin.kinds[operands[0]]
    if word == "more":
        words["others"] = skin.kinds[operands[1]][1]
    if word == "exactly":
        count = operands[1]
        words["count"] = f"{count} {skin.kinds[operands[0]][count > 1]}"
    if word == "light":
        words["count"] = str(operands[0])
    return TEXTS[word].format(**words, points=operands[-1] if operands else 0)


def topic(rule: Rule) -> object:
    """What no two rules of a choice have in common: two prices for the same are one."""
    if rule[0] in ("each", "fine"):
        return "each", rule[1]
    return (rule[0], rule[1], topic(rule[2])) if rule[0] in ("given", "barring") else rule[0]


def anonymous(rules: tuple[Rule, ...]) -> list[str]:
    """The rules, whatever the kinds are called and in any order."""
    return min(renamed(rules))


def renamed(rules: tuple[Rule, ...]) -> list[list[str]]:
    """The rules with each of NAMES for the kinds, in any order."""
    return [*map(sorted, zip(*map(_forms, rules), strict=True))]


@lru_cache(maxsize=1 << 10)
def _forms(rule: Rule) -> list[str]:
    return [repr(_with_kinds(rule, names)) for names in NAMES]


def _with_kinds(rule: Rule, names: tuple[int, ...]) -> Rule:
    match rule:
        case ("given" | "barring" as word, kind, inner):
            return word, names[kind], _with_kinds(inner, names)
        case ("more", kind, other, points):
            return "more", names[kind], names[other], points
        case ("each" | "fine" | "sum" | "exactly" as word, kind, *rest):
            return word, names[kind], *rest
    return rule
