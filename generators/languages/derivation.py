"""Derivation: by which rules of a grammar, leftmost first, does the start symbol become a string?

A grammar may be ambiguous, so that several derivations are right. `solve` asks of ever smaller
parts of the string what they can come from; `verify` rewrites from the start symbol on, and
`recheck` grows the tree and reads its leaves.
"""

from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators._renaming import unnamed

Rule: TypeAlias = tuple[str, str]  # a capital letter, and what may take its place

SYMBOLS, LETTERS = "SABCDEF", "xyzw"


@dataclass(frozen=True, slots=True)
class Knobs:
    symbols: int  # that are rewritten
    rules: int  # for each of them
    letters: int  # of which the string is made
    length: int  # of the string, about


@dataclass(frozen=True, slots=True)
class Sentence:
    rules: tuple[Rule, ...]
    text: str


def generate(rng: Random, knobs: Knobs) -> Sentence | None:
    for _ in range(30):
        rules = _grammar(rng, knobs)
        text, used = _derived(rng, rules, knobs.length)
        near = 3 * knobs.length // 4 <= len(text) <= 5 * knobs.length // 4
        varied = min(knobs.symbols * knobs.rules, knobs.length) // 2 + 1
        if near and len(set(used)) >= varied:
            return Sentence(rules, text)
    return None


def solve(sentence: Sentence) -> tuple[int, ...] | None:
    """No rule gives nothing or a single symbol, so the parts of a part are smaller than it: what
    each sequence of symbols can make is found for longer and longer parts of the text."""
    text, rules = sentence.text, sentence.rules
    sequences = {right[at:] for _, right in rules for at in range(len(right))}
    longer = sorted((each for each in sequences if len(each) > 1), key=len)
    single = {*SYMBOLS[0], *text, *(sign for rule in rules for side in rule for sign in side)}
    # Where a part of the text ends that is made, by its start; and the other way round; as bits.
    ends = {each: [0] * (len(text) + 1) for each in (*single, *longer)}
    starts = {each: [0] * (len(text) + 1) for each in ends}

    def note(sequence: str, start: int, end: int) -> None:
        ends[sequence][start] |= 1 << end
        starts[sequence][end] |= 1 << start

    for start, letter in enumerate(text):
        note(letter, start, start + 1)
    for size in range(1, len(text) + 1):
        for start in range(len(text) + 1 - size):
            end = start + size
            for sequence in longer:
                if ends[sequence[0]][start] & starts[sequence[1:]][end]:
                    note(sequence, start, end)
            for left, right in rules:
                if ends[right][start] >> end & 1:
                    note(left, start, end)

    def derivation(symbols: str, start: int, end: int) -> tuple[int, ...]:
        """The rules that make the symbols a part of the text, which they can."""
        if not symbols:
            return ()
        first, rest = symbols[0], symbols[1:]
        if first.islower():
            return derivation(rest, start + 1, end)
        cuts = ends[first][start] & (starts[rest][end] if rest else 1 << end)
        cut = (cuts & -cuts).bit_length() - 1
        number, right = next(
            (number, right)
            for number, (left, right) in enumerate(rules, 1)
            if left == first and ends[right][start] >> cut & 1
        )
        return (number, *derivation(right, start, cut), *derivation(rest, cut, end))

    if not ends[SYMBOLS[0]][0] >> len(text) & 1:
        return None
    return derivation(SYMBOLS[0], 0, len(text))


def verify(sentence: Sentence, numbers: tuple[int, ...]) -> float:
    form, text = SYMBOLS[0], sentence.text
    for number in numbers:
        place = next((at for at, symbol in enumerate(form) if symbol.isupper()), None)
        if place is None or not 1 <= number <= len(sentence.rules) or len(form) > len(text):
            return 0.0
        left, right = sentence.rules[number - 1]
        if form[place] != left:
            return 0.0
        form = form[:place] + right + form[place + 1 :]
    return float(form == text)


def recheck(sentence: Sentence, numbers: tuple[int, ...]) -> bool:
    waiting = [SYMBOLS[0]]  # what is still to be grown, the next one last
    coming = list(reversed(numbers))
    leaves: list[str] = []
    while waiting:
        symbol = waiting.pop()
        if symbol in LETTERS:
            leaves.append(symbol)
            continue
        if not coming or coming[-1] not in range(1, len(sentence.rules) + 1):
            return False
        left, right = sentence.rules[coming.pop() - 1]
        if left != symbol:
            return False
        waiting += reversed(right)
    return not coming and leaves == list(sentence.text)


