"""String programs: what does a rule make of a text, when examples are all that shows the rule?

The prompt names the kinds of steps that may occur and how many. `solve` goes through all programs
of such steps and answers only if those that fit all examples agree; `verify` goes the other way
round: from the new text to the answer by any steps, and asks whether these fit the examples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from string import ascii_lowercase, ascii_uppercase

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _vocabulary
from puzzlemill.generators.induction import _programs
from puzzlemill.generators.induction._programs import KindOfStep

FEW, SPARE = 3, 6  # examples; further ones in store
VOWELS = frozenset("aeiouAEIOU")


@dataclass(frozen=True, slots=True)
class Knobs:
    kinds: int  # of steps that may occur
    steps: int  # in the rule, at most
    words: int  # in a text, at most


@dataclass(frozen=True, slots=True)
class Texts:
    kinds: tuple[str, ...]
    longest: int  # steps
    examples: tuple[tuple[str, str], ...]
    case: str


def generate(rng: Random, knobs: Knobs) -> Texts | None:
    kinds = tuple(rng.sample(list(LANGUAGE.kinds), knobs.kinds))
    least = max(1, knobs.words - 2)
    values = [
        " ".join(rng.sample(_vocabulary.words(3, 8), rng.randint(least, knobs.words)))
        for _ in range(1 + FEW + SPARE)
    ]
    found = _programs.posed(rng, LANGUAGE, kinds, knobs.steps, values, FEW)
    return Texts(kinds, knobs.steps, *found) if found else None


def solve(texts: Texts) -> str | None:
    found = _programs.settled(LANGUAGE, texts)
    return found[0] if found else None


def verify(texts: Texts, answer: str) -> float:
    return float(_programs.explained(LANGUAGE, texts, answer))


def render(texts: Texts, style: Style) -> Prompt:
    shown = "\n".join(f'"{given}" -> "{then}"' for given, then in texts.examples)
    kinds = _programs.listed(LANGUAGE, texts.kinds)
    length = _programs.length_said(texts.longest)
    words = (
        "A word is whatever stands between spaces, no matter which characters it is made of. Words"
        " of which nothing is left vanish; between words there is always one space."
    )
    return Prompt(
        style.pick(
            f"The same rule turns each of these texts into another:\n\n{shown}\n\nThe rule consists"
            f" of {length}. {words} A step is of one of these kinds:\n{kinds}\n\nWhat does the rule"
            f' make of "{texts.case}"?',
            f"A rule changes texts by {length}. {words} Each step does one of"
            f" these things:\n{kinds}\n\nExamples of what the rule does:\n{shown}\n\n"
            f'"{texts.case}" -> ?',
            f'Examples:\n\n{shown}\n\nFind out what the same rule makes of "{texts.case}". The rule'
            f" has {length}. What a step can do:\n{kinds}\n\n{words} All rules of this sort that"
            " fit the examples give the same text.",
        ),
        form="the new text, without quotation marks; capital and small letters differ",
    )


def steps(texts: Texts) -> list[str]:
    """A rule that fits, and what its steps make of the text."""
    return _programs.worked(LANGUAGE, texts, _quoted)


def hardness(texts: Texts) -> float:
    """Programs to choose from, by order of magnitude, and the letters to look at."""
    return _programs.to_choose_from(LANGUAGE, texts) + len(texts.case) / 10


def _quoted(text: str) -> str:
    return f'"{text}"'


def _each(change: Callable[..., str]) -> Callable[..., str]:
    """A change of every word."""

    def changed(text: str, *parameters: int) -> str:
        return " ".join(filter(None, [change(word, *parameters) for word in text.split()]))

    return changed


def _shifted(text: str, by: int) -> str:
    return text.translate(_alphabet_moved(by))


@cache
def _alphabet_moved(by: int) -> dict[int, int]:
    turned = "".join(part[by:] + part[:by] for part in (ascii_lowercase, ascii_uppercase))
    return str.maketrans(ascii_lowercase + ascii_uppercase, turned)


def _longest(text: str) -> str:
    return max(text.split(), key=len, default="")


def _swapped_ends(word: str) -> str:
    return word[-1] + word[1:-1] + word[0] if len(word) > 1 else word


def _backwards(text: str) -> str:
    return " ".join(text[::-1].split())


KINDS: dict[str, KindOfStep[str]] = {
    "order": KindOfStep(
        "put the words in reverse order", lambda text: " ".join(text.split()[::-1])
    ),
    "words_back": KindOfStep("write every word backwards", _each(lambda word: word[::-1])),
    "text_back": KindOfStep("write the whole text backwards, last character first", _backwards),
    "start": KindOfStep(
        "of every word keep only the first K characters (K from 1 to 4)",
        _each(lambda word, k: word[:k]), (range(1, 5),),
        "keep {0} characters at the start of words",
    ),
    "end": KindOfStep(
        "of every word keep only the last K characters (K from 1 to 4)",
        _each(lambda word, k: word[-k:]), (range(1, 5),),
        "keep {0} characters at the end of words",
    ),
    "behead": KindOfStep(
        "take away the first K characters of every word (K is 1 or 2)",
        _each(lambda word, k: word[k:]), ((1, 2),), "take away {0} at the start of words",
    ),
    "curtail": KindOfStep(
        "take away the last K characters of every word (K is 1 or 2)",
        _each(lambda word, k: word[:-k]), ((1, 2),), "take away {0} at the end of words",
    ),
    "alphabet": KindOfStep(
        "sort the words as in a dictionary (in the order -, 0 to 9, A to Z, a to z)",
        lambda text: " ".join(sorted(text.split())), (), "sort the words",
    ),
    "lengths": KindOfStep(
        "sort the words by length, shortest first; equally long ones stay in the order they had",
        lambda text: " ".join(sorted(text.split(), key=len)), (), "sort the words by length",
    ),
    "letters": KindOfStep(
        "sort the characters of every word (in the order -, 0 to 9, A to Z, a to z)",
        _each(lambda word: "".join(sorted(word))), (), "sort the characters of every word",
    ),
    "first": KindOfStep(
        "keep only the first word", lambda text: " ".join(text.split()[:1])
    ),
    "last": KindOfStep("keep only the last word", lambda text: " ".join(text.split()[-1:])),
    "longest": KindOfStep(
        "keep only the longest word, the first of them if several are equally long",
        _longest, (), "keep the longest word",
    ),
    "rotate": KindOfStep(
        "move the first word to the end",
        lambda text: " ".join([*text.split()[1:], *text.split()[:1]]),
    ),
    "capitals": KindOfStep("make all letters capital letters", str.upper),
    "initial": KindOfStep(
        "make the first character of every word a capital letter, if it is a letter",
        _each(lambda word: word[0].upper() + word[1:]), (), "give every word a capital letter",
    ),
    "double": KindOfStep(
        "write every character of every word twice",
        _each(lambda word: "".join([sign * 2 for sign in word])),
    ),
    "no_vowels": KindOfStep(
        "take away all vowels (a, e, i, o, u, small or capital)",
        _each(lambda word: "".join([sign for sign in word if sign not in VOWELS])),
        (), "take away the vowels",
    ),
    "vowels": KindOfStep(
        "take away all characters but vowels (a, e, i, o, u, small or capital)",
        _each(lambda word: "".join([sign for sign in word if sign in VOWELS])),
        (), "keep the vowels",
    ),
    "once": KindOfStep(
        "of equal characters in a word keep only the first",
        _each(lambda word: "".join(dict.fromkeys(word))),
    ),
    "shift": KindOfStep(
        "replace every letter by the one K places on in the alphabet (K from 1 to 4; after z comes"
        " a; capitals stay capitals)",
        _shifted, (range(1, 5),), "move letters on by {0}",
    ),
    "glue": KindOfStep(
        "write the words together as one word", lambda text: "".join(text.split())
    ),
    "hyphens": KindOfStep(
        "join the words by hyphens into one word", lambda text: "-".join(text.split())
    ),
    "turn": KindOfStep(
        "move the first character of every word to the word's end",
        _each(lambda word: word[1:] + word[0]),
    ),
    "swap_ends": KindOfStep(
        "swap the first and the last character of every word", _each(_swapped_ends)
    ),
    "odd": KindOfStep(
        "of every word keep the characters at the places 1, 3, 5 and so on",
        _each(lambda word: word[::2]),
    ),
    "even": KindOfStep(
        "of every word keep the characters at the places 2, 4, 6 and so on",
        _each(lambda word: word[1::2]),
    ),
    "count": KindOfStep(
        "append to every word, without a space, the number of its characters",
        _each(lambda word: f"{word}{len(word)}"), (), "put its length behind every word",
    ),
}  # fmt: skip
LANGUAGE: _programs.Language[str] = _programs.Language(KINDS)
LADDER = (
    Knobs(5, 1, 2),
    Knobs(12, 1, 3),
    Knobs(12, 2, 4),
    Knobs(14, 2, 5),
    Knobs(14, 3, 6),
)
FAMILY = Family(
    Texts,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Text(),
    hardness=hardness,
    proof="unique",
    solver="all programs of the language",
    guess_rate=0.05,
    steps=steps,
    canon=_programs.canonical,
    slips=_programs.misapplied(LANGUAGE),
    skills=("induction", "strings"),
    peers=("reasoning-core/program_synthesis",),
    theme="rules_from_examples",
    slips_version=2,
    version=3,
)
