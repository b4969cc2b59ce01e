"""Rewriting: rules replace parts of a string until none of them applies any more.

In systems of pairs, letters that move right meet letters that move left: a matching pair vanishes,
any other changes places; the end does not depend on the order, so `solve` keeps the right-movers on
a stack while `verify` rewrites from the right. In ordered systems the first rule that applies does
so at its leftmost place; every rule makes the string shorter or earlier in some alphabet, so it
ends. `solve` looks from place to place there, and `verify` replaces.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Lines, Prompt, Style
from puzzlemill.core.partial.derivation import states_followed
from puzzlemill.generators.strings._letters import CONSONANTS, drawn, renamed

MOST = 70  # rewritings


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of the string
    kinds: int  # of pairs; in ordered systems, a letter more and twice as many rules
    ordered: float  # how often the system is an ordered one


@dataclass(frozen=True, slots=True)
class System:
    text: str
    rules: tuple[tuple[str, str], ...]  # what is replaced, by what
    ordered: bool  # whether the order of the rules counts


def generate(rng: Random, knobs: Knobs) -> System | None:
    ordered = rng.random() < knobs.ordered
    letters = rng.sample(CONSONANTS, knobs.kinds + 1 if ordered else 2 * knobs.kinds)
    rules = _ordered(rng, letters, 2 * knobs.kinds) if ordered else _pairs(letters)
    if not ordered:
        rng.shuffle(rules)
    system = System(drawn(rng, "".join(letters), knobs.length), tuple(rules), ordered)
    texts = [system.text]
    for text in _rewritings(system):
        texts.append(text)
        if len(texts) > MOST:
            return None
    return system if texts[-1] and len(texts) > knobs.length // 2 else None


def solve(system: System) -> tuple[str, ...]:
    if not system.ordered:
        return _collided(system)
    letters = list(system.text)
    while found := _first(system.rules, letters):
        place, (left, right) = found
        letters[place : place + len(left)] = right
    return tuple(letters)


def verify(system: System, letters: tuple[str, ...]) -> float:
    text = system.text
    for text in _rewritings(system):  # noqa: B007  (the last one counts)
        pass
    return float("".join(letters) == text)


def render(system: System, style: Style) -> Prompt:
    rules = "\n".join(f"{left} -> {right or 'nothing'}" for left, right in system.rules)
    nothing = any(not right for _, right in system.rules)
    delete = ' (where it says "nothing", the left side is deleted)' if nothing else ""
    text = system.text
    if system.ordered:
        question = style.pick(
            f"Rewrite the string {text} by these rules, whose order counts:\n{rules}\n\nIn each"
            " step, take the first rule in the list whose left side occurs in the string, and"
            " replace the leftmost occurrence of its left side by its right side"
            f"{delete}. Then start again with the first rule. Stop when no left side occurs in the"
            " string any more. Which string is left?",
            f"A machine works on a string with a list of rules:\n{rules}\n\nAgain and again, it"
            " goes down the list from the top to the first rule whose left side stands anywhere in"
            " the string, and puts the right side in the place of that left side, only once and as"
            f" far to the left as possible{delete}. It halts when there is no such rule. What does"
            f" it make of {text}?",
            f"Start with {text}. One step is this: find the topmost rule below whose left side is a"
            " part of the string, and exchange the first such part, from the left, for the right"
            f" side of the rule{delete}. Make steps until none is possible. What do you end"
            f" with?\n\n{rules}",
        )
    else:
        question = style.pick(
            f"Rewrite the string {text} by these rules:\n{rules}\n\nAs long as two neighbouring"
            " letters are the left side of a rule, replace them by its right"
            f" side{delete}. The order in which you do this makes no difference in the end. Which"
            " string is left when no rule applies any more?",
            f"The following rules say what happens to two letters that stand side by"
            f" side:\n{rules}\n\nThey are applied to {text}, in any order and as often as possible"
            f"{delete}; the end is always the same. What is it?",
            f"Start with {text}. Wherever the left side of a rule below stands in the string, it"
            f" may be exchanged for the right side{delete}. Go on until that is possible nowhere."
            " What do you end with? (All orders lead to the same string.)\n\n" + rules,
        )
    return Prompt(question, "the letters of the final string in order, separated by spaces")


def steps(system: System) -> list[str]:
    return [system.text, *_rewritings(system)]


def progress(system: System, lines: Lines) -> float:
    return states_followed(FAMILY, system, lines)


def canon(system: System) -> list[object]:
    """Which letters are used does not matter, nor the order of rules where it does not count."""
    named = dict.fromkeys(system.text)
    rules = list(system.rules)
    if not system.ordered:
        place = {letter: str(at).zfill(2) for at, letter in enumerate(named)}
        rules.sort(key=lambda rule: [place.get(letter, letter) for letter in rule[0]])
    return [renamed([system.text, *(side for rule in rules for side in rule)]), system.ordered]


def hardness(system: System) -> float:
    """The rewritings that it takes, and the rules to look at."""
    return sum(1 for _ in _rewritings(system)) + len(system.text) + len(system.rules)


def _rewritings(system: System) -> Iterator[str]:
    """The string after each step: ordered as the prompt says, else as far right as possible."""
    text, rules = system.text, dict(system.rules)
    if system.ordered:
        while rule := next((rule for rule in system.rules if rule[0] in text), None):
            text = text.replace(*rule, 1)
            yield text
        return
    at = len(text) - 2
    while at >= 0:
        if (right := rules.get(text[at : at + 2])) is None:
            at -= 1
            continue
        text = text[:at] + right + text[at + 2 :]
        yield text
        at = min(at + 1, len(text) - 2)  # what stands to the right of that was seen


def _first(
    rules: tuple[tuple[str, str], ...], letters: list[str]
) -> tuple[int, tuple[str, str]] | None:
    """The first rule that applies, and the first place where it does."""
    for rule in rules:
        left = list(rule[0])
        for at in range(len(letters) - len(left) + 1):
            if letters[at : at + len(left)] == left:
                return at, rule
    return None


def _collided(system: System) -> tuple[str, ...]:
    """Right-movers wait on a stack; a left-mover ends its last partner there, or comes through."""
    partner = {left[1]: left[0] for left, right in system.rules if not right}
    through: list[str] = []
    waiting: list[str] = []
    for letter in system.text:
        if letter not in partner:
            waiting.append(letter)
        elif partner[letter] in waiting:
            last = max(at for at, other in enumerate(waiting) if other == partner[letter])
            del waiting[last]
        else:
            through.append(letter)
    return (*through, *waiting)


def _pairs(letters: list[str]) -> list[tuple[str, str]]:
    half = len(letters) // 2
    rightward, leftward = letters[:half], letters[half:]
    return [
        (one + other, "" if place == rightward.index(one) else other + one)
        for one in rightward
        for place, other in enumerate(leftward)
    ]


def _ordered(rng: Random, letters: list[str], count: int) -> list[tuple[str, str]]:
    """Rules that sort letters, shorten parts, or make them earlier in the order of `letters`."""
    rules: dict[str, str] = {}
    for _ in range(count * 5):
        left = rng.choices(letters, k=rng.choice([2, 2, 3]))
        match rng.randrange(4):
            case 0:
                right = rng.choices(letters, k=len(left) - rng.choice([1, 1, 2]))
            case 1:
                right = rng.choices(letters, k=len(left))
            case _:
                right = rng.sample(left, len(left))
        shorter = len(right) < len(left)
        if shorter or list(map(letters.index, right)) < list(map(letters.index, left)):
            rules.setdefault("".join(left), "".join(right))
        if len(rules) == count:
            break
    return list(rules.items())


LADDER = (
    Knobs(6, 2, 0.0),
    Knobs(10, 2, 0.5),
    Knobs(14, 3, 0.5),
    Knobs(20, 3, 0.5),
    Knobs(28, 4, 0.5),
)
FAMILY = Family(
    System,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.WordList(form="a string of letters", items="letters"),
    hardness=hardness,
    proof="unique",
    solver="a stack of moving letters, or a scan from place to place",
    guess_rate=0.1,
    steps=steps,
    progress=progress,
    canon=canon,
    skills=("tracking", "rules"),
    peers=(
        "reasoning-gym/string_manipulation",
        "reasoning-gym/ab",
        "RLVE/ab_program_simulation",
        "reasoning-core/string_transduction",
    ),
)
