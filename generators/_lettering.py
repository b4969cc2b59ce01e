"""Letters and digits for pictures: our own 5 x 7 dots, since a font's pixels differ by version."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

WIDE, TALL = 5, 7  # dots of a letter

# Seven rows of five dots, top to bottom, each row a number in hexadecimal.
_DOTS = {
    "0": "0E 11 13 15 19 11 0E",
    "1": "04 0C 04 04 04 04 0E",
    "2": "0E 11 01 06 08 10 1F",
    "3": "1E 01 01 0E 01 01 1E",
    "4": "02 06 0A 12 1F 02 02",
    "5": "1F 10 1E 01 01 11 0E",
    "6": "06 08 10 1E 11 11 0E",
    "7": "1F 01 02 04 08 08 08",
    "8": "0E 11 11 0E 11 11 0E",
    "9": "0E 11 11 0F 01 02 0C",
    "A": "0E 11 11 1F 11 11 11",
    "B": "1E 11 11 1E 11 11 1E",
    "C": "0E 11 10 10 10 11 0E",
    "D": "1E 11 11 11 11 11 1E",
    "E": "1F 10 10 1E 10 10 1F",
    "F": "1F 10 10 1E 10 10 10",
    "G": "0E 11 10 17 11 11 0F",
    "H": "11 11 11 1F 11 11 11",
    "I": "0E 04 04 04 04 04 0E",
    "J": "01 01 01 01 11 11 0E",
    "K": "11 12 14 18 14 12 11",
    "L": "10 10 10 10 10 10 1F",
    "M": "11 1B 15 15 11 11 11",
    "N": "11 19 15 13 11 11 11",
    "O": "0E 11 11 11 11 11 0E",
    "P": "1E 11 11 1E 10 10 10",
    "Q": "0E 11 11 11 15 12 0D",
    "R": "1E 11 11 1E 14 12 11",
    "S": "0F 10 10 0E 01 01 1E",
    "T": "1F 04 04 04 04 04 04",
    "U": "11 11 11 11 11 11 0E",
    "V": "11 11 11 11 0A 0A 04",
    "W": "11 11 11 15 15 1B 11",
    "X": "11 11 0A 04 0A 11 11",
    "Y": "11 11 0A 04 04 04 04",
    "Z": "1F 01 02 04 08 10 1F",
}


@lru_cache(maxsize=256)  # a picture of letters has lines of its own
def lettering(text: str, scale: int = 2) -> NDArray[np.bool_]:
    """Where the ink of a text is: digits and capital letters, one dot apart."""
    signs = [_sign(letter, scale) for letter in text]
    signs[-1] = signs[-1][:, :-scale]
    large = np.concatenate(signs, axis=1)
    large.setflags(write=False)
    return large


@lru_cache(maxsize=256)
def _sign(letter: str, scale: int) -> NDArray[np.bool_]:
    """A letter, and behind it a gap."""
    lines = [int(bits, 16) << 1 for bits in _DOTS[letter].split()]
    dots = np.array([[line >> (WIDE - dot) & 1 for dot in range(WIDE + 1)] for line in lines]) > 0
    return dots.repeat(scale, axis=1).repeat(scale, axis=0)
