"""What filters are told: the tables [filters] and [decontaminate] of a recipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from puzzlemill.core.settings import Named, Needs, Range

Band = Annotated[
    tuple[float, float],  # of pass rates
    Named(
        "band",
        {
            "teaches": (0.05, 0.95),
            "pass1": (0.25, 0.75),
            "passk": (0.03, 0.5),  # what is hard is what more tries can reach
            "warmup": (0.5, 0.95),
        },
    ),
]


@dataclass(frozen=True, slots=True)
class Filters:
    """What is dropped by its own looks, and which pass rates are kept."""

    longest: Annotated[int, Range(1, 10_000_000)] = 4000  # characters of a prompt
    # How much of the words' runs two prompts may share; 0: all. Families word items alike, so what
    # is right for one may take nearly all of another.
    similar: Annotated[float, Range(0, 1)] = 0.0
    # The pass rates between which an item teaches, or a name of these: the likelier side decides.
    band: Band = (0.05, 0.95)
    # Filters of other packages, each by a table of its name that holds its own settings:
    # [filters.also.too_short].
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decontaminate:
    """Evaluation sets of which nothing is to be in the build, in any split."""

    against: tuple[str, ...] = ()  # .jsonl or .parquet files, or folders of them
    # The column of their prompts; "": the first of `question`, `prompt`, `problem` and the like.
    column: Annotated[str, Needs("against")] = ""
    # Words of a run that is looked for; 0: only what is the same is looked for.
    ngram: Annotated[int, Range(0, 1000), Needs("against")] = 8
    # The share of an evaluation prompt's words that a prompt may share with it (Tulu 3).
    share: Annotated[float, Range(0, 1), Needs("against")] = 0.5
