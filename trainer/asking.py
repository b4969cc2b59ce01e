"""What a step asks the policy, and what of it is learned from.

Suffixes: P prompts, G replies to each; where a prompt has fewer replies than others, the rest of
its scores are NaN.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, nan
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from puzzlemill.difficulty.budget import dars_replies
from puzzlemill.difficulty.curricula import name_of, sample_distinct
from puzzlemill.difficulty.hints import explained, hinted
from puzzlemill.difficulty.policies.policy import Policy, Reply
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.advantages import useful_groups
from puzzlemill.trainer.course import Course, Row, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, rewards
from puzzlemill.trainer.turns import Talk, talks, worth


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt of a step."""

    ticket: Ticket
    row: Row  # as the policy was asked
    share: float = 0.0  # of the solution that it was told


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Groups of a step: what was asked, what was said, and how right it was in the end."""

    asked: list[Asked]
    talks: list[list[Talk]]
    scores_PG: Tensor  # of a reply that needed more than one try: what it is worth

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def groups(self) -> list[list[Reply]]:
        """The last reply of each conversation."""
        return [[talk.last for talk in group] for group in self.talks]

    @property
    def replies(self) -> list[Reply]:
        """All of them."""
        return [turn.reply for group in self.talks for talk in group for turn in talk.turns]

    def joined(self, other: "Rollouts") -> "Rollouts":
        """Both, one after the other."""
        widest = max(self.scores_PG.shape[1], other.scores_PG.shape[1])
        scores_PG = torch.cat([_widened(each.scores_PG, widest) for each in (self, other)])
        return Rollouts(self.asked + other.asked, self.talks + other.talks, scores_PG)

    def only(self, places: Sequence[int]) -> "Rollouts":
        asked, talks = [self.asked[n] for n in places], [self.talks[n] for n in places]
        # As wide as they need: rounding depends on a tensor's shape, and what a checkpoint brings
        # back is no wider.
        widest = max(map(len, talks), default=0)
        scores_PG = self.scores_PG[torch.tensor(places, dtype=torch.long), :widest]
        return Rollouts(asked, talks, scores_PG)

    def scores(self) -> list[list[float]]:
        """Of each group, without what is not there."""
        rows = zip(self.scores_PG.tolist(), self.talks, strict=True)
        return [scores[: len(group)] for scores, group in rows]


def nothing() -> Rollouts:
    return Rollouts([], [], torch.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class Told:
    """A right reply that the policy gave when it was told the answer, to be learned without."""

    asked: Asked
    reply: Reply


@dataclass
class Memory:
    """What a run carries from step to step, besides its weights and its course."""

    spare: Rollouts = field(default_factory=nothing)  # useful groups that a step had no room for
    replay: Rollouts = field(default_factory=nothing)  # of earlier steps, the oldest first
    ahead: "Gathered | None" = None  # what was asked for the next step already
    entropy: float | None = None  # the weight of the bonus, where it is being fitted


@dataclass(frozen=True, slots=True)
class Gathered:
    asked: Rollouts  # all, the prompts that the curriculum picked first
    kept: Rollouts  # what is learned from
    told: list[Told]
    discarded: dict[str, int]  # prompts that nothing is learned from, by family and level


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a policy for a run."""

    policy: Policy
    course: Course
    settings: Train
    judge: Judge
    memory: Memory
    most: int  # tokens of a reply

    def gather(self, step: int) -> Gathered:
        """All that is asked in a step, and what is learned from.

        What all fail is asked again with hints, or with the answer. Then groups that the advantage
        cannot use, since all of their replies earn the same, give way to new prompts, as many as
        are missing and for as many rounds as there may be; then to groups of earlier steps. Where
        that does not suffice, the step makes do with fewer.
        """
        settings, memory = self.settings, self.memory
        wanted = max(ceil(settings.prompts * settings.oversample) - len(memory.spare), 1)
        found = asked = self._pick(wanted, step, f"train {step}")
        seen = [*zip([each.ticket for each in found.asked], found.scores(), strict=True)]
        for share in settings.hints:
            found, again = self._hinted(found, share, f"train {step} hint {share}")
            asked = asked.joined(again)
        told = self._explained(found, f"train {step} answer") if settings.explain else []
        prompts = [*asked.asked]
        found, more = self._more(found, f"train {step} more")
        asked = asked.joined(more)
        useful = self._useful(found, step)
        kept, taken = memory.spare.joined(useful), [*useful.asked]
        for round_ in range(settings.refills):
            missing = settings.prompts - len(kept)
            if missing <= 0:
                break
            new = self._pick(missing, step, f"train {step} refill {round_}")
            seen += zip([each.ticket for each in new.asked], new.scores(), strict=True)
            useful = self._useful(new, step)
            asked, kept = asked.joined(new), kept.joined(useful)
            prompts, taken = prompts + new.asked, taken + useful.asked
        self.course.tell(seen)
        memory.spare = kept.only(range(settings.prompts, len(kept)))
        kept = kept.only(range(min(settings.prompts, len(kept))))
        discarded = Counter(map(_cell, prompts)) - Counter(map(_cell, taken))
        return Gathered(asked, self._replayed(kept, step), told, dict(sorted(discarded.items())))

    def ask(
        self, asked: Sequence[Asked], purpose: str, replies: int, tries: int | None = None
    ) -> Rollouts:
        rows, settings = [each.row for each in asked], self.settings
        most, retry = tries or settings.tries, settings.retry
        held = talks(self.policy, rows, purpose, replies, self.judge, most, retry)
        scores = [[worth(talk, retry.decay) for talk in group] for group in held]
        return Rollouts([*asked], held, torch.tensor(scores).view(len(asked), -1))

    def _useful(self, found: Rollouts, step: int) -> Rollouts:
        rewards_PG = earned(found, self.settings, self.most, step)
        useful_P = useful_groups(rewards_PG, self.settings.loss)
        return found.only(torch.nonzero(useful_P)[:, 0].tolist())

    def _pick(self, count: int, step: int, purpose: str) -> Rollouts:
        tickets = self.course.pick(count, step / self.settings.steps, purpose)
        asked = [Asked(ticket, self.course.source.row(ticket)) for ticket in tickets]
        return self.ask(asked, purpose, self.settings.group)

    def _hinted(self, found: Rollouts, share: float, purpose: str) -> tuple[Rollouts, Rollouts]:
        """With what all fail asked again, so much of the solution told; and what that gave."""
        told: dict[int, Asked] = {}
        for place in _failed(found):
            ticket = found.asked[place].ticket
            row = hinted(self.course.source.row(ticket), share)
            if not isinstance(row, str):
                told[place] = Asked(ticket, row, share)
        if not told:
            return found, nothing()
        again = self.ask(list(told.values()), purpose, self.settings.group)
        others = [place for place in range(len(found)) if place not in told]
        return found.only(others).joined(again), again

    def _explained(self, found: Rollouts, purpose: str) -> list[Told]:
        """ExPO: of what all fail, the likeliest right reply when the answer is told."""
        tickets = [found.asked[place].ticket for place in _failed(found)]
        if not tickets:
            return []
        plain = [Asked(ticket, self.course.source.row(ticket)) for ticket in tickets]
        telling = [Asked(each.ticket, explained(each.row)) for each in plain]
        there = self.ask(telling, purpose, self.settings.group, tries=1)
        best = []
        for asked, group, scores in zip(plain, there.groups, there.scores(), strict=True):
            right = [
                reply
                for reply, score in zip(group, scores, strict=True)
                if score == 1 and reply.tokens
            ]
            if right:
                best.append(Told(asked, max(right, key=_likely)))
        return best

    def _more(self, found: Rollouts, purpose: str) -> tuple[Rollouts, Rollouts]:
        """DARS: with further replies to hard prompts; and those by themselves."""
        settings, more = self.settings, nothing()
        if not settings.extra:
            return found, more
        group, hard = settings.group, settings.extra_for == "hard"
        counts = [
            dars_replies(group, sum(scores), settings.extra, hard) if len(scores) == group else 0
            for scores in found.scores()
        ]
        groups, scores = [*found.talks], found.scores()
        for count in sorted({*counts} - {0}):
            places = [place for place, each in enumerate(counts) if each == count]
            new = self.ask([found.asked[place] for place in places], purpose, count)
            more = more.joined(new)
            for place, held, earned in zip(places, new.talks, new.scores(), strict=True):
                groups[place] = groups[place] + held
                scores[place] = scores[place] + earned
        return Rollouts(found.asked, groups, ragged(scores)), more

    def _replayed(self, kept: Rollouts, step: int) -> Rollouts:
        """With groups of earlier steps where new ones are missing, those that say most first; and
        the new ones remembered (VL-Rethinker's selective replay)."""
        settings, memory = self.settings, self.memory
        if not settings.replay:
            return kept
        missing = min(settings.prompts - len(kept), len(memory.replay))
        older = memory.replay
        memory.replay = older.joined(kept)
        memory.replay = memory.replay.only(range(len(memory.replay))[-settings.replay :])
        if missing <= 0:
            return kept
        rewards_PG = earned(older, settings, self.most, step)
        spreads = [row_G[~row_G.isnan()].std(correction=0).item() for row_G in rewards_PG]
        places = sample_distinct(spreads, missing, Random(f"replay {step}"))
        return kept.joined(older.only(sorted(places)))


