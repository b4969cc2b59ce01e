"""How the families of this folder write lists, and words that several of them use."""

from collections.abc import Iterable

from puzzlemill.core.prose import capital

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

TRAITS = (
    "brave", "calm", "careful", "cheerful", "clever", "curious", "gentle", "honest", "kind",
    "lazy", "loud", "patient", "polite", "proud", "quiet", "rich", "shy", "strong", "tall",
    "young",
)  # fmt: skip


def numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def lettered(lines: Iterable[str]) -> str:
    return "\n".join(f"{label}. {line}" for label, line in zip(LABELS, lines, strict=False))


def sentence(clause: str) -> str:
    """A clause with a capital at its head and a full stop."""
    return f"{capital(clause)}."
