"""What an evaluation is told."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.settings import Range, Seed, Share
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.pipelines.evaluation.build_test import digest_of

WORDING = "wording"
OPERATORS = ("twin", "paraphrase", "claim")
OF_NEW_ITEMS = ("items", "most", "within", "per", "again", "seed")  # settings
Again = Literal["wording", "twin", "paraphrase", "claim"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    families: tuple[str, ...]  # families, categories, or "like:Enigmata"; of a build: none, all
    policy: PolicySettings
    # The folder of a finished build whose rows are the test, instead of new items.
    build: str = ""
    # adaptive: each item is the one whose reply tells most of the level; fixed: items spread evenly
    # over families and levels, the same for every policy.
    items: Literal["adaptive", "fixed"] = "adaptive"
    most: Annotated[int, Range(1, 1_000_000)] = 200  # items, at most; of a fixed test, all
    # Half of the 90% interval that is narrow enough to end an adaptive test; 0: `most` are asked.
    within: Share = 0.05
    # What is to be that narrow: the level over all families, every category's, or every family's.
    per: Literal["all", "category", "family"] = "all"
    tries: Annotated[int, Range(1, 1024)] = 1  # replies to an item
    # Each item is asked again: in another wording, as its twin, paraphrased, as a claim.
    again: tuple[Again, ...] = ()
    # Dollars for a million tokens: of prompts, and of replies.
    prices: tuple[float, float] = (0.0, 0.0)
    games: tuple[str, ...] = ()  # that are played beside, or "*": all
    matches: Annotated[int, Range(2, 10_000)] = 8  # of each game
    depth: Annotated[int, Range(1, 9)] = 2  # of the minimax that it plays against
    seed: Seed | None = None  # public, for a comparison; None: drawn, and never used twice

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self), include_extras=True).items():
            for rule in getattr(hint, "__metadata__", ()):
                if isinstance(rule, Range):
                    rule.check(getattr(self, name), name, "evaluation")
        for name in ("items", "per"):
            self._check_choice(name, getattr(self, name))
        if self.build:
            for each in fields(self):
                if each.name in OF_NEW_ITEMS and getattr(self, each.name) != each.default:
                    raise UserError(
                        f"{each.name} has no effect where the rows of a build are asked"
                    )
        if any(price < 0 for price in self.prices):
            raise UserError(f"prices are dollars for a million tokens, not {min(self.prices):g}")
        for way in self.again:
            if way not in get_args(Again):
                raise UserError(f"again is some of {', '.join(get_args(Again))}, not {way!r}")

    def _check_choice(self, name: str, value: Any) -> None:
        hint = get_type_hints(type(self))[name]
        assert get_origin(hint) is Literal
        if value not in get_args(hint):
            raise UserError(f"{name} is one of {', '.join(get_args(hint))}, not {value!r}")


def chosen_families(settings: Evaluation) -> list[str]:
    """The families that are named, in order."""
    return sorted(registry.families_of(settings.families))


def chosen_games(settings: Evaluation) -> list[str]:
    names = registry.games() if "*" in settings.games else settings.games
    for name in names:
        registry.game(name)  # says what is wrong with it
    return list(dict.fromkeys(names))


def as_record(settings: Evaluation) -> dict[str, Any]:
    """What two evaluations must share to be one: all but prices and where the server is."""
    record = {each.name: getattr(settings, each.name) for each in fields(settings)}
    for name in ("policy", "seed", "prices"):
        del record[name]
    record["build"] = digest_of(Path(settings.build)) if settings.build else ""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in record.items()
    }
