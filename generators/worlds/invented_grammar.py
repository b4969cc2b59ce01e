"""Invented grammar: how many trees does a drawn grammar have for each of some strings?

None means that the string is not in the language. `solve` counts trees of ever longer parts of a
string; `verify` rewrites from the start symbol, leftmost first, and counts the ways to the string,
each tree being one of them. Without any of the rules that are needed, a number is another one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log2
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators._renaming import unnamed

# By symbol and start of a part: in how many ways it becomes that part, by where this ends.
Chart: TypeAlias = defaultdict[tuple[str, int], dict[int, int]]
Rule: TypeAlias = tuple[str, str]  # a capital letter, and what may take its place

SYMBOLS, LETTERS = "SABCD", "xyzw"
MOST = 60  # trees of a string
DRAWS = 10
# What the things are called that are replaced, those that stay, and a row of them.
SKINS = {
    "grammar": ("symbol", "letter", "string"),
    "plants": ("bud", "leaf", "branch"),
    "dances": ("figure", "step", "dance"),
}
PLURALS = {"leaf": "leaves"}


@dataclass(frozen=True, slots=True)
class Knobs:
    symbols: int  # that are replaced
    rules: int  # that the answer needs
    spare: int  # that it does not need
    letters: int  # that stay
    length: int  # of a string, at most
    strings: int  # to count the trees of


@dataclass(frozen=True, slots=True)
class Grammar:
    skin: str
    rules: tuple[Rule, ...]
    needed: tuple[int, ...]  # places of rules without which the answer is another one
    strings: tuple[str, ...]


def generate(rng: Random, knobs: Knobs) -> Grammar | None:
    symbols, letters = SYMBOLS[: knobs.symbols], LETTERS[: knobs.letters]
    skin, total = rng.choice(sorted(SKINS)), knobs.rules + knobs.spare
    for _ in range(DRAWS):
        rules = _rules(rng, symbols, letters, total)
        rights = _by_left(rules)
        made = {text for _ in range(12) if (text := _grown(rng, rights, knobs.length))}
        inside = sorted(text for text in made if len(text) > 2)
        if len(inside) < knobs.strings - 1:
            continue
        texts = rng.sample(inside, knobs.strings - 1)
        texts.append(_altered(rng, rng.choice(inside), letters))
        rng.shuffle(texts)
        if len(set(texts)) < len(texts):
            continue
        charts = [(_chart(rules, text), len(text)) for text in texts]
        if not 2 <= max(_ways(chart, "S", 0, end) for chart, end in charts) <= MOST:
            continue
        # Without a rule, just the trees that it is in are missing.
        needed = set[int]().union(*(_used(rules, *chart) for chart in charts))
        if len(needed) >= knobs.rules:
            return Grammar(skin, rules, tuple(sorted(needed)), tuple(texts))
    return None


def solve(grammar: Grammar) -> tuple[int, ...]:
    return tuple(_trees(grammar.rules, text) for text in grammar.strings)


def verify(grammar: Grammar, counts: tuple[int, ...]) -> float:
    return float(counts == tuple(_derivations(grammar.rules, text) for text in grammar.strings))


def render(grammar: Grammar, style: Style) -> Prompt:
    symbol, letter, row = SKINS[grammar.skin]
    letters = PLURALS.get(letter, letter + "s")
    rules = "\n".join(f"{left} -> {' '.join(right)}" for left, right in grammar.rules)
    rows = "\n".join(
        f"{number}. {' '.join(text)}" for number, text in enumerate(grammar.strings, 1)
    )
    capitals = f"Capital letters are {symbol}s, small ones {letters}."
    grammatical = grammar.skin == "grammar"
    name = "context-free grammar" if grammatical else f"set of rules for making a {row}"
    tree = "parse trees" if grammatical else "ways"
    ways = (
        "Two derivations count as one if they use the same rules for the same symbols and differ"
        " only in the order, that is, if they have the same parse tree."
    )
    if not grammatical:
        ways = (
            f"Always the first {symbol} from the left is replaced. Two ways differ if at some point"
            " they use different rules."
        )
    return Prompt(
        style.pick(
            f"This is a {name}:\n\n{rules}\n\n{capitals} One begins with S alone. In each step, one"
            f" {symbol} is replaced by the right side of one of its rules, until only {letters} are"
            f" left. {ways}\n\nHow many {tree} lead to each of these? A {row} that cannot be made"
            f" has 0.\n\n{rows}",
            f"Count, for each {row} in this list, the {tree} by which it comes from S (0 if it does"
            f" not):\n\n{rows}\n\n{capitals} A {symbol} may be replaced by what stands on"
            f" the right in any of its rules:\n\n{rules}\n\nThis goes on until there are {letters}"
            f" only. {ways}",
            f"Rules:\n\n{rules}\n\n{capitals} Start from S and replace one {symbol} at a time, as a"
            f" rule for it says, until none is left. {ways} For each {row} below, give the number"
            f" of {tree} to make it; if there is none, the number is 0.\n\n{rows}",
        ),
        form="the numbers in the order of the list, separated by commas",
    )


def steps(grammar: Grammar) -> list[str]:
    """The trees of the parts of each string, from S's point of view: its rules one by one."""
    lines = []
    for text in grammar.strings:
        chart = _chart(grammar.rules, text)
        for left, right in grammar.rules:
            if left == "S" and (count := _ways(chart, right, 0, len(text))):
                lines.append(f"{' '.join(text)}: {count} beginning with S -> {' '.join(right)}")
        lines.append(f"{' '.join(text)}: {_trees(grammar.rules, text)} in all")
    return lines