def earned(found: Rollouts, settings: Train, most: int, step: int) -> Tensor:
    """What each reply earns, PG: its score, shaped."""
    rows = [each.row for each in found.asked]
    return rewards(Groups(rows, found.talks, found.scores_PG, settings, most, step))


def outcomes(asked: Rollouts) -> dict[str, list[float]]:
    """How many prompts of each family and level were asked, and what their replies scored."""
    means: dict[str, list[float]] = {}
    for each, mean in zip(asked.asked, asked.scores_PG.nanmean(dim=1).tolist(), strict=True):
        means.setdefault(_cell(each), []).append(mean)
    return {cell: [len(found), round(fmean(found), 4)] for cell, found in sorted(means.items())}


def _cell(asked: Asked) -> str:
    return name_of((asked.row["family"], asked.row["level"]))


def _failed(found: Rollouts) -> list[int]:
    return [place for place, scores in enumerate(found.scores()) if not any(scores)]


def _likely(reply: Reply) -> float:
    return sum(reply.logps) / len(reply.logps)


def ragged(scores: Sequence[Sequence[float]]) -> Tensor:
    widest = max(map(len, scores), default=0)
    filled = [[*each, *[nan] * (widest - len(each))] for each in scores]
    return torch.tensor(filled).view(len(scores), widest)


def _widened(scores_PG: Tensor, widest: int) -> Tensor:
    more = scores_PG.new_full((len(scores_PG), widest - scores_PG.shape[1]), nan)
    return torch.cat((scores_PG, more), dim=1)
