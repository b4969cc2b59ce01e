"""TRL: tasks for the `environment_factory` of GRPOTrainer, with a live band across its processes.

A row of the dataset is a split and an index, from which all else follows: the rollouts of a group
get the same task, in whatever process they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from statistics import fmean
from typing import Any

from puzzlemill.core.address import check_split
from puzzlemill.core.errors import UserError
from puzzlemill.outputs.rewards import score_all
from puzzlemill.serving.adapters.in_process import (
    UNFINISHED,
    Source,
    new_source,
    opened,
    replied,
    wait,
)
from puzzlemill.serving.episodes import AGAIN, RIGHT, WRONG, Server, as_reply
from puzzlemill.serving.jobs import ServedItem
from puzzlemill.serving.sessions import Episode

PROBLEM, GAME = "problem", "game"  # the names of the environments
OVER = "It is over: no further reply counts."


@dataclass(eq=False, repr=False)
class Environments:
    """What GRPOTrainer takes: `train_dataset`, `environment_factory` and `reward_funcs`."""

    source: Source
    split: str
    count: int
    thinking: bool = False

    @property
    def server(self) -> Server:
        return self.source.server

    @cached_property
    def train_dataset(self) -> Any:
        return self.rows(self.split, self.count)

    def rows(self, split: str, count: int) -> Any:
        """A row for each task. The prompt is the environment's, and empty here."""
        from datasets import Dataset

        places = [self.source.place(split, index)[0] for index in range(count)]
        columns = {
            "prompt": [[{"role": "user", "content": ""}]] * count,
            "environment": [GAME if each.is_game else PROBLEM for each in places],
            "split": [split] * count,
            "index": list(range(count)),
        }
        return Dataset.from_dict(columns)

    @property
    def environment_factory(self) -> dict[str, Callable[[], Any]]:
        problem = Problem if self.server.settings.tries == 1 else Tries
        return {PROBLEM: partial(problem, self), GAME: partial(Game, self)}

    @property
    def reward_funcs(self) -> list[Callable[..., list[float | None]]]:
        return [self.reward]

    def reward(
        self,
        completions: Sequence[Any],
        environments: Sequence[Any],
        log_metric: Callable[[str, float], None] | None = None,
        **others: Any,
    ) -> list[float | None]:
        """The score of each rollout; None where our own code failed, which says nothing of it."""
        open_problems = [
            (place, environment)
            for place, environment in enumerate(environments)
            if isinstance(environment, Problem | Tries) and environment.verdict is None
        ]
        verdicts = score_all(
            [environment.item.fields for _, environment in open_problems],
            [completions[place] for place, _ in open_problems],
            self.thinking,
        )
        for (_, environment), verdict in zip(open_problems, verdicts, strict=True):
            environment._judged(verdict)
        problems = [each for each in environments if isinstance(each, Problem | Tries)]
        if log_metric is not None and problems:
            log_metric("correct", fmean(_is(each, "correct") for each in problems))
            for status in ("unparsed", "error"):
                log_metric(status, fmean(_is(each, status) for each in problems))
        self._learn([each.first for each in problems if each.first])
        return [each.score for each in environments]

    def opened(self, split: str, index: int) -> Episode:
        return wait(opened(self.server, self.source.task(split, index)))

    def state_dict(self) -> dict[str, Any]:
        """What the live band has learnt, as JSON holds it; empty without a band."""
        return self.server.band.state_dict() if self.server.band else {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint, in each process of a distributed run."""
        if (self.server.band is None) == bool(state):
            raise UserError("a state is of a live band: load it where `band` is set, as when saved")
        if self.server.band:
            self.server.band.load_state_dict(state)

    def _learn(self, tries: list[tuple[str, str, float, bool]]) -> None:
        """Tell the live band of first tries, those of all processes in the same order: it aims
        alike in each of them."""
        if self.server.band is None:
            return
        for uid, family, level, correct in _gathered(tries):
            self.server.band.judged(uid, family, level, correct)
        self.server.band.refit()


def environments(
    what: Sequence[str],
    *,
    count: int = 10_000,
    split: str = "train",
    band: Sequence[float] = (),
    thinking: bool = False,
    **options: Any,
) -> Environments:
    """Environments of families, games and builds' folders, with options of `puzzlemill serve`.

    `count` rows; `band`, two pass rates between which fresh items are aimed; `thinking` where the
    chat template ends a prompt with an open <think>.
    """
    check_split(split)
    if count < 1:
        raise UserError(f"count is {count}: ask for 1 task or more")
    if isinstance(what, str):
        raise UserError(f"name families and games in a list: [{what!r}]")
    if band:
        options["band"] = ":".join(f"{rate:g}" for rate in band)
    return Environments(new_source(what, **options), split, count, thinking)


@dataclass(eq=False, repr=False)
class Problem:
    """A problem that one reply answers. There is no tool: the reply is judged by `reward`."""

    _environments: Environments
    item: ServedItem = field(init=False)
    verdict: Mapping[str, Any] | None = field(default=None, init=False)
    first: tuple[str, str, float, bool] | None = field(default=None, init=False)

    def reset(self, split: str, index: int, **row: Any) -> str:
        self.item = item_of(self._environments.opened(split, index))
        self.verdict = self.first = None
        return self.item.prompt

    @property
    def score(self) -> float | None:
        return _score(self.verdict)

    def _judged(self, verdict: Mapping[str, Any]) -> None:
        self.verdict, self.first = verdict, _first(self.item, verdict)


@dataclass(eq=False, repr=False)
class Tries:
    """A problem that may be tried again; the score is that of the last answer."""

    _environments: Environments
    item: ServedItem = field(init=False)
    left: int = field(default=0, init=False)
    verdict: Mapping[str, Any] | None = field(default=None, init=False)
    first: tuple[str, str, float, bool] | None = field(default=None, init=False)

    def reset(self, split: str, index: int, **row: Any) -> str:
        self.item = item_of(self._environments.opened(split, index))
        self.verdict = self.first = None
        self.left = self._environments.server.settings.tries
        return self.item.prompt

    def submit(self, answer: str) -> str:
        """Submit an answer to the problem.

        Args:
            answer: The answer, in the form that the problem asks for.

        Returns:
            Whether it is right.
        """
        if not self.left:
            return OVER
        (verdict,) = score_all([self.item.fields], [as_reply(answer)])
        self._judged(verdict)
        self.left = 0 if verdict["correct"] else self.left - 1
        return RIGHT if verdict["correct"] else AGAIN if self.left else WRONG

    @property
    def score(self) -> float | None:
        return _score(self.verdict)

    def _judged(self, verdict: Mapping[str, Any]) -> None:
        self.verdict, self.first = verdict, self.first or _first(self.item, verdict)


@dataclass(eq=False, repr=False)
class Game:
    """A seat in a game. The score is the policy's result, -1 to 1; an illegal move loses, and so
    does a game that it leaves."""

    _environments: Environments
    episode: Episode = field(init=False)
    failed: bool = field(default=False, init=False)

    def reset(self, split: str, index: int, **row: Any) -> str:
        self.episode, self.failed = self._environments.opened(split, index), False
        return self.episode.prompt

    def play(self, answer: str) -> str:
        """Make a move in the game.

        Args:
            answer: The move, in the form that the game asks for.

        Returns:
            What the game asks next, or how it ended.
        """
        if self.episode.done:
            return OVER
        turn = wait(replied(self._environments.server, self.episode, as_reply(answer)))
        self.failed = turn.facts.get("status") == "error"
        return turn.text

    @property
    def score(self) -> float | None:
        if self.failed:
            return None
        return UNFINISHED if self.episode.reward is None else self.episode.reward


def item_of(episode: Episode) -> ServedItem:
    assert episode.item is not None, "the row says that it is a problem"
    return episode.item


def _first(item: ServedItem, verdict: Mapping[str, Any]) -> tuple[str, str, float, bool] | None:
    if verdict["status"] == "error":
        return None
    return item.fields["uid"], item.fields["family"], item.level, verdict["correct"]


def _is(problem: Problem | Tries, status: str) -> bool:
    return problem.verdict is not None and problem.verdict["status"] == status


def _score(verdict: Mapping[str, Any] | None) -> float | None:
    return None if verdict is None or verdict["status"] == "error" else verdict["score"]


def _gathered(tries: list[Any]) -> list[Any]:
    """What the processes of a distributed run have each, in the order of their ranks."""
    from torch import distributed

    if not distributed.is_available() or not distributed.is_initialized():
        return tries
    by_rank: list[list[Any]] = [[] for _ in range(distributed.get_world_size())]
    distributed.all_gather_object(by_rank, tries)
    return [each for some in by_rank for each in some]
