"""What a setting says of itself beside its type: range, choices, names of values, what it needs.

It stands in the field's annotation, `share: Annotated[float, Range(0, 1)] = 0.5`, and is held when
a recipe is read.
"""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass
from typing import Annotated, Any

from puzzlemill.core.choices import Choices
from puzzlemill.core.errors import UserError, shown, unknown


@dataclass(frozen=True, slots=True)
class Range:
    """A number lies between two others, both included."""

    least: float
    most: float
    what: str = ""  # it is, where it is one of a list

    def check(self, value: Any, name: str, place: str) -> None:
        if not self.least <= value <= self.most:
            said = f"{self.what} {shown(value)}" if self.what else f"{name} = {shown(value)}"
            raise UserError(f"{place}: {said} is outside {self.least}..{self.most}")


Level = Annotated[float, Range(0, 1, "level")]  # of difficulty
Share = Annotated[float, Range(0, 1, "share")]
Weight = Annotated[float, Range(0, 1e9, "weight")]  # beside others
Place = Annotated[int, Range(0, 2**63 - 1, "place")]  # counted from 0
Seed = Annotated[int, Range(-(2**63), 2**63 - 1)]  # what a row's column holds


@dataclass(frozen=True, slots=True)
class Length:
    """A list has at least and at most so many members."""

    least: int
    most: int

    def check(self, value: Any, name: str, place: str) -> None:
        if not self.least <= len(value) <= self.most:
            raise UserError(
                f"{place}: {name} holds {len(value)} numbers; give {self.least} to {self.most}"
            )


@dataclass(frozen=True, slots=True)
class OneOf:
    """The name of a file in a folder of choices, or several."""

    choices: Choices
    others: bool = False  # of other packages alone: settings of their own turn ours on
    # Or a table of the name and of the choice's own settings: of its frozen dataclass `settings`,
    # whose fields all have defaults.
    own: bool = False

    def check(self, value: Any, name: str, place: str) -> None:
        for each in value if isinstance(value, tuple) else (value,):
            self.choices.check(each, place)
            if self.others and self.choices.ours(each):
                raise UserError(
                    f"{place}: {name} is for what other packages add, and other keys of the recipe"
                    f" set {each}: leave it out here"
                )


@dataclass(frozen=True, slots=True)
class Named:
    """Words that may stand for a value."""

    what: str
    values: Mapping[str, Any]

    def value(self, word: str, place: str) -> Any:
        if word not in self.values:
            raise unknown(self.what, word, self.values, place)
        return self.values[word]


class Needs:
    """A setting has an effect only beside another of its table: where that is one of some values,
    or where none are given, above 0 and not empty."""

    def __init__(self, other: str, *values: str, above: int = 0) -> None:
        self.other, self.values, self.above = other, values, above

    def met(self, beside: Any) -> bool:
        if self.values:
            return beside in self.values
        return beside > self.above if isinstance(beside, int | float) else bool(beside)

    def check(self, beside: Any, name: str, table: str, place: str) -> None:
        """Refuse what was set to another value than its default and changes nothing."""
        if self.met(beside):
            return
        wanted = " or ".join(map(repr, self.values)) or f"above {self.above}"
        if isinstance(beside, tuple):
            wanted = "not empty"
        raise UserError(
            f"{place}: {table} has an effect only where {self.other} is {wanted}, and it is"
            f" {beside!r}: leave {name} out, or set {self.other}"
        )


@dataclass(frozen=True, slots=True)
class ReadBy:
    """A setting has an effect only where the choice that another key of its table names reads it:
    where that choice's file lists it in READS, or is another package's, which may read any."""

    other: str


@dataclass(frozen=True, slots=True)
class Either:
    """A table is of the second kind where it has this key, and of the first where it has not."""

    key: str
    why: str  # a key of the first kind is none of the second


def default_of(field: Field[Any]) -> Any:
    """A field's default, or MISSING."""
    return field.default if field.default_factory is MISSING else field.default_factory()