def canon(grammar: Grammar) -> list[object]:
    names = [*SYMBOLS[1:], *LETTERS]
    facts = [(left, *right) for left, right in grammar.rules]
    return [*unnamed([*facts, *(("is", *text) for text in grammar.strings)], names)]


def kin(grammar: Grammar) -> list[str]:
    """The rules that are needed, whatever the symbols are called."""
    rules = [grammar.rules[place] for place in grammar.needed]
    return unnamed([(left, *right) for left, right in rules], [*SYMBOLS[1:], *LETTERS])


def without(grammar: Grammar) -> Iterator[Grammar]:
    return (_left_out(grammar, place) for place in grammar.needed)


def hardness(grammar: Grammar) -> float:
    """The parts that the strings fall into, by every rule, by order of magnitude; and the trees."""
    parts = sum(len(text) ** 3 for text in grammar.strings)
    return log2(parts * len(grammar.rules)) + log2(1 + sum(solve(grammar)))


def _left_out(grammar: Grammar, place: int) -> Grammar:
    rules = grammar.rules[:place] + grammar.rules[place + 1 :]
    return replace(grammar, rules=rules, needed=())


def _rules(rng: Random, symbols: str, letters: str, count: int) -> tuple[Rule, ...]:
    """A letter alone for every symbol but the first, and longer right sides for all."""
    drawn: dict[Rule, None] = {(symbol, rng.choice(letters)): None for symbol in symbols[1:]}
    for symbol in symbols:
        drawn[symbol, rng.choice(symbols) + rng.choice(symbols)] = None
    while len(drawn) < count:
        size = rng.choice((1, 2, 2, 2, 3))
        right = "".join(rng.choice(rng.choice((symbols, symbols, letters))) for _ in range(size))
        if size > 1 or right in letters:
            drawn[rng.choice(symbols), right] = None
    return tuple(sorted(drawn, key=lambda rule: (symbols.index(rule[0]), rule[1])))


def _grown(rng: Random, rights: Mapping[str, Sequence[str]], length: int) -> str:
    """A string of the language; nothing if it becomes too long."""
    form, at = "S", 0  # where the first symbol is that is replaced
    size = 1
    while at < size:
        right = rng.choice(rights[form[at]])
        size += len(right) - 1
        if size > length:
            return ""
        form = form[:at] + right + form[at + 1 :]
        while at < size and form[at] in LETTERS:
            at += 1
    return form


def _by_left(rules: tuple[Rule, ...]) -> dict[str, list[str]]:
    """What may take each symbol's place."""
    rights: dict[str, list[str]] = {}
    for left, right in rules:
        rights.setdefault(left, []).append(right)
    return rights


