"""Shapes and tiles in words: "small red circle", "large stars"."""

from puzzlemill.generators.visual._scene import KINDS

Term = tuple[str, str, str]  # size, colour, kind; empty where any will do


def singular(term: Term) -> str:
    size, colour, kind = term
    return " ".join(word for word in (size, colour, kind or "shape") if word)


def plural(term: Term) -> str:
    size, colour, kind = term
    return " ".join(word for word in (size, colour, KINDS[kind] if kind else "shapes") if word)


def meets(look: Term, term: Term) -> bool:
    return all(part in ("", own) for own, part in zip(look, term, strict=True))


def trimmed(trim: int, part: str = "tile", mask: int = 0) -> str:
    """What is said of parts of a picture that have lost their rims, or nothing."""
    cut = f" A thin strip was cut off every side of each {part}." if trim else ""
    return cut + (f" A black border hides the rim of each {part}." if mask else "")
