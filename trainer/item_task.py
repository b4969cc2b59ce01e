"""The training task of items: those of a build, or fresh ones without end."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.plain_data import canonical_json
from puzzlemill.core.registry import family
from puzzlemill.difficulty.curricula import Pool, State, chosen
from puzzlemill.difficulty.item_history import ITEMS
from puzzlemill.difficulty.policies.model import LocalPolicy, Reader
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.trainer import distributed
from puzzlemill.trainer.advantages import chosen_advantage, mixed_groups
from puzzlemill.trainer.appeals import AppealQueue
from puzzlemill.trainer.build_items import (
    BuildItems,
    most_errors,
    training_rows,
    with_error_rates,
)
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.conversations import (
    changed_answers,
    compare_tries,
    first_tries,
    measure_tries,
    solved_by_try,
)
from puzzlemill.trainer.demonstrations import likeliest_explanations
from puzzlemill.trainer.endless_items import EndlessItems, unseen_of
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
from puzzlemill.trainer.feedback import share_with_feedback
from puzzlemill.trainer.imitation_weight import (
    averaged,
    balanced,
    is_due,
    meta_gradient,
    next_weight,
    solutions_of,
    weight_at,
)
from puzzlemill.trainer.item_log import ItemLog
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.rethinking import share_rethought
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollout_log import log_rollouts
from puzzlemill.trainer.rollouts import (
    Buffers,
    StepRollouts,
    groups_of,
    scores_by_cell,
)
from puzzlemill.trainer.schedule import ItemSource, Row, Schedule, Ticket
from puzzlemill.trainer.self_reward import (
    agreement,
    constant_of,
    last_logps,
    self_rewards,
    tensor_of,
)
from puzzlemill.trainer.settings import Appeal, Train
from puzzlemill.trainer.settings.rewards import Process
from puzzlemill.trainer.shapings import rewards, share_left_out
from puzzlemill.trainer.step_values.lines import share_valued
from puzzlemill.trainer.teacher import divergence_from_teacher, lessons_for
from puzzlemill.trainer.traces import begin_from_nearest
from puzzlemill.trainer.train_samples import (
    certainty_of_conversations,
    kl_of_conversations,
    ranks_of_conversations,
    samples_of,
    source_shares,
    weighed_samples,
)
from puzzlemill.trainer.train_task import TrainBatch
from puzzlemill.trainer.try_credit import check_by_try
from puzzlemill.trainer.verifying import (
    learns_to_verify,
    line_credits,
    process_share,
    read_judgement,
    verifier_metrics,
    verifier_samples,
)

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
        sampled, kept = rollouts.sampled, rollouts.kept
        first = sampled.without_refinements()
        if self.log_folder is not None:
            log_rollouts(self.log_folder, step, first)
        self.items.add(step, policy.id, first)
        plain = first.of_plain_prompts()
        appealed = self.appeals.add(step, groups_of(plain, settings, max_tokens, step))
        if settings.demonstrations.source == "explanations":
            kept = likeliest_explanations(policy, kept, settings.demonstrations.number)
        groups = groups_of(kept, settings, max_tokens, step, rollouts.memory)
        rewarded = rewards(groups)
        if reference is not None and settings.loss.kl_in == "reward":
            kl_PG = kl_of_conversations(policy, reference, kept)
            with_kl_PG = rewarded.replies_PG - settings.loss.kl * kl_PG
            rewarded = replace(rewarded, replies_PG=with_kl_PG)
        chosen = chosen_advantage(settings.loss)
        if chosen.reads_certainty:
            groups = replace(groups, certainty=certainty_of_conversations(policy, kept))
        if chosen.reads_ranks:
            groups = replace(groups, ranks=ranks_of_conversations(policy, kept))
        own_rewards: list[list[float]] = []
        constant = None
        if settings.self_reward.weight and len(kept):
            logps = last_logps(policy, kept)
            constant = constant_of(self.buffers, logps)
            if constant is not None:
                own_rewards = self_rewards(logps, constant, settings.self_reward)
        if own_rewards and settings.self_reward.share and step >= settings.self_reward.warmup_steps:
            groups = replace(groups, self_rewards=tensor_of(own_rewards, kept))
        own = [n for n, each in enumerate(first.prompts) if each.plain]
        picked = first.select(own[: settings.prompts])
        picked_groups = groups_of(picked, settings, max_tokens, step, rollouts.memory)
        lessons = lessons_for(policy, self.teacher, kept, settings.teacher, step)
        judgements = {
            (each.place, each.number): read_judgement(
                each, kept.conversations[each.place][each.number].text
            )
            for each in rollouts.verifications
        }
        if learns_to_verify(settings.verify, step):
            samples = weighed_samples(
                verifier_samples(policy, rollouts.verifications, judgements, kept, settings),
                settings.loss,
                max_tokens,
            )
        else:
            if judgements:
                share = process_share(settings.verify, step, settings.steps)
                lines = line_credits(policy, judgements, kept)
                groups = replace(groups, lines=lines, line_share=share)
            samples = samples_of(
                policy,
                kept,
                groups,
                rewarded,
                rollouts.imitated,
                self.schedule.source.row,
                lessons,
                constant,
            )
        samples, balance = self._beside_solutions(policy, samples, rollouts, step)
        return TrainBatch(
            samples,
            replies=[*sampled.replies, *(each.reply for each in rollouts.verifications)],
            reward=picked.of_plain_prompts().scores_PG.nanmean().item(),
            mixed=mixed_groups(rewards(picked_groups).replies_PG).float().mean().item(),
            asked=scores_by_cell(first),
            discarded=rollouts.discarded,
            also=solved_by_try(
                picked.conversations, 1 if settings.retry.refinements else settings.tries
            )
            | changed_answers(picked.conversations, settings.retry)
            | source_shares(samples)
            | share_left_out(groups, rewarded)
            | share_rethought(picked.conversations)
            | share_with_feedback(picked.conversations)
            | divergence_from_teacher(kept, lessons)
            | balance
            | (share_valued(picked.conversations) if settings.process.values else {})
            | verifier_metrics(judgements, kept)
            | (agreement(own_rewards, kept) if own_rewards else {})
            | appealed
            | ({"pruned": float(len(self.schedule.pruned))} if settings.prune else {})
            | ({"rescored": float(rescored)} if (rescored := self.schedule.rescored_items) else {}),
        )

    def _beside_solutions(
        self, policy: LocalPolicy, rl: list[Sample], rollouts: StepRollouts, step: int
    ) -> tuple[list[Sample], dict[str, float]]:
        """The samples of RL with solutions that are imitated beside them, and metrics of that."""
        settings, buffers = self.settings, self.buffers
        imitate, loss, max_tokens = settings.imitate, settings.loss, policy.sampling.max_tokens
        if not imitate.weight:
            return rl, {}
        weight = weight_at(imitate, step, settings.steps, buffers.imitation_weight)
        found = solutions_of(policy, rollouts.sampled.prompts[: settings.prompts])
        solutions = averaged(found, loss, max_tokens)
        metrics = {"weight of imitation": weight}
        if imitate.schedule == "meta":
            gradient = 0.0
            if is_due(imitate, step):
                groups = groups_of(rollouts.others, settings, max_tokens, step, rollouts.memory)
                others = samples_of(policy, rollouts.others, groups, rewards(groups))
                gradient = meta_gradient(policy, rl, solutions, others, loss)
            replies = rollouts.sampled.replies
            surprise = [-logp for reply in replies for logp in reply.logps]
            entropy = sum(surprise) / max(len(surprise), 1)
            buffers.imitation_weight = next_weight(weight, gradient, entropy, imitate)
            metrics["meta-gradient"] = gradient
        return balanced(rl, solutions, weight), metrics

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


def item_task(folder: Path, recipe: Recipe, tokens: Tokens | None = None) -> ItemTask:
    """The task of a build's folder; the tokens are the policy's, for curricula that count them."""
    settings = recipe.items
    check_by_try(settings)
    source, fingerprint = _source(folder, recipe, tokens)
    seen, unseen = _cells(recipe, source.pool)
    _check_progress(settings.process, [name for name, _ in source.pool.cells])
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


def _check_progress(settings: Process, families: Sequence[str]) -> None:
    if settings.values == "progress" and all(family(name).progress is None for name in families):
        raise UserError(
            '[train.process] values = "progress": none of the families tells progress: make items'
            ' of one that does, or set values = "continuation"'
        )


def _source(folder: Path, recipe: Recipe, tokens: Tokens | None) -> tuple[ItemSource, str]:
    """Where items come from, and its fingerprint."""
    settings = recipe.items
    if settings.source == "endless":
        makes = [asdict(make) for make in recipe.make]
        endless = EndlessItems(recipe)
        versions = sorted({(cell[0], family(cell[0]).version) for cell in endless.cells})
        return endless, sha256(canonical_json([makes, versions, recipe.seed]).encode()).hexdigest()
    rows, fingerprint = training_rows(folder)
    leave = unseen_of(settings)
    rows = [
        row
        for row in rows
        if row["family"] not in leave and row["level"] not in settings.unseen_levels
    ]
    if not rows:
        raise UserError(f"{folder}: nothing is left to train on: [train] unseen holds all there is")
    if settings.reward.error_rates == "families":
        rows = with_error_rates(rows, folder)
    policy = recipe.policy
    rows = [in_style(row, policy.style, policy.system) for row in rows]
    lengths = []
    if tokens and chosen(settings.curriculum).by_length:
        lengths = [len(tokens.ids(row["prompt"])) for row in rows]
    return BuildItems(rows, lengths), fingerprint


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
