"""What every answer kind can do."""

from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeVar, runtime_checkable

A = TypeVar("A")


class Kind(Protocol[A]):
    """A kind of answer. Equal answers are equal values: `==` is the kind's equality."""

    @property
    def form(self) -> str:
        """The form, as a noun phrase: "an integer"."""

    def read(self, text: str) -> A | None:
        """The answer that a text states, or None. Never raises; its cost is bounded by length."""

    def write(self, answer: A) -> str:
        """The canonical text; `read` gives the answer back."""

    def ways(self, answer: A) -> list[str]:
        """Other texts that say the same, as models write them: LaTeX, JSON, words, other signs."""

    def near(self, answer: A, rng: Random) -> A:
        """A slightly different answer of the same form, to probe verifiers with."""

    def guess(self, answer: A, rng: Random) -> A:
        """A random answer of the same form and size, made without looking at the values."""


@runtime_checkable
class Naming(Protocol[A]):
    """A kind whose answers are made of names."""

    def among(self, known: Sequence[str]) -> Kind[A]:
        """The same kind, for answers made of names that the prompt tells: what `near` and `guess`
        then draw from."""
