"""Reasoning Gym: each text family as one of its datasets, with a configuration and a curriculum.

What it builds on datasets (composites, experiments, reseeding, version ids, scoring of an entry by
its `source_dataset`) then works with our families. An entry holds its address and its puzzle, so it
is scored, or made again, after a round trip through JSON or Parquet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, make_dataclass
from functools import cache, partial
from typing import Any

from reasoning_gym.coaching import BaseCurriculum, ScalarAttributeDefinition
from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS, register_dataset

from puzzlemill.core import registry
from puzzlemill.core.address import PARTS, check_split, whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.plain_data import freeze
from puzzlemill.outputs.rewards import score
from puzzlemill.serving.adapters.in_process import PICTURES, pictured
from puzzlemill.serving.episodes import as_reply
from puzzlemill.serving.jobs import certified_item
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tasks import task_at

PREFIX = "puzzlemill_"  # before a family's name: some of its own datasets have the same
LEVELS = Serve().levels
# Where an address gives no certified item, the next is so far on: an entry does not depend on the
# size of its dataset, nor is it another index's.
STRIDE = 2**40


def register(families: Sequence[str] = ()) -> list[str]:
    """Register families, categories or variants, by default all families without pictures; the
    datasets' names. What is registered already stays."""
    words = families or [name for name in registry.categories() if name != PICTURES]
    chosen = dict.fromkeys(name for word in words for name in registry.matching(word))
    if visual := pictured(chosen):
        raise UserError(f"{visual[0]} asks about pictures, which Reasoning Gym does not have")
    for family in chosen:
        if (name := PREFIX + family) not in DATASETS:
            config = config_of(family)
            register_dataset(name, Puzzles, config, partial(LevelCurriculum, name, config))
    return [PREFIX + family for family in chosen]


@cache
def config_of(family: str) -> type:
    """The configuration of a family's dataset: Reasoning Gym finds a dataset's settings, and so the
    family, by a class of its own."""
    fields = [
        ("family", str, field(default=family)),
        ("level", float, field(default=0.5)),
        ("split", str, field(default="train")),
        ("seed", int | None, field(default=0)),  # None: Reasoning Gym draws one
        ("size", int, field(default=500)),
    ]
    methods = {"validate": _validate, "__reduce__": _reduce}
    return make_dataclass("Config", fields, namespace=methods)


def _validate(config: Any) -> None:
    registry.family(config.family)
    if type(config.level) not in (int, float) or not 0 <= config.level <= 1:
        raise UserError(f"level is a number from 0 to 1, not {shown(config.level)}")
    check_split(config.split)
    if config.seed is not None:
        whole_number("seed", config.seed)
    if type(config.size) is not int or config.size < 1:
        raise UserError(f"size is a whole number from 1, not {shown(config.size)}")


def _reduce(config: Any) -> tuple[Any, ...]:
    """For pickle, which cannot find a class that is made when it is asked for."""
    return _config, (config.family, config.level, config.split, config.seed, config.size)


def _config(*values: Any) -> Any:
    return config_of(values[0])(*values)


class Puzzles(ProceduralDataset):  # type: ignore[misc]
    """The items of a family at a level. Seed and index are those of the address, which are hashed:
    neighbouring seeds share nothing."""

    def __init__(self, config: Any) -> None:
        super().__init__(config, config.seed, config.size)

    @property
    def category(self) -> str:
        return registry.family(self.config.family).category

    def __getitem__(self, idx: int) -> dict[str, Any]:
        # Not bounded by the size: composites and reseeding go beyond it in Reasoning Gym.
        if idx < 0:
            raise IndexError(f"indices begin at 0, not {idx}")
        config = self.config
        item = certified_item(
            task_at(config.family, config.level, config.split, self.seed, idx), STRIDE
        )
        if item.images:
            raise UserError(f"{item.family} asks about pictures, which Reasoning Gym does not have")
        metadata = {
            "source_dataset": PREFIX + item.family,
            "source_index": idx,
            "difficulty": {"level": float(config.level)},
            "uid": item.uid,
            **{part: getattr(item, part) for part in PARTS},
            "level": item.level,
            "puzzle": freeze(item.puzzle),
        }
        return {"question": item.prompt, "answer": item.answer, "metadata": metadata}

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """The score of an answer that was read out of a reply already, or of a whole reply."""
        reply = as_reply(answer) if isinstance(answer, str) else ""
        return float(score(entry["metadata"], reply)["score"])


class LevelCurriculum(BaseCurriculum):  # type: ignore[misc]
    """One attribute, the level: five steps along the family's ladder."""

    def __init__(self, name: str, config: type) -> None:
        super().__init__(f"{name}_curriculum", config)
        level = ScalarAttributeDefinition(
            name="level",
            levels=list(LEVELS),
            field_name="level",
            description="from the easiest rung of the family's ladder, 0, to the hardest, 1",
        )
        self._define_attributes(level)
