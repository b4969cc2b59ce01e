"""Letter count: how often each of some letters, or pairs of letters, stands in a text.

Several are asked for at once, so that the numbers cannot be guessed. `solve` tallies all letters or
pairs in one go; `verify` goes through the words for each one that is asked for.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from string import ascii_lowercase

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators import _vocabulary


@dataclass(frozen=True, slots=True)
class Knobs:
    words: int  # of the text
    asked: int  # letters or pairs that are to be counted
    pairs: bool  # whether they are pairs of neighbouring letters


@dataclass(frozen=True, slots=True)
class Text:
    words: tuple[str, ...]
    asked: tuple[str, ...]  # of one letter each, or of two


def generate(rng: Random, knobs: Knobs) -> Text | None:
    words = tuple(rng.sample(_vocabulary.words(3, 10), knobs.words))
    counts = _tally(words, 1 + knobs.pairs)
    often = [part for part, count in sorted(counts.items()) if count > 1]
    seldom = sorted({*counts, *(() if knobs.pairs else ascii_lowercase)} - set(often))
    # Mostly what is there several times; now and then something that is there once, or not at all.
    rare = int(rng.random() < 0.4 and bool(seldom))
    if len(often) < knobs.asked - rare:
        return None
    asked = rng.sample(often, knobs.asked - rare) + rng.sample(seldom, rare)
    return Text(words, tuple(rng.sample(asked, len(asked))))


def solve(text: Text) -> tuple[int, ...]:
    counts = _tally(text.words, len(text.asked[0]))
    return tuple(counts[part] for part in text.asked)


def verify(text: Text, counts: tuple[int, ...]) -> float:
    return float(
        len(counts) == len(text.asked)
        and all(
            count
            == sum(word.startswith(part, at) for word in text.words for at in range(len(word)))
            for part, count in zip(text.asked, counts, strict=True)
        )
    )


def render(text: Text, style: Style) -> Prompt:
    words = " ".join(text.words)
    *some, last = (f'"{part}"' for part in text.asked)
    asked = f"{', '.join(some)} and {last}" if some else last
    if len(text.asked[0]) == 1:
        question = style.pick(
            f"How often does each of the letters {asked} occur in this text?\n\n{words}",
            f"Text: {words}\n\nCount each of the letters {asked} in it, separately.",
            f"Go through the words below and find out how many times the letters {asked} stand in"
            f" them altogether, each letter counted on its own.\n\n{words}",
        )
    else:
        question = style.pick(
            f"How often does each of the pairs of letters {asked} occur in this text? The two"
            " letters must stand directly one after the other, in this order, within a word. A"
            f" letter may belong to two pairs.\n\n{words}",
            f"Text: {words}\n\nCount the places inside words where these letters follow one another"
            f" directly: {asked}. Places may overlap. Count each of them separately.",
            f"Go through the words below and find out how many times the pairs {asked} stand in"
            " them altogether, each pair counted on its own: its first letter with its second"
            f" letter right after it in the same word, overlapping or not.\n\n{words}",
        )
    return Prompt(question, f"the {len(text.asked)} counts in this order: {', '.join(text.asked)}")


def steps(text: Text) -> list[str]:
    """For each letter or pair, the words that hold it."""
    lines = []
    for part, count in zip(text.asked, solve(text), strict=True):
        holding = [(word, _tally((word,), len(part))[part]) for word in text.words]
        listed = ", ".join(f"{word} {times}" for word, times in holding if times)
        lines.append(f"{part}: {listed}; together {count}")
    return lines


def hardness(text: Text) -> float:
    """Letters to read, once for each that is asked for."""
    return len("".join(text.words)) * len(text.asked) * len(text.asked[0])


@lru_cache(maxsize=2)
def _tally(words: tuple[str, ...], size: int) -> Counter[str]:
    return Counter(word[at : at + size] for word in words for at in range(len(word) - size + 1))


LADDER = (
    Knobs(5, 3, False),
    Knobs(12, 4, False),
    Knobs(28, 5, False),
    Knobs(40, 5, True),
    Knobs(90, 8, True),
)
FAMILY = Family(
    Text,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.IntList(),
    notation=lambda text: answers.IntList(names=text.asked),
    hardness=hardness,
    proof="unique",
    solver="a tally of all letters or pairs",
    guess_rate=0.15,
    steps=steps,
    skills=("counting",),
    peers=("reasoning-gym/letter_counting",),
    version=2,
)
