"""The training task of items: those of a build, or fresh ones without end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from puzzlemill.difficulty.curricula import State
from puzzlemill.difficulty.item_history import ITEMS
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer import distributed
from puzzlemill.trainer.advantages import mixed_groups
from puzzlemill.trainer.appeals import AppealQueue
from puzzlemill.trainer.build_items import most_errors
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.conversations import compare_tries, first_tries, measure_tries
from puzzlemill.trainer.evaluation import (
    REPLIES,
    Cell,
    PassCount,
    Solved,
    by_cell,
    heldout_rows,
    measure,
    summary,
)
from puzzlemill.trainer.item_log import ItemLog
from puzzlemill.trainer.partial_rollouts import check_partial, part_metrics
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollout_log import log_rollouts
from puzzlemill.trainer.rollouts import Buffers, StepRollouts, groups_of, scores_by_cell
from puzzlemill.trainer.schedule import Row, Schedule, Ticket
from puzzlemill.trainer.settings import Appeal, Train
from puzzlemill.trainer.shapings import rewards
from puzzlemill.trainer.step_groups import Readers, step_groups
from puzzlemill.trainer.step_metrics import learned_metrics, picked_metrics
from puzzlemill.trainer.step_samples import beside_solutions, step_samples
from puzzlemill.trainer.task_items import check_progress, item_source, measured_cells
from puzzlemill.trainer.traces import begin_from_nearest
from puzzlemill.trainer.train_task import TrainBatch
from puzzlemill.trainer.try_credit import check_by_try
from puzzlemill.trainer.verifying import read_judgements

if TYPE_CHECKING:  # it loads all of a build
    from puzzlemill.pipelines.recipe import Recipe

WARM = 2000  # fresh items to imitate, where items are endless


@dataclass
class ItemTask:
    settings: Train
    schedule: Schedule
    fingerprint: str = ""
    heldout: Sequence[dict[str, Any]] = ()  # rows to measure on
    unseen: frozenset[Cell] = frozenset()  # of those, what is not trained on
    log_folder: Path | None = None  # of all rollouts, if they are logged
    buffers: Buffers = field(default_factory=Buffers)
    items: ItemLog = field(default_factory=ItemLog)
    appeals: AppealQueue = field(default_factory=lambda: AppealQueue(Appeal()))
    balance: Mapping[str, float] = field(default_factory=dict)  # what the probe chose, if it did
    teacher: Reader | None = None  # with weights of its own
    began_from: str = ""  # the build whose run's outcomes the curriculum began from
    tokens: Tokens | None = None  # of the policy

    def collect(self, policy: Policy, judge: Judge, max_tokens: int, step: int) -> StepRollouts:
        task = self.schedule, self.settings, judge, self.buffers
        return Collector(policy, *task, max_tokens, self.tokens).collect(step)

    def batch(
        self, rollouts: StepRollouts, policy: LocalPolicy, reference: Reader | None, step: int
    ) -> TrainBatch:
        settings, max_tokens = self.settings, policy.sampling.max_tokens
        first = rollouts.sampled.without_refinements()
        if self.log_folder is not None:
            log_rollouts(self.log_folder, step, first)
        self.items.add(step, policy.id, first)
        plain = first.of_plain_prompts()
        appealed = self.appeals.add(step, groups_of(plain, settings, max_tokens, step))
        readers = Readers(policy, reference, self.teacher)
        learned = step_groups(readers, rollouts, settings, self.buffers, step)
        judgements = read_judgements(rollouts.verifications, learned.kept)
        row = self.schedule.source.row
        samples = step_samples(policy, learned, rollouts, judgements, row, self.buffers)
        samples, imitated = beside_solutions(
            policy, samples, rollouts, settings, self.buffers, step
        )
        own = [n for n, each in enumerate(first.prompts) if each.plain]
        picked = first.select(own[: settings.prompts])
        picked_groups = groups_of(picked, settings, max_tokens, step, rollouts.memory)
        return TrainBatch(
            samples,
            replies=[*rollouts.sampled.replies, *(each.reply for each in rollouts.verifications)],
            reward=picked.of_plain_prompts().scores_PG.nanmean().item(),
            mixed=mixed_groups(rewards(picked_groups).replies_PG).float().mean().item(),
            asked=scores_by_cell(first),
            discarded=rollouts.discarded,
            also=picked_metrics(picked.conversations, settings)
            | learned_metrics(learned, judgements, samples)
            | imitated
            | appealed
            | rollouts.schedule
            | ({"staleness": float(step - rollouts.version)} if settings.max_staleness else {})
            | (part_metrics(rollouts.sampled, step) if settings.partial_rollouts else {}),
        )

    def examples(self) -> list[Row]:
        source = self.schedule.source
        places = range(len(source.pool))
        few = -(-WARM // len(places)) if self.settings.source == "endless" else 1
        return [source.row(Ticket(place, serial)) for serial in range(few) for place in places]

    def state(self) -> State:
        return {"course": self.schedule.state(), "memory": buffers_to_json(self.buffers)}

    def restore(self, state: State) -> None:
        self.schedule.restore(state["course"])
        self.buffers = buffers_from_json(state["memory"], self.schedule)
        self.items.restore(state["step"])
        self.appeals.restore(state["step"])

    def write_log(self) -> None:
        self.items.write()
        self.appeals.write()

    def measure(self, policy: Policy, judge: Judge) -> Mapping[str, Any]:
        """By item, how many replies are right; of several tries, within each number of them."""
        rows, tries = self.heldout, self.settings.tries
        if tries == 1:
            return measure(policy, rows, REPLIES, judge)
        return measure_tries(policy, rows, REPLIES, tries, self.settings.retry, judge)

    def cells(self, measured: Mapping[str, Any]) -> Mapping[Cell, PassCount]:
        return by_cell(self.heldout, self._solved(measured), REPLIES)

    def summary(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
        solved = self._solved(before), self._solved(after)
        compared = summary(self.heldout, *solved, self.unseen)
        if self.balance:
            compared["balance"] = dict(self.balance)
        if self.began_from:
            compared["began_from"] = self.began_from
        if self.settings.tries > 1:
            compared["within"] = compare_tries(before, after, REPLIES)
        return compared

    def _solved(self, measured: Mapping[str, Any]) -> Solved:
        return first_tries(measured) if self.settings.tries > 1 else dict(measured)


def item_task(folder: Path, recipe: "Recipe", tokens: Tokens | None = None) -> ItemTask:
    """The task of a build's folder; the tokens are the policy's, for curricula that count them."""
    settings = recipe.items
    check_by_try(settings)
    check_partial(settings)
    source, fingerprint = item_source(folder, recipe, tokens)
    seen, unseen = measured_cells(recipe, source.pool)
    check_progress(settings.process, [name for name, _ in source.pool.cells])
    first_rank = distributed.rank() == 0
    logs = settings.keep_replies and first_rank
    heldout = heldout_rows([*seen, *unseen], settings.heldout, recipe.seed)
    policy = recipe.policy
    schedule, began_from = Schedule(source, settings.curriculum, prune=settings.prune), ""
    if settings.traces:
        began_from = begin_from_nearest(schedule, folder, settings.traces)
    return ItemTask(
        settings,
        schedule,
        fingerprint,
        [in_style(row, policy.style, policy.system) for row in heldout],
        frozenset(unseen),
        folder / "training" / "replies" if logs else None,
        items=ItemLog(folder / ITEMS if first_rank else None),
        appeals=AppealQueue(
            settings.appeals,
            folder / "training" / "appeals.jsonl" if first_rank else None,
            most_errors(folder) if settings.source == "build" and settings.appeals.share else {},
        ),
        began_from=began_from,
        tokens=tokens,
    )
