"""The collector of rollouts: which prompts a step samples, and which groups it trains on."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from random import Random
from statistics import fmean

import torch

from puzzlemill.difficulty.budget import dars_replies
from puzzlemill.difficulty.curricula import sample_distinct
from puzzlemill.difficulty.hints import explained, hinted
from puzzlemill.difficulty.policies.policy import Policy, Reply
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.advantages import mixed_groups, useful_groups
from puzzlemill.trainer.conversations import discounted_return, sample_conversations
from puzzlemill.trainer.refinement import with_refinements
from puzzlemill.trainer.rethinking import with_rethinking
from puzzlemill.trainer.rollouts import (
    Buffers,
    Explanation,
    Prompt,
    Rollouts,
    StepRollouts,
    cell_name,
    groups_of,
    no_rollouts,
    padded_with_nan,
)
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.self_imitation import good_places, recalibrated
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, rewards, updated_memory
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

    def collect(self, step: int) -> StepRollouts:
        """Sample a step's rollouts, and keep the groups that its advantages can use.

        Prompts that all replies fail are sampled again with hints, or with the answer. Groups that
        the advantage cannot use, since all of their replies earn the same, are replaced by new
        prompts, for as many rounds as `refills` allows; then by groups of earlier steps. Where that
        does not suffice, the step trains on fewer groups.
        """
        settings, buffers = self.settings, self.buffers
        buffers.overflow = self._without_stale(buffers.overflow, step)
        buffers.replay = self._without_stale(buffers.replay, step)
        buffers.successes = self._without_stale(buffers.successes, step)
        wanted = max(ceil(settings.prompts * settings.oversample) - len(buffers.overflow), 1)
        groups = sampled = self._sample_items(wanted, step, f"train {step}")
        outcomes = [*_outcomes(groups)]
        for share in settings.hints:
            groups, again = self._hinted(groups, share, f"train {step} hint {share}")
            sampled = sampled.concat(again)
        explanations = self._explained(groups, f"train {step} answer") if settings.explain else []
        tried = [*sampled.prompts]
        if settings.last_success:
            groups = self._with_last_successes(groups)
        groups, more = self._with_extra_replies(groups, f"train {step} more")
        sampled = sampled.concat(more)
        useful = self._useful(groups, step)
        kept, used = buffers.overflow.concat(useful), [*useful.prompts]
        for round_ in range(settings.refills):
            missing = settings.prompts - len(kept)
            if missing <= 0:
                break
            new = self._sample_items(missing, step, f"train {step} refill {round_}")
            outcomes += _outcomes(new)
            useful = self._useful(new, step)
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
        verified = verifications(self.policy, kept, settings, step)
        return StepRollouts(
            sampled, kept, explanations, discarded_by_cell, memory, imitated, verified
        )

    def sample(
        self, prompts: Sequence[Prompt], purpose: str, replies: int, tries: int | None = None
    ) -> Rollouts:
        rows, settings = [prompt.row for prompt in prompts], self.settings
        most, retry = tries or settings.tries, settings.retry
        conversations = sample_conversations(
            self.policy, rows, purpose, replies, self.judge, most, retry
        )
        if settings.rethink.share and tries is None:
            conversations = with_rethinking(
                self.policy, rows, conversations, purpose, self.judge, settings.rethink
            )
        if retry.refinements and most > 1:
            conversations = with_refinements(rows, conversations, purpose, retry.refinements)
        scores = [[discounted_return(each, retry) for each in group] for group in conversations]
        return Rollouts([*prompts], conversations, padded_with_nan(scores))

    def _useful(self, groups: Rollouts, step: int) -> Rollouts:
        if self.settings.self_reward.weight:  # which is learned of groups that are alike too
            return groups
        seen = self._groups(groups, step)
        found = rewards(seen)
        useful_P = useful_groups(found.replies_PG, self.settings.loss)
        useful = {*torch.nonzero(useful_P)[:, 0].tolist()} | found.stepped()
        return groups.select(sorted(useful | mixed_by_try(found, seen)))

    def _groups(self, groups: Rollouts, step: int) -> Groups:
        memory = self.buffers.memory
        return groups_of(groups, self.settings, self.max_tokens, step, memory)

    def _sample_items(self, count: int, step: int, purpose: str) -> Rollouts:
        self._rescore(count, step, f"rescore {purpose}")
        tickets = self.schedule.pick(count, step / self.settings.steps, purpose)
        return self.sample(self._prompts(tickets, step), purpose, self.settings.group)

    def _rescore(self, count: int, step: int, purpose: str) -> None:
        """ADCL: the current policy replies to the items that the curriculum is about to order."""
        tickets, replies = self.schedule.due(count)
        if tickets:
            scored = self.sample(self._prompts(tickets, step), purpose, replies, tries=1)
            self.schedule.rescored(list(zip(tickets, scored.scores(), strict=True)))

    def _prompts(self, tickets: Sequence[Ticket], step: int) -> list[Prompt]:
        return [Prompt(ticket, self.schedule.source.row(ticket), step=step) for ticket in tickets]

    def _without_stale(self, groups: Rollouts, step: int) -> Rollouts:
        """The groups that were sampled no more than `staleness` steps ago."""
        most = self.settings.staleness or step
        prompts = enumerate(groups.prompts)
        return groups.select([place for place, each in prompts if step - each.step <= most])

    def _hinted(self, groups: Rollouts, share: float, purpose: str) -> tuple[Rollouts, Rollouts]:
        """The groups, with those that all replies fail replaced by groups of the hinted prompt; and
        the replacements alone."""
        hinted_prompts: dict[int, Prompt] = {}
        for place in _unsolved(groups):
            prompt = groups.prompts[place]
            row = hinted(self.schedule.source.row(prompt.ticket), share)
            if not isinstance(row, str):
                hinted_prompts[place] = replace(prompt, row=row, hint_share=share, source="hint")
        if not hinted_prompts:
            return groups, no_rollouts()
        again = self.sample(list(hinted_prompts.values()), purpose, self.settings.group)
        others = [place for place in range(len(groups)) if place not in hinted_prompts]
        return groups.select(others).concat(again), again

    def _explained(self, groups: Rollouts, purpose: str) -> list[Explanation]:
        """ExPO: to prompts that all replies fail, the likeliest right reply given the answer."""
        unsolved = [groups.prompts[place] for place in _unsolved(groups)]
        if not unsolved:
            return []
        rows = [self.schedule.source.row(each.ticket) for each in unsolved]
        plain = [
            replace(each, row=row, hint_share=0.0) for each, row in zip(unsolved, rows, strict=True)
        ]
        with_answer = [replace(each, row=explained(each.row)) for each in plain]
        again = self.sample(with_answer, purpose, self.settings.group, tries=1)
        explanations = []
        for prompt, group, scores in zip(plain, again.groups, again.scores(), strict=True):
            right = [
                reply
                for reply, score in zip(group, scores, strict=True)
                if score == 1 and reply.tokens
            ]
            if right:
                explanations.append(Explanation(prompt, max(right, key=_mean_logp)))
        return explanations

    def _with_extra_replies(self, groups: Rollouts, purpose: str) -> tuple[Rollouts, Rollouts]:
        """DARS: the groups with further replies to hard prompts; and those replies alone."""
        settings, more = self.settings, no_rollouts()
        if not settings.extra:
            return groups, more
        group, hard = settings.group, settings.extra_for == "hard"
        counts = [
            dars_replies(group, sum(scores), settings.extra, hard) if len(scores) == group else 0
            for scores in groups.scores()
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
        own = sampled.select(
            [place for place, each in enumerate(sampled.prompts) if not each.hint_share]
        )
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

    def _with_last_successes(self, groups: Rollouts) -> Rollouts:
        """RAPO: the groups, with an item's last success in the place of a reply where all fail; and
        the new successes are kept."""
        successes = self.buffers.successes
        stored = {prompt.row["uid"]: place for place, prompt in enumerate(successes.prompts)}
        conversations, scores = [*groups.conversations], groups.scores()
        new: dict[str, Rollouts] = {}
        for place, prompt in enumerate(groups.prompts):
            uid, group = prompt.row["uid"], groups.conversations[place]
            if prompt.hint_share:
                continue
            if any(each.verdict.correct for each in group):
                new[uid] = _first_success(groups, place)
            elif uid in stored and not any(scores[place]):
                success = successes.select([stored[uid]])
                conversations[place] = [*group[:-1], success.conversations[0][0]]
                scores[place][-1] = success.scores()[0][0]
        successes = successes.select([place for uid, place in stored.items() if uid not in new])
        for each in new.values():
            successes = successes.concat(each)
        self.buffers.successes = successes
        return Rollouts(groups.prompts, conversations, padded_with_nan(scores))

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


def _first_success(groups: Rollouts, place: int) -> Rollouts:
    """The first right conversation of a group, alone."""
    prompt, group = groups.prompts[place], groups.conversations[place]
    number = next(number for number, each in enumerate(group) if each.verdict.correct)
    score = groups.scores_PG[place : place + 1, number : number + 1]
    return Rollouts([prompt], [[group[number]]], score)


def _outcomes(groups: Rollouts) -> Iterator[tuple[Ticket, list[float]]]:
    first = groups.without_refinements()
    return zip([prompt.ticket for prompt in groups.prompts], first.scores(), strict=True)


def _unsolved(groups: Rollouts) -> list[int]:
    """The places of the prompts that all replies fail."""
    return [place for place, scores in enumerate(groups.scores()) if not any(scores)]


def _mean_logp(reply: Reply) -> float:
    return sum(reply.logps) / len(reply.logps)
