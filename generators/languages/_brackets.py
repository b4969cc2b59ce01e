"""Kinds of brackets, and strings of them without the pairs that stand side by side."""

from collections.abc import Iterable

KINDS = ("()", "[]", "{}", "<>")
PARTNER = {kind[0]: kind[1] for kind in KINDS}


def reduced(text: str) -> str:
    """What is left when neighbouring pairs are deleted, again and again."""
    while True:
        shorter = text
        for kind in KINDS:
            shorter = shorter.replace(kind, "")
        if shorter == text:
            return text
        text = shorter


def canonical(texts: Iterable[str]) -> list[list[int]]:
    """Brackets as numbers, whose kinds are numbered as they first appear; closing ones negative."""
    kinds: dict[int, int] = {}
    found = []
    for text in texts:
        numbers = []
        for sign in text:
            kind = next(at for at, pair in enumerate(KINDS) if sign in pair)
            number = kinds.setdefault(kind, len(kinds) + 1)
            numbers.append(number if sign in PARTNER else -number)
        found.append(numbers)
    return found
