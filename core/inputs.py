"""The numbers that a prompt tells as they are: to hide one, or to say it in another way."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Prompt, Style

MARK = "qz"  # in a number's place it shows whether it stays as it is: no capital at a beginning


@dataclass(frozen=True, slots=True)
class Input:
    """Where a number stands in a puzzle: the field, and the way down its tuples."""

    field: str
    way: tuple[int, ...]
    value: int


class Placeholder(int):
    """A whole number that shows itself as a text, such as "n".

    It is an int, so that `render` computes with it; where a prompt depends on its value otherwise
    than by showing it, `prompt_with` sees another text for each value.
    """

    text: str

    def __new__(cls, value: int, text: str) -> "Placeholder":
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self.text, spec if spec.endswith("s") else "")


def inputs_of(family: AnyFamily, puzzle: Any) -> list[Input]:
    """Where a prompt may tell a number as it is; `prompt_with` says whether it does.

    A number of 2 or more: below, grammar and signs depend on it.
    """
    return [
        Input(field, way, value)
        for field in family.inputs
        for way, value in _leaves(getattr(puzzle, field))
        if value >= 2
    ]


def exchanged(puzzle: Any, place: Input, value: int) -> Any:
    """The puzzle with another number in a place."""
    changed = _put(getattr(puzzle, place.field), place.way, value)
    return replace(puzzle, **{place.field: changed})


def prompt_with(
    family: AnyFamily, puzzle: Any, place: Input, text: str, style: Style
) -> Prompt | None:
    """The prompt with a text in a number's place; None where the prompt shows the number still."""
    values = (place.value, place.value + 1, 2 * place.value + 3)
    try:
        prompts = {
            family.render(exchanged(puzzle, place, Placeholder(value, text)), style)
            for value in values
        }
    except LookupError:  # a word is looked up for the number, such as "twice"
        return None
    prompt = prompts.pop()
    return prompt if not prompts and text in prompt.question else None


def exchangeable(family: AnyFamily, puzzle: Any, style: Style, rng: Random) -> Input | None:
    """A number that a letter can stand for; one that the answer depends on, if there is one."""
    places = inputs_of(family, puzzle)
    rng.shuffle(places)
    shown = [place for place in places if prompt_with(family, puzzle, place, MARK, style)]
    weighty = (place for place in shown if _matters(family, puzzle, place))
    return next(weighty, shown[0] if shown else None)


def _matters(family: AnyFamily, puzzle: Any, place: Input) -> bool:
    """Whether some other number in a place gives another answer."""
    gold = family.solve(puzzle)
    others = (place.value + 1, place.value + 2, 2 * place.value + 3)
    return any(family.solve(exchanged(puzzle, place, other)) != gold for other in others)


def _leaves(value: Any) -> Iterator[tuple[tuple[int, ...], int]]:
    if isinstance(value, tuple):
        for place, each in enumerate(value):
            yield from (((place, *way), leaf) for way, leaf in _leaves(each))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield (), value


def _put(value: Any, way: tuple[int, ...], new: int) -> Any:
    if not way:
        return new
    place, *rest = way
    return (*value[:place], _put(value[place], tuple(rest), new), *value[place + 1 :])
