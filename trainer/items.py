"""Items to learn from: the task of a build, or of fresh items without end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from puzzlemill.difficulty.curricula import Pool, State
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.trainer import ranks
from puzzlemill.trainer.advantages import mixed_groups
from puzzlemill.trainer.asking import Asker, Gathered, Memory, earned, outcomes
from puzzlemill.trainer.course import Course, Row, Ticket
from puzzlemill.trainer.endless import unseen_of
from puzzlemill.trainer.heldout import (
    REPLIES,
    Cell,
    Solved,
    Tally,
    by_cell,
    heldout_rows,
    measure,
    summary,
)
from puzzlemill.trainer.remembering import memory_as_data, memory_from_data
from puzzlemill.trainer.replies import keep_replies
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.sources import source_of
from puzzlemill.trainer.task import Lesson
from puzzlemill.trainer.texts import drifts, texts_of
from puzzlemill.trainer.turns import firsts, measure_tries, solved_by_try, within

WARM = 2000  # fresh items to imitate, where items are endless


@dataclass
class Items:
    settings: Train
    course: Course
    fingerprint: str = ""
    heldout: Sequence[dict[str, Any]] = ()  # rows to measure on
    unseen: frozenset[Cell] = frozenset()  # of those, what is not trained on
    kept_in: Path | None = None  # the folder where all replies are kept, if they are
    memory: Memory = field(default_factory=Memory)

    def gather(self, policy: Policy, judge: Judge, most: int, step: int) -> Gathered:
        return Asker(policy, self.course, self.settings, judge, self.memory, most).gather(step)

    def lesson(
        self, gathered: Gathered, policy: LocalPolicy, reference: Reader | None, step: int
    ) -> Lesson:
        settings, most = self.settings, policy.sampling.max_tokens
        asked, kept = gathered.asked, gathered.kept
        if self.kept_in is not None:
            keep_replies(self.kept_in, step, asked)
        rewards_PG = earned(kept, settings, most, step)
        if reference is not None and settings.loss.kl_in == "reward":
            rewards_PG = rewards_PG - settings.loss.kl * drifts(policy, reference, kept)
        picked = asked.only(range(min(settings.prompts, len(asked))))
        return Lesson(
            texts_of(policy, kept, rewards_PG, gathered.told, settings),
            replies=asked.replies,
            reward=picked.scores_PG.nanmean().item(),
            mixed=mixed_groups(earned(picked, settings, most, step)).float().mean().item(),
            asked=outcomes(asked),
            discarded=gathered.discarded,
            also=solved_by_try(picked.talks, settings.tries),
        )

    def examples(self) -> list[Row]:
        source = self.course.source
        places = range(len(source.pool))
        few = -(-WARM // len(places)) if self.settings.source == "endless" else 1
        return [source.row(Ticket(place, serial)) for serial in range(few) for place in places]

    def state(self) -> State:
        return {"course": self.course.state(), "memory": memory_as_data(self.memory)}

    def restore(self, state: State) -> None:
        self.course.restore(state["course"])
        self.memory = memory_from_data(state["memory"], self.course)

    def measure(self, policy: Policy, judge: Judge) -> Mapping[str, Any]:
        """By item, how many replies are right; of several tries, within each number of them."""
        rows, tries = self.heldout, self.settings.tries
        if tries == 1:
            return measure(policy, rows, REPLIES, judge)
        return measure_tries(policy, rows, REPLIES, tries, self.settings.retry, judge)

    def cells(self, measured: Mapping[str, Any]) -> Mapping[Cell, Tally]:
        return by_cell(self.heldout, self._solved(measured), REPLIES)

    def summary(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
        solved = self._solved(before), self._solved(after)
        found = summary(self.heldout, *solved, self.unseen)
        if self.settings.tries > 1:
            found["within"] = within(before, after, REPLIES)
        return found

    def _solved(self, measured: Mapping[str, Any]) -> Solved:
        return firsts(measured) if self.settings.tries > 1 else dict(measured)


def items_of(folder: Path, recipe: Recipe) -> Items:
    """The task of a build's folder."""
    settings = recipe.items
    source, fingerprint = source_of(folder, recipe)
    seen, unseen = _cells(recipe, source.pool)
    keeps = settings.keep_replies and ranks.number() == 0
    return Items(
        settings,
        Course(source, settings.curriculum),
        fingerprint,
        heldout_rows([*seen, *unseen], settings.heldout, recipe.seed),
        frozenset(unseen),
        folder / "training" / "replies" if keeps else None,
    )


def _cells(recipe: Recipe, pool: Pool) -> tuple[list[Cell], list[Cell]]:
    """Every level that the recipe asks for, of the families that teach something; and the cells
    that the recipe keeps unseen."""
    settings, leave = recipe.items, unseen_of(recipe.items)
    teaching = {family_ for family_, _ in pool.cells}
    levels = {level for make in recipe.make for level in make.levels}
    levels = (levels or {level for _, level in pool.cells}) | {*settings.unseen_levels}
    cells = [(name, level) for name in sorted(teaching | leave) for level in sorted(levels)]
    hidden = {cell for cell in cells if cell[0] in leave or cell[1] in settings.unseen_levels}
    return [cell for cell in cells if cell not in hidden], sorted(hidden)
