"""The settings of builds: what to make, and which items are scored again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from puzzlemill.core.settings import Length, Level, Place, Range, Seed

MANY = 1000  # levels of a table


@dataclass(frozen=True, slots=True)
class Make:
    """What to generate: `count` items of each family, spread evenly over the levels."""

    families: tuple[str, ...]  # families, categories, "*": all, or "like:G1": like that suite's
    count: Annotated[int, Range(1, 1_000_000_000)] = 100  # items of each family, or theme
    # What the count is of. Families of one theme ask much the same, and share its items evenly.
    per: Literal["family", "theme"] = "family"
    # The difficulties that items are spread over, evenly.
    levels: Annotated[tuple[Level, ...], Length(1, MANY)] = (0.0, 0.25, 0.5, 0.75, 1.0)
    split: str = "train"  # train, validation or test: splits share no puzzle
    knobs: Mapping[str, Any] = field(default_factory=dict)  # set by hand, the same at every level
    # Operators, or "*" for all: each item gets variants by those that apply to its family.
    variants: tuple[str, ...] = ()
    # Only these wordings (prompt templates), by number from 0 to 59; none: all of them.
    phrasings: tuple[Place, ...] = ()
    seed: Seed | None = None  # the recipe's own if not given
    # Written by `regenerate`: the indices of the items, instead of the next ones.
    indices: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Again:
    """Which items of the parent are scored again; the others keep their scores."""

    stale: bool = False  # only items that this policy has not scored
    # Only items with a rank from the first number to below the second.
    ranks: tuple[Place, ...] = ()
    judge: bool = False  # kept replies are judged again, and no policy is asked
    # Which of two policies the new one is beside that of the scores before; "": they are no pair.
    pair: Literal["", "weak", "strong"] = ""


ALL = Again()
