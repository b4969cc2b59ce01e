"""Lines behind letters, so that a worked line can name the line of the prompt it is about."""

from collections.abc import Iterable
from string import ascii_lowercase


def marked(lines: Iterable[str]) -> list[str]:
    """The lines behind the letters a, b, c …, beginning again behind z."""
    return [f"{ascii_lowercase[at % 26]} {line}" for at, line in enumerate(lines)]