def _altered(rng: Random, text: str, letters: str) -> str:
    """With one letter exchanged or put in."""
    at, letter = rng.randrange(len(text)), rng.choice(letters)
    return text[:at] + letter + text[at + rng.randint(0, 1) :]


def _trees(rules: tuple[Rule, ...], text: str) -> int:
    return _ways(_chart(rules, text), "S", 0, len(text))


@lru_cache(maxsize=8)  # generate asks before the item is certified
def _chart(rules: tuple[Rule, ...], text: str) -> Chart:
    """In how many ways symbols become the parts of a text, short ones first.

    No rule gives a single symbol, so that a part's trees consist of shorter parts.
    """
    chart: Chart = defaultdict(dict)
    for start, letter in enumerate(text):
        chart[letter, start][start + 1] = 1
    for size in range(1, len(text) + 1):
        fitting = [(left, right) for left, right in rules if len(right) <= size]
        for start in range(len(text) - size + 1):
            found = dict[str, int]()
            for left, right in fitting:
                if (right[0], start) in chart and (
                    more := _ways(chart, right, start, start + size)
                ):
                    found[left] = found.get(left, 0) + more
            for left, count in found.items():
                chart[left, start][start + size] = count
    return chart


def _ways(chart: Chart, symbols: str, start: int, end: int) -> int:
    """In how many ways symbols become a part of the text."""
    ends, rest = chart.get((symbols[0], start)), symbols[1:]
    if not ends:
        return 0
    if not rest:
        return ends.get(end, 0)
    total = 0
    if len(rest) == 1:
        for cut, count in ends.items():
            if more := chart.get((rest, cut)):
                total += count * more.get(end, 0)
    else:
        for cut, count in ends.items():
            total += count * _ways(chart, rest, cut, end)
    return total


def _used(rules: tuple[Rule, ...], chart: Chart, end: int) -> set[int]:
    """The places of the rules that some tree of the text has."""
    used, parts = set[int](), {("S", 0, end)}
    waiting = [*parts]  # rows of symbols, each with a part of the text that it becomes
    while waiting:
        symbols, start, end = waiting.pop()
        if not _ways(chart, symbols, start, end):
            continue
        if len(symbols) == 1:
            places = [at for at, rule in enumerate(rules) if rule[0] == symbols
                      and _ways(chart, rule[1], start, end)]  # fmt: skip
            used.update(places)
            found = {(rules[at][1], start, end) for at in places}
        else:
            cuts = chart[symbols[0], start]
            found = {
                (symbols[0], start, cut) for cut in cuts if _ways(chart, symbols[1:], cut, end)
            }
            found |= {(symbols[1:], cut, end) for cut in cuts}
        waiting += found - parts
        parts |= found
    return used


def _derivations(rules: tuple[Rule, ...], text: str) -> int:
    """The interpreter: ways to rewrite S, leftmost symbol first, until the string stands there."""
    rights = _by_left(rules)
    # By how many letters of the text stand there, and what follows them, a symbol first
    forms, finished = {(0, "S"): 1}, 0
    while forms:
        after = Counter[tuple[int, str]]()
        for (at, form), count in forms.items():
            for right in rights.get(form[0], ()):
                made = right + form[1:]
                rest = made.lstrip(LETTERS)
                done = at + len(made) - len(rest)
                if at + len(made) <= len(text) and text.startswith(made[: done - at], at):
                    if rest:
                        after[done, rest] += count
                    else:
                        finished += count * (done == len(text))
        forms = after
    return finished


LADDER = (
    Knobs(2, 4, 0, 2, 4, 2),
    Knobs(2, 5, 0, 2, 5, 3),
    Knobs(3, 6, 1, 3, 6, 3),
    Knobs(3, 8, 1, 3, 8, 3),
    Knobs(4, 9, 2, 3, 8, 4),
)
FAMILY = Family(
    Grammar,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    hardness=hardness,
    proof="unique",
    solver="trees of ever longer parts",
    guess_rate=0.15,
    steps=steps,
    canon=canon,
    kin=kin,
    without=without,
    skills=("enumeration", "rules"),
    version=3,
)
