"""Made-up words: names for what no language has a name for, each a syllable or two long."""

from random import Random

from puzzlemill.generators import _vocabulary

_STARTS = ("bl", "br", "d", "dr", "f", "fl", "g", "gl", "k", "kr", "m", "n", "pl", "sn", "v", "z")
_MIDDLES = ("a", "e", "i", "o", "u")
_RUDE = frozenset({"dick", "fuck", "kock", "kunt"})
_ENDS = ("b", "ck", "ft", "lm", "mp", "nk", "nt", "rv", "sk", "v", "x", "zz")


def coined(rng: Random, count: int) -> tuple[str, ...]:
    """So many words, no two alike."""
    words: dict[str, None] = {}
    while len(words) < count:
        word = "".join(map(rng.choice, (_STARTS, _MIDDLES, _ENDS)))
        if word not in _vocabulary.known() and word not in _RUDE:
            words[word] = None
    return tuple(words)
