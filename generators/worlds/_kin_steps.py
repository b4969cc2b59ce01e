"""People and steps from one to another: drawn, as relations of all, and from one person on."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import TypeAlias

# What a step leads to (parent, child, sibling, spouse or term), of which sex ("m", "f", "") and
# which rank ("oldest", "older", ...; or ""); of a term, its place as a number.
Step: TypeAlias = tuple[str, str, str]
Couple: TypeAlias = tuple[int, int, tuple[int, ...]]  # a man, a woman, children from the oldest on
People: TypeAlias = set[int]
Kin = dict[int, list[int]]

NOUNS = {
    "parent": {"m": "father", "f": "mother", "": "parent"},
    "child": {"m": "son", "f": "daughter", "": "child"},
    "sibling": {"m": "brother", "f": "sister", "": "sibling"},
    "spouse": {"": "spouse"},
}
SEXES = {noun: sorted(words) for noun, words in NOUNS.items()}
RANKS = {
    "parent": ("",),
    "child": ("", "oldest", "youngest"),
    "sibling": ("", "older", "younger", "oldest", "youngest"),
    "spouse": ("",),
}
# More of them.
FINER = {
    "child": ("second oldest", "second youngest"),
    "sibling": ("nearest older", "nearest younger", "second oldest", "second youngest"),
}
SEVERAL = ("", "older", "younger")  # ranks that more than one person may have


def drawn_people(rng: Random, count: int) -> tuple[str, tuple[Couple, ...]]:
    """Couples whose children marry the other first couple's, or people from elsewhere."""
    sexes, couples, single = "mfmf", list[Couple](), list[tuple[int, int]]()  # with their parents
    waiting = [(0, 1), (2, 3)]
    for number in range(count):
        man, woman = waiting.pop(0)
        children = tuple(range(len(sexes), len(sexes) + rng.randint(2, 4)))
        sexes += "".join(rng.choice("mf") for _ in children)
        couples.append((man, woman, children))
        single += [(child, number) for child in children]
        while not waiting:
            person, family = single.pop(rng.randrange(len(single)))
            # Only the first couples' children marry one another, so that no relatives do.
            others = [it for it in single if {it[1], family} == {0, 1}]
            others = [it for it in others if sexes[it[0]] != sexes[person]]
            if others and rng.random() < 0.7:
                mate = rng.choice(others)
                single.remove(mate)
                partner = mate[0]
            else:
                partner = len(sexes)
                sexes += "f" if sexes[person] == "m" else "m"
            waiting.append((person, partner) if sexes[person] == "m" else (partner, person))
    return sexes, tuple(couples)


def drawn_definition(rng: Random, count: int, finer: bool) -> list[Step]:
    while True:
        steps = _steps(rng, count, finer)
        nouns = [noun for noun, _, _ in steps]
        # A parent's spouse is the other parent, and much that is asked would be so by marriage.
        plain = nouns.count("spouse") > 1 or ("parent", "spouse") in pairwise(nouns)
        if not finer or (any(rank for _, _, rank in steps) and not plain):
            return steps


def _steps(rng: Random, count: int, finer: bool) -> list[Step]:
    steps: list[Step] = []
    while len(steps) < count:
        noun = rng.choice(("parent", "parent", "child", "child", "sibling", "sibling", "spouse"))
        if steps and noun == steps[-1][0] and noun in ("sibling", "spouse"):
            continue
        sex = rng.choice(SEXES[noun])
        ranks = RANKS[noun] + (FINER.get(noun, ()) if finer else ())
        steps.append((noun, sex, rng.choice(ranks)))
    return steps


# Where those of a rank stand among the fitting, from the oldest on.
PLACES = {
    "oldest": slice(0, 1),
    "second oldest": slice(1, 2),
    "second youngest": slice(-2, -1),
    "youngest": slice(-1, None),
    "nearest older": slice(-1, None),
    "nearest younger": slice(0, 1),
}


@lru_cache(maxsize=2)
def _kin(couples: tuple[Couple, ...]) -> dict[tuple[str, str], Kin]:
    """Everybody's kin of a kind, as bits, from the oldest on; siblings by their age, too."""
    parents, children, spouses = Kin(), Kin(), Kin()
    siblings, older, younger = Kin(), Kin(), Kin()
    for man, woman, born in couples:
        pair, bits = [1 << man, 1 << woman], [1 << child for child in born]
        spouses |= {man: pair[1:], woman: pair[:1]}
        children[man] = children[woman] = bits
        for at, ego in enumerate(born):
            parents[ego], older[ego], younger[ego] = pair, bits[:at], bits[at + 1 :]
            siblings[ego] = older[ego] + younger[ego]
    kin = {("parent", ""): parents, ("child", ""): children, ("spouse", ""): spouses}
    return kin | {("sibling", ""): siblings, ("sibling", "older"): older,
                  ("sibling", "younger"): younger}  # fmt: skip


def as_set(people: Iterable[int]) -> int:
    bits = 0
    for person in people:
        bits |= 1 << person
    return bits


def relation(sexes: str, couples: tuple[Couple, ...], step: Step) -> list[int]:
    """The engine: for each person, those whom a step leads to, as bits."""
    noun, sex, rank = step
    age, able, found = rank.removeprefix("nearest "), _of_sex(sexes, sex), [0] * len(sexes)
    whole = _kin(couples)[noun, age if age in SEVERAL else ""]
    if rank in SEVERAL:
        for ego, people in whole.items():
            found[ego] = sum(people) & able
        return found
    places = PLACES[rank]
    for ego, people in whole.items():
        found[ego] = sum([each for each in people if each & able][places])
    return found


@lru_cache(maxsize=4)
def _of_sex(sexes: str, sex: str) -> int:
    return as_set(ego for ego, each in enumerate(sexes) if sex in ("", each))


def near(sexes: str, couples: tuple[Couple, ...], ego: int, step: Step) -> People:
    """The interpreter: whom a step leads to from one person."""
    noun, sex, rank = step
    people: list[int] = []
    for man, woman, children in couples:
        if noun == "spouse" and ego in (man, woman):
            people.append(man + woman - ego)
        elif noun == "child" and ego in (man, woman):
            people += children
        elif noun == "parent" and ego in children:
            people += [man, woman]
        elif noun == "sibling" and ego in children:
            at = children.index(ego)
            people += children[:at] if not rank.endswith("younger") else ()
            people += children[at + 1 :] if not rank.endswith("older") else ()
    fitting = [each for each in people if not sex or sexes[each] == sex]
    words = rank.split(" ")
    if rank in SEVERAL:
        return set(fitting)
    if words[-1] in ("youngest", "older"):  # count from the youngest, or back from one's own age
        fitting.reverse()
    return set(fitting[1:2] if words[0] == "second" else fitting[:1])
