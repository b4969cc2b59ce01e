"""The collector of rollouts: which prompts a step samples, and which groups it trains on."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from puzzlemill.difficulty.budget import dars_replies
from puzzlemill.difficulty.curricula import sample_distinct
from puzzlemill.difficulty.hints import explained, hinted, reworded, steps_of
from puzzlemill.difficulty.policies.policy import Policy
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.scoring import Judge, question_of
from puzzlemill.trainer.advantages import mixed_groups, useful_groups
from puzzlemill.trainer.conversations import Conversation, discounted_return, sample_conversations
from puzzlemill.trainer.demonstrations import (
    demonstrated_places,
    joined,
    kept_replies,
    solutions,
    told_replies,
    with_successes,
)
from puzzlemill.trainer.feedback import with_feedback
from puzzlemill.trainer.imitation_weight import other_items
from puzzlemill.trainer.partial_rollouts import Rounds, beginnings
from puzzlemill.trainer.prefixes import prefix_prompts, sample_from_prefixes
from puzzlemill.trainer.refinement import with_refinements
from puzzlemill.trainer.rethinking import with_rethinking
from puzzlemill.trainer.rollouts import (
    Buffers,
    Prompt,
    Rollouts,
    StepRollouts,
    cell_name,
    groups_of,
    no_rollouts,
    padded_with_nan,
)
from puzzlemill.trainer.scaffold import sample_with_scaffold
from puzzlemill.trainer.schedule import Row, Schedule, Ticket
from puzzlemill.trainer.self_imitation import good_places, recalibrated
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, rewards, updated_memory
from puzzlemill.trainer.step_values import StepValuer
from puzzlemill.trainer.teacher import taught_groups
from puzzlemill.trainer.try_credit import mixed_by_try
from puzzlemill.trainer.verifying import verifications


@dataclass(frozen=True, slots=True)
class Collector:
    """Collects the rollouts of a step."""

    policy: Policy
    schedule: Schedule
    settings: Train
    judge: Judge
    buffers: Buffers
    max_tokens: int  # of a reply
    tokens: Tokens | None = None  # of the policy

    def collect(self, step: int) -> StepRollouts:
        """Sample a step's rollouts, and keep the groups that its advantages can use.

        Demonstrations join hard groups. Prompts that all replies fail are sampled again with hints.
        Groups that the advantage cannot use, since all of their replies earn the same, are replaced
        by new prompts, for as many rounds as `refills` allows; then by groups of earlier steps.
        Where that does not suffice, the step trains on fewer groups.
        """
        settings, buffers = self.settings, self.buffers
        buffers.overflow = self._without_stale(buffers.overflow, step)
        buffers.replay = self._without_stale(buffers.replay, step)
        buffers.successes = self._without_stale(buffers.successes, step)
        wanted = max(ceil(settings.prompts * settings.oversample) - len(buffers.overflow), 1)
        sample_items = self._sample_partly if settings.partial_rollouts else self._sample_items
        groups = sampled = sample_items(wanted, step, f"train {step}")
        outcomes = [*_outcomes(groups)]
        groups = self._with_demonstrations(groups, f"train {step} answer")
        for share in settings.hints:
            groups, again = self._hinted(groups, share, f"train {step} hint {share}")
            sampled = sampled.concat(again)
        tried = [*sampled.prompts]
        groups, more = self._with_extra_replies(groups, f"train {step} more")
        sampled = sampled.concat(more)
        useful = self._useful(groups, step)
        kept, used = buffers.overflow.concat(useful), [*useful.prompts]
        more = self._from_prefixes(useful, 2 * settings.prompts - len(kept), f"train {step} prefix")
        sampled, kept = sampled.concat(more), kept.concat(self._useful(more, step))
        for round_ in range(settings.refills):
            missing = settings.prompts - len(kept)
            if missing <= 0:
                break
            new = self._sample_items(missing, step, f"train {step} refill {round_}")
            outcomes += _outcomes(new)
            helped = self._with_demonstrations(new, f"train {step} answer {round_}")
            useful = self._useful(helped, step)
            sampled, kept = sampled.concat(new), kept.concat(useful)
            tried, used = tried + new.prompts, used + useful.prompts
        self.schedule.update(outcomes)
        buffers.overflow = kept.select(range(settings.prompts, len(kept)))
        kept = kept.select(range(min(settings.prompts, len(kept))))
        discarded = Counter(map(cell_name, tried)) - Counter(map(cell_name, used))
        kept = self._with_replay(kept, step)
        memory = buffers.memory
        buffers.memory = updated_memory(groups_of(sampled, settings, self.max_tokens, step, memory))
        discarded_by_cell = dict(sorted(discarded.items()))
        imitated = self._imitated(sampled, step)
        others = other_items(self.schedule.source, self._sample_once, settings.imitate, step)
        verified = verifications(self.policy, kept, settings, step)
        chosen = discarded_by_cell, memory, imitated, others, verified, self.schedule.metrics()
        return StepRollouts(sampled, kept, *chosen)

    def sample(
        self, prompts: Sequence[Prompt], purpose: str, replies: int, tries: int | None = None
    ) -> Rollouts:
        rows, retry = [prompt.row for prompt in prompts], self.settings.retry
        most = tries or self.settings.tries
        conversations = sample_conversations(
            self.policy, rows, purpose, replies, self.judge, most, retry
        )
        return self._scored(prompts, conversations, purpose, tries)

    def _scored(
        self,
        prompts: Sequence[Prompt],
        conversations: list[list[Conversation]],
        purpose: str,
        tries: int | None = None,
    ) -> Rollouts:
        """Conversations with their scores, and what a trigger, a teacher or values add to them."""
        rows, settings = [prompt.row for prompt in prompts], self.settings
        most, retry = tries or settings.tries, settings.retry
        if settings.rethink.share and tries is None:
            conversations = with_rethinking(
                self.policy, rows, conversations, purpose, self.judge, settings.rethink
            )
        if settings.feedback.share and tries is None and prompts:
            feedback, step = settings.feedback, prompts[0].step
            conversations = with_feedback(
                self.policy, rows, conversations, purpose, self.judge, feedback, step
            )
        if settings.process.values and tries is None:
            assert self.tokens is not None, "steps end at tokens"
            valuer = StepValuer(
                self.policy, self.tokens, self.judge, settings.process, self.max_tokens
            )
            conversations = valuer.with_values(rows, conversations, purpose)
        if retry.refinements and most > 1:
            conversations = with_refinements(rows, conversations, purpose, retry.refinements)
        scores = [[discounted_return(each, retry) for each in group] for group in conversations]
        return Rollouts([*prompts], conversations, padded_with_nan(scores))

    def _sample_once(self, prompts: Sequence[Prompt], purpose: str) -> Rollouts:
        """A group to each of them, without retries or what a trigger or teacher adds."""
        step = prompts[0].step if prompts else 0
        return self.sample(prompts, f"{purpose} {step}", self.settings.group, tries=1)

    def _useful(self, groups: Rollouts, step: int) -> Rollouts:
        if self.settings.self_reward.weight:  # which is learned of groups that are alike too
            return groups
        seen, least = self._groups(groups, step), self.settings.least_std
        found = rewards(seen)
        useful_P = useful_groups(found.replies_PG, self.settings.loss)
        if least:
            useful_P = useful_P & (group_std(found.replies_PG) >= least)
        places = {*torch.nonzero(useful_P)[:, 0].tolist()} | found.stepped()
        places |= mixed_by_try(found, seen) | taught_groups(groups, self.settings.teacher)
        return groups.select(sorted(places))

    def _groups(self, groups: Rollouts, step: int) -> Groups:
        memory = self.buffers.memory
        return groups_of(groups, self.settings, self.max_tokens, step, memory)

    def _sample_items(self, count: int, step: int, purpose: str) -> Rollouts:
        self._rescore(count, step, f"rescore {purpose}")
        done = step / self.settings.steps
        prompts = self._prompts(self.schedule.pick(count, done, purpose), step)
        group, scaffold = self.settings.group, self.settings.scaffold
        if scaffold.share:
            return sample_with_scaffold(
                self.sample, prompts, purpose, group, done, scaffold, self._takes
            )
        return self.sample(prompts, purpose, group)

    def _sample_partly(self, wanted: int, step: int, purpose: str) -> Rollouts:
        """Groups that are whole when there are enough for the step; the others are kept, and go on
        in the next step. There is a round in every step, so that no reply stays behind."""
        settings, buffers = self.settings, self.buffers
        assert self.tokens is not None, "replies go on from tokens"
        version = max(step - settings.max_staleness, 0)
        rounds = Rounds(self.policy, self.tokens, self.judge, settings, self.max_tokens, version)
        under_way, whole = buffers.unfinished, no_rollouts()
        if (count := wanted - len(under_way)) > 0:
            self._rescore(count, step, f"rescore {purpose}")
            tickets = self.schedule.pick(count, step / settings.steps, purpose)
            under_way = under_way.concat(beginnings(self._prompts(tickets, step), settings.group))
        missing = settings.prompts - len(buffers.overflow)
        while len(under_way) and (not len(whole) or len(whole) < missing):
            under_way = rounds.next(under_way)
            done = rounds.are_whole(under_way)
            ended = under_way.select([n for n, each in enumerate(done) if each])
            whole = whole.concat(rounds.broken_off(ended))
            under_way = under_way.select([n for n, each in enumerate(done) if not each])
        buffers.unfinished = under_way
        return self._scored(whole.prompts, whole.conversations, purpose)

    def _rescore(self, count: int, step: int, purpose: str) -> None:
        """ADCL: the current policy replies to the items that the curriculum is about to order."""
        tickets, replies = self.schedule.due(count)
        if tickets:
            scored = self.sample(self._prompts(tickets, step), purpose, replies, tries=1)
            self.schedule.rescored(list(zip(tickets, scored.scores(), strict=True)))

    def _takes(self, row: Row) -> bool:
        """Whether there is room for a reply behind a prompt, which may have grown by a hint."""
        return self.policy.takes(question_of(row, ""))

    def _prompts(self, tickets: Sequence[Ticket], step: int) -> list[Prompt]:
        return [Prompt(ticket, self.schedule.source.row(ticket), step=step) for ticket in tickets]

    def _without_stale(self, groups: Rollouts, step: int) -> Rollouts:
        """The groups that were sampled no more than `max_age` steps ago."""
        most = self.settings.max_age or step
        prompts = enumerate(groups.prompts)
        return groups.select([place for place, each in prompts if step - each.step <= most])

    def _hinted(self, groups: Rollouts, share: float, purpose: str) -> tuple[Rollouts, Rollouts]:
        """The groups, with those that all replies fail replaced by groups of the hinted prompt; and
        the replacements alone."""
        hinted_prompts: dict[int, Prompt] = {}
        for place in _unsolved(groups):
            prompt = groups.prompts[place]
            row = hinted(self.schedule.source.row(prompt.ticket), share)
            if not isinstance(row, str) and self._takes(row):
                hinted_prompts[place] = replace(prompt, row=row, hint_share=share, source="hint")
        if not hinted_prompts:
            return groups, no_rollouts()
        again = self.sample(list(hinted_prompts.values()), purpose, self.settings.group)
        others = [place for place in range(len(groups)) if place not in hinted_prompts]
        return groups.select(others).concat(again), again

    def _with_demonstrations(self, groups: Rollouts, purpose: str) -> Rollouts:
        """The groups, with right texts in those that want some; and the new successes are kept."""
        settings, retry = self.settings.demonstrations, self.settings.retry
        if not settings.number:
            return groups
        answer = settings.source == "explanations"
        places = demonstrated_places(groups, settings)
        if settings.source == "rewordings":  # of steps, where there are any
            places = [place for place in places if steps_of(groups.prompts[place].row)]
        prompts = [groups.prompts[place] for place in places]
        if settings.source == "replies":
            found = kept_replies(prompts, self.buffers.successes)
            successes = self.buffers.successes
            self.buffers.successes = with_successes(successes, groups, settings.number, retry)
        elif not prompts:
            return groups
        elif settings.source == "solutions":
            assert self.tokens is not None, "solutions need the policy's tokenizer"
            found = solutions(prompts, self.tokens, self.judge, self.max_tokens)
        else:
            told = explained if answer else reworded
            rows = [told(prompt.row) for prompt in prompts]
            fitting = [at for at, row in enumerate(rows) if self._takes(row)]
            places = [places[at] for at in fitting]
            prompts = [prompts[at] for at in fitting]
            asked = [replace(prompts[n], row=rows[at]) for n, at in enumerate(fitting)]
            again = self.sample(asked, purpose, self.settings.group, tries=1)
            # Which explanations are the likeliest is read when the step is learned from.
            most = self.settings.group if answer else settings.number
            found = [some[:most] for some in told_replies(prompts, again)]
        return joined(groups, dict(zip(places, found, strict=True)), retry)

    def _from_prefixes(self, groups: Rollouts, most: int, purpose: str) -> Rollouts:
        """ReST-RL: groups of replies that go on from prefixes of these groups' best replies."""
        settings = self.settings.prefixes
        if not settings.share or most <= 0:
            return no_rollouts()
        prompts = prefix_prompts(groups, settings, purpose)[:most]
        return sample_from_prefixes(self.policy, prompts, purpose, self.settings.group, self.judge)

    def _with_extra_replies(self, groups: Rollouts, purpose: str) -> tuple[Rollouts, Rollouts]:
        """DARS: the groups with further replies to hard prompts; and those replies alone."""
        settings, more = self.settings, no_rollouts()
        if not settings.extra:
            return groups, more
        group, hard = settings.group, settings.extra_for == "hard"
        sampled = groups.only(
            [
                [at for at, each in enumerate(some) if each.source == "own"]
                for some in groups.conversations
            ]
        )
        counts = [
            dars_replies(group, sum(scores), settings.extra, hard) if len(scores) == group else 0
            for scores in sampled.scores()
        ]
        conversations, scores = [*groups.conversations], groups.scores()
        for count in sorted({*counts} - {0}):
            places = [place for place, each in enumerate(counts) if each == count]
            new = self.sample([groups.prompts[place] for place in places], purpose, count)
            more = more.concat(new)
            for place, added, added_scores in zip(
                places, new.conversations, new.scores(), strict=True
            ):
                conversations[place] = conversations[place] + added
                scores[place] = scores[place] + added_scores
        return Rollouts(groups.prompts, conversations, padded_with_nan(scores)), more

    def _imitated(self, sampled: Rollouts, step: int) -> Rollouts:
        """Good replies of earlier steps that recent groups are still worse than (SPEAR); those of
        this step are kept for later ones."""
        settings, buffers = self.settings.self_imitation, self.buffers
        if not settings.replies:
            return no_rollouts()
        own = sampled.of_plain_prompts()
        means = [*buffers.group_means, *map(fmean, own.scores())]
        buffers.group_means = means[-settings.groups :]
        earlier = buffers.good
        scores = [score for (score,) in earlier.scores()]
        advantages = recalibrated(scores, buffers.group_means, settings, step)
        better = [place for place, each in enumerate(advantages) if each > 0]
        buffers.good = earlier.concat(own.alone(good_places(own.scores())))
        buffers.good = buffers.good.select(range(len(buffers.good))[-settings.replies :])
        imitated = earlier.select(better).of_source("self_imitation")
        return replace(
            imitated, scores_PG=torch.tensor([[advantages[each]] for each in better]).view(-1, 1)
        )

    def _with_replay(self, kept: Rollouts, step: int) -> Rollouts:
        """The groups, filled up from the replay buffer where some are missing, by the spread of
        their rewards (VL-Rethinker's selective replay); new groups go into the buffer."""
        settings, buffers = self.settings, self.buffers
        if not settings.replay:
            return kept
        older = buffers.replay
        missing = settings.prompts - len(kept)
        buffers.replay = older.concat(kept)
        buffers.replay = buffers.replay.select(range(len(buffers.replay))[-settings.replay :])
        if missing <= 0:
            return kept
        rewards_PG = rewards(self._groups(older, step)).replies_PG
        # Only groups whose rewards still differ: shapings may depend on the step, and an advantage
        # may have used a group that is all right or all wrong.
        mixed = torch.nonzero(mixed_groups(rewards_PG))[:, 0].tolist()
        rows = [rewards_PG[place] for place in mixed]
        spreads = [row_G[~row_G.isnan()].std(correction=0).item() for row_G in rows]
        drawn = sample_distinct(spreads, min(missing, len(mixed)), Random(f"replay {step}"))
        places = [mixed[place] for place in drawn]
        return kept.concat(older.select(sorted(places)).of_source("replay"))


def group_std(rewards_PG: Tensor) -> Tensor:
    """The standard deviation of each group's rewards, P."""
    known_PG = ~rewards_PG.isnan()
    count_P1 = known_PG.sum(dim=1, keepdim=True).clamp(min=1)
    mean_P1 = rewards_PG.nansum(dim=1, keepdim=True) / count_P1
    squares_PG = torch.where(known_PG, (rewards_PG - mean_P1).square(), 0.0)
    return (squares_PG.sum(dim=1) / count_P1[:, 0]).sqrt()


def _outcomes(groups: Rollouts) -> Iterator[tuple[Ticket, list[float]]]:
    """The scores of replies to the plain prompts."""
    plain = groups.without_refinements().of_plain_prompts()
    return zip([prompt.ticket for prompt in plain.prompts], plain.scores(), strict=True)


def _unsolved(groups: Rollouts) -> list[int]:
    """The places of the prompts that all replies fail."""
    return [place for place, scores in enumerate(groups.scores()) if not any(scores)]