def render(sentence: Sentence, style: Style) -> Prompt:
    rules = "\n".join(
        f"{number}. {left} -> {' '.join(right)}"
        for number, (left, right) in enumerate(sentence.rules, 1)
    )
    text = " ".join(sentence.text)
    return Prompt(
        style.pick(
            f"A context-free grammar has these rules, and the start symbol S:\n\n{rules}\n\nGive a"
            f" leftmost derivation of the string\n\n{text}\n\nIn every step of it, the leftmost"
            " capital letter is replaced by the right side of one of its rules. Name the numbers of"
            " the rules.",
            f"Begin with S. In one move you take the first capital letter from the left, and put in"
            f" its place the right side of a rule that has this letter on its left side:\n\n{rules}"
            f"\n\nWhich rules, one after the other, lead from S to\n\n{text}\n\n?",
            f"{text}\n\nParse the string above with the grammar\n\n{rules}\n\nwhose start symbol is"
            " S and whose capital letters are nonterminals. Write the parse as the sequence of rule"
            " numbers of the leftmost derivation, in which the leftmost nonterminal is always"
            " expanded. If there are several, give any one.",
        ),
        form="the numbers of the rules in the order of their use, separated by commas",
    )


def steps(sentence: Sentence) -> list[str]:
    form, lines = SYMBOLS[0], []
    for number in solve(sentence) or ():
        left, right = sentence.rules[number - 1]
        form = form.replace(left, right, 1)
        lines.append(f"rule {number}: {' '.join(form)}")
    return lines


def progress(sentence: Sentence, lines: Lines) -> float:
    return states_followed(FAMILY, sentence, lines)


def canon(sentence: Sentence) -> list[str]:
    """The names of symbols and letters do not matter, nor the order of the rules."""
    facts = [("rule", left, *right) for left, right in sentence.rules]
    facts += [("text", *sentence.text), ("start", SYMBOLS[0])]
    return unnamed(facts, [*SYMBOLS, *LETTERS])


def hardness(sentence: Sentence) -> float:
    return float(len(sentence.text) * len(sentence.rules) ** 0.5)


def _grammar(rng: Random, knobs: Knobs) -> tuple[Rule, ...]:
    """Every symbol has a rule of letters only; the others mix letters and symbols."""
    symbols, letters = SYMBOLS[: knobs.symbols], LETTERS[: knobs.letters]
    found: list[Rule] = []
    for symbol in symbols:
        sides: list[str] = []
        for _ in range(50):
            if len(sides) == knobs.rules:
                break
            plain = not sides and symbol != SYMBOLS[0]
            count = rng.choice([1, 1, 2]) if plain else rng.choice([2, 2, 3, 3])
            inside = rng.choices(letters if plain else symbols, k=count)
            side = "".join(
                rng.choice(letters) if not plain and rng.random() < 0.4 else sign for sign in inside
            )
            if side not in sides and (plain or any(sign.isupper() for sign in side)):
                sides.append(side)
        found += [(symbol, side) for side in sides]
    return tuple(found)


def _derived(rng: Random, rules: tuple[Rule, ...], length: int) -> tuple[str, list[int]]:
    """A string, and the rules that make it; the shortest rules where it grows too long."""
    form, used = SYMBOLS[0], list[int]()
    for _ in range(3 * length):
        place = next((at for at, symbol in enumerate(form) if symbol.isupper()), None)
        if place is None:
            return form, used
        fitting = [at for at, (left, _) in enumerate(rules) if left == form[place]]
        if len(form) > 2 * length:
            break
        if len(form) >= 3 * length // 4:
            fitting = fitting[:1]
        number = rng.choice(fitting)
        used.append(number)
        form = form[:place] + rules[number][1] + form[place + 1 :]
    return "", []


LADDER = (
    Knobs(2, 3, 2, 6),
    Knobs(3, 3, 2, 9),
    Knobs(3, 3, 2, 13),
    Knobs(4, 3, 2, 18),
    Knobs(5, 3, 2, 25),
    Knobs(6, 3, 2, 36),
)
FAMILY = Family(
    Sentence,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(form="the numbers of the rules"),
    hardness=hardness,
    solver="a table of what parts of the string can come from",
    guess_rate=0.08,
    recheck=recheck,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("search", "rules"),
    peers=("reasoning-core/parsing_derivation",),
    version=2,
)
