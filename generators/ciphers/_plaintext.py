"""Plaintext for ciphers: common English words that come to so many letters."""

from functools import cache
from random import Random

from puzzlemill.generators import _vocabulary

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
SQUARE = ALPHABET.replace("j", "")  # the letters of a square of five by five
LONGEST = 8  # letters of a word

# A text that begins with one of them may look like a lead-in, or lose a word to one: "the answer is
# hence missing".
LEADING = frozenset(
    "answer answers result results solution solutions clearly hence indeed just simply then"  # noqa: SIM905
    " therefore thus".split()
)


def sentence(rng: Random, letters: int, shortest: int = 3, without: str = "") -> str:
    """Words of at least so many letters (3 or 4), which come to the given number together."""
    words, left = [], max(letters, shortest)
    while left:
        sizes = [
            size
            for size in range(shortest, min(left, LONGEST) + 1)
            if left - size == 0 or left - size >= shortest
        ]
        words.append(rng.choice(_words(rng.choice(sizes), without)))
        left -= len(words[-1])
    return " ".join(words)


@cache
def _words(length: int, without: str) -> tuple[str, ...]:
    return tuple(
        word
        for word in _vocabulary.words(length, length)
        if word not in LEADING and not set(word) & set(without)
    )


def is_letters(text: str) -> bool:
    """Whether a text is made of the letters a to z, and spaces."""
    return all(sign in ALPHABET or sign == " " for sign in text)


def run(text: str) -> str:
    """A text without its spaces."""
    return text.replace(" ", "")


def square_of(keyword: str) -> str:
    """The square of a keyword as one line, row by row: its letters first, then the others."""
    return "".join(dict.fromkeys(keyword.replace("j", "i") + SQUARE))


def drawn(square: str) -> str:
    """The square as five lines."""
    return "\n".join(" ".join(square[start : start + 5]).upper() for start in range(0, 25, 5))


def keyword(rng: Random, length: int) -> str:
    """A common word of that length, no letter twice and none of them J."""
    return rng.choice(_keywords(length))


@cache
def _keywords(length: int) -> tuple[str, ...]:
    return tuple(word for word in _words(length, "j") if len(set(word)) == length)
