"""inspect_ai: a task for each family, and `level`, the adaptive test.

    inspect eval puzzlemill/sudoku -T level=0.5 --model openai/gpt-5
    inspect eval puzzlemill/level -T families=logic,grids --model openai/gpt-5

inspect_ai finds this file by the entry point `inspect_ai`.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np
from inspect_ai import SampleSource, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.util import EarlyStop

from puzzlemill.core import registry
from puzzlemill.core.item import Item
from puzzlemill.core.item import generate as items_of
from puzzlemill.core.replies import answer_text
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import check
from puzzlemill.difficulty.policies.policy import IMAGE
from puzzlemill.pipelines.evaluation.questions import item_at
from puzzlemill.pipelines.evaluation.result import interval
from puzzlemill.pipelines.evaluation.selection import (
    ability_of,
    batch_size,
    half_widths,
    scope_of,
    spread_cells,
    telling_cells,
)

ROW = ("uid", "family", "version", "puzzle")  # what judging needs


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]
def verdict() -> Callable[[TaskState, Target], Any]:
    """The family's own verdict; where its verifier failed, none."""

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        judged = check(state.metadata["row"], reply)
        told = {"explanation": judged.reason, "metadata": {"status": judged.status}}
        if judged.status == "error":
            return Score.unscored(reason="verifier error", **told)
        return Score(value=judged.score, answer=answer_text(reply), **told)

    return score


def family_task(
    name: str,
    level: float = 0.5,
    n: int = 100,
    seed: int = 0,
    split: str = "test",
    both_outcomes: bool = False,
) -> Task:
    """n items of a family at a level. With `both_outcomes` and several epochs, an item is asked no
    more once a reply to it was right and another was wrong."""
    samples = [sample_of(item) for item in items_of(name, level, seed, n, split)]
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=generate(),
        scorer=verdict(),
        early_stopping=BothOutcomes() if both_outcomes else None,
        version=registry.family(name).version,
        name=f"puzzlemill_{name}",
    )


def level(
    families: str | Sequence[str] = "",
    most: int = 200,
    within: float = 0.05,
    per: str = "all",
    seed: int = 0,
) -> Task:
    """The adaptive test of a policy's level: each item is the one that tells most."""
    patterns = families.split(",") if isinstance(families, str) else list(families)
    chosen = registry.families_of([each for each in patterns if each] or registry.categories())
    return Task(
        dataset=AdaptiveItems(chosen, most, within, per, seed),
        solver=generate(),
        scorer=verdict(),
        name="puzzlemill_level",
    )


def sample_of(item: Item) -> Sample:
    row = row_of(item)
    metadata = {"row": {name: row[name] for name in ROW}, "level": item.level}
    return Sample(input=_input(item), target=item.answer, id=item.uid, metadata=metadata)


def _input(item: Item) -> Any:
    if not item.images:
        return item.prompt
    pictures = iter(item.images)
    content: list[Any] = []
    for place, text in enumerate(item.prompt.split(IMAGE)):
        if place:
            encoded = base64.b64encode(next(pictures)).decode()
            content.append(ContentImage(image=f"data:image/png;base64,{encoded}"))
        if text.strip():
            content.append(ContentText(text=text.strip("\n")))
    return [ChatMessageUser(content=content)]


class BothOutcomes:
    """Ends an item's epochs once it was solved and failed: it is then known to be neither too easy
    nor too hard."""

    def __init__(self) -> None:
        self.outcomes: dict[str | int, set[bool]] = {}

    async def start_task(self, task: Any, samples: list[Sample], epochs: int) -> str:
        return "puzzlemill: both outcomes"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        if len(self.outcomes.get(id, ())) < 2:
            return None
        return EarlyStop(id=id, epoch=epoch, reason="solved and failed")

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: Mapping[str, Any],
    ) -> None:
        for each in scores.values():
            self.outcomes.setdefault(id, set()).add(each.score.as_float() == 1)

    async def complete_task(self) -> dict[str, Any]:
        return {"both": sum(len(each) == 2 for each in self.outcomes.values())}


class AdaptiveItems(SampleSource):  # type: ignore[misc]
    """The batches of `puzzlemill eval`, asked by inspect_ai."""

    def __init__(
        self, families: Sequence[str], most: int, within: float, per: str, seed: int
    ) -> None:
        self.scope, self.most, self.within = scope_of(families), most, within
        self.per, self.seed, self.number = per, seed, 0
        self.lines: list[dict[str, Any]] = []
        self.asked: dict[str, tuple[str, int]] = {}

    def initial_samples(self) -> list[Sample]:
        rng = np.random.default_rng((self.seed, 0))
        return self._samples(spread_cells(self.scope, min(batch_size(0), self.most), rng))

    async def next_samples(self) -> list[Sample] | None:
        ability, left = ability_of(self.scope, self.lines), self.most - len(self.asked)
        if left <= 0 or half_widths(ability, self.scope, self.per).max() <= self.within:
            self.level = interval(ability.of(self.scope.weights))
            return None
        self.number += 1
        rng = np.random.default_rng((self.seed, self.number))
        count = min(batch_size(len(self.asked)), left)
        return self._samples(telling_cells(self.scope, ability, self.per, count, rng)) or None

    async def sample_complete(self, sample: Any) -> None:
        family, place = self.asked[sample.id]
        values = [score.as_float() for score in (sample.scores or {}).values()]
        replies = [
            {"status": "correct" if value == 1 else "wrong"} for value in values if not isnan(value)
        ]
        self.lines.append({"family": family, "level": place, "way": "", "replies": replies})

    def _samples(self, cells: Sequence[tuple[str, int]]) -> list[Sample]:
        samples = []
        for family, place in cells:
            drawn = sum(name == family for name, _ in self.asked.values())
            item = item_at(family, place, index=drawn, seed=self.seed)
            if item and item.uid not in self.asked:
                self.asked[item.uid] = family, place
                samples.append(sample_of(item))
        return samples


def _register(name: str) -> None:
    """A function of its own for each family: inspect_ai asks a task for its module."""

    def family(
        level: float = 0.5,
        n: int = 100,
        seed: int = 0,
        split: str = "test",
        both_outcomes: bool = False,
    ) -> Task:
        return family_task(name, level, n, seed, split, both_outcomes)

    task(name=name)(family)


task(name="level")(level)
for _name in registry.names():
    _register(_name)
