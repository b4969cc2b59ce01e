"""What builds are told: what to make, and which items are scored again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from puzzlemill.core.settings import Length, Level, Range

MANY = 1000  # levels of a table


@dataclass(frozen=True, slots=True)
class Make:
    """What to generate: `count` items of each family, spread evenly over the levels."""

    families: tuple[str, ...]  # families, categories, or "like:G1": what is like that suite's
    count: Annotated[int, Range(1, 1_000_000_000)] = 100  # items of each family
    # The difficulties that items are spread over.
    levels: Annotated[tuple[Level, ...], Length(1, MANY)] = (0.0, 0.25, 0.5, 0.75, 1.0)
    split: str = "train"  # a name such as train, test or validation: splits share no item
    knobs: Mapping[str, Any] = field(default_factory=dict)  # set by hand, at every level
    # Operators, or "*" for all: beside every item, its variants by those that apply to its family.
    variants: tuple[str, ...] = ()
    # Only these ways of wording the prompts, by number: a test may be worded as no training was.
    phrasings: tuple[int, ...] = ()
    seed: int | None = None  # the recipe's own where it is not given
    # What `regenerate` writes: items at these places of the seed's, instead of the next ones.
    indices: tuple[int, ...] = ()
    parents: tuple[str, ...] = ()  # and the uids of the items that the new ones are made after


@dataclass(frozen=True, slots=True)
class Again:
    """Which items of the parent are scored again; the others keep their scores."""

    stale: bool = False  # only those that this policy has not scored
    ranks: tuple[int, ...] = ()  # only those ranked from the first to before the second


ALL = Again()
