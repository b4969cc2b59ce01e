"""What a reply, a step of it or a token is worth: by hand, and through a run's checkpoint."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
import torch

from puzzlemill.core.storage.parquet import read_table
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.item_history import read_item_history
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Reply
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.difficulty.signals import earlier_logit
from puzzlemill.trainer import shapings
from puzzlemill.trainer.advantages import (
    ADVANTAGES,
    advantages,
    conversation_advantages,
    mixed_groups,
    step_advantages,
)
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.demonstrations import joined
from puzzlemill.trainer.item_log import ItemLog
from puzzlemill.trainer.micro_batch import Sample, micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.rollouts import Prompt, Rollouts, groups_of
from puzzlemill.trainer.schedule import Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.turns import Retry
from puzzlemill.trainer.shapings import Groups, Rewards, Shaping, rewards, updated_memory
from puzzlemill.trainer.train_samples import samples_of

CPU = torch.device("cpu")


def said(
    *tokens: Sequence[int], score: float = 1.0, text: str = "", finished: bool = True
) -> Conversation:
    """A conversation of attempts with these tokens."""
    attempts = [
        Attempt((), Reply(text, finished, tuple(each), (-0.5,) * len(each))) for each in tokens
    ]
    status = "correct" if score == 1 else "wrong"
    return Conversation(tuple(attempts), Verdict(score, score == 1, status))  # type: ignore[arg-type]


def groups(
    *conversations: Sequence[Conversation], step: int = 0, rows: Any = None, **settings: Any
) -> Groups:
    scores_PG = torch.tensor([[each.verdict.score for each in group] for group in conversations])
    rows = rows or [{"uid": str(place), "mean": 0.5} for place in range(len(conversations))]
    return Groups(rows, conversations, scores_PG, Train(**settings), 100, step)


def test_an_advantage_is_one_number_or_one_for_each_token() -> None:
    whole = Sample((1,), (2, 3), (0.0, 0.0), 0.5)
    each = replace(whole, prompt=(4,), reply=(5, 6), advantage=(0.25, -1.0))
    told = replace(whole, prompt=(7,), loss="imitation", source="explanation")
    (batch,) = micro_batches([whole, each, told], 100, CPU)
    by_target = dict(
        zip(zip(batch.targets_N.tolist(), batch.imitated_N.tolist()), batch.advantage_N.tolist())
    )
    assert by_target == {
        (2, False): 0.5,
        (3, False): 0.5,
        (5, False): 0.25,
        (6, False): -1.0,
        (2, True): 0.5,
        (3, True): 0.5,
    }


def test_tokens_that_are_imitated_are_learned_by_their_likelihood_whatever_they_once_were() -> None:
    policy: Any = new_policy(PolicySettings())

    class Fixed:
        param_groups = ({"lr": 0.0},)

        def zero_grad(self, set_to_none: bool) -> None:
            for weight in policy.model.parameters():
                weight.grad = None

        def step(self) -> None: ...

    optimizer: Any = Fixed()
    sample = Sample((3, 4), (5, 6), (-20.0, -20.0), 1.0, loss="imitation")
    found = optimizer_step(policy, optimizer, [sample], Loss(), 1e9)
    assert found["gradient"] > 0.1
    cut = optimizer_step(policy, optimizer, [replace(sample, loss="policy")], Loss(), 1e9)
    assert cut["gradient"] == 0, "the ratio is far above the clip"


def test_steps_of_a_reply_add_what_is_still_to_come_above_the_group_s_mean_step() -> None:
    # Steps of 2 and 1 tokens worth 1 and 0, against a mean of .5; the last token is in no step.
    assert step_advantages([(2, 1.0), (3, 0.0)], 0.5, 4) == [0.0, 0.0, -0.5, 0.0]
    seen = groups([said((1, 2, 3, 4)), said((5, 6), score=0.0)], loss=Loss(advantage="dr_grpo"))
    both = Rewards(seen.scores_PG, {(0, 0): [(2, 1.0), (4, 0.25)], (0, 1): [(2, 0.25)]})
    assert both.stepped() == {0}
    ((first, second),) = conversation_advantages(both, seen)
    # The mean step is .5: steps of +.5 and -.25, and of -.25.
    assert first == (0.75, 0.75, 0.25, 0.25)
    assert second == (-0.75, -0.75)
    plain = conversation_advantages(Rewards(seen.scores_PG), seen)
    assert plain == [[0.5, -0.5]]


def test_positive_advantages_are_weighed_token_by_token() -> None:
    loss = Loss(advantage="dr_grpo", positives=0.5)
    seen = groups([said((1, 2)), said((3,), score=0.0)], loss=loss)
    found = conversation_advantages(Rewards(seen.scores_PG, {(0, 0): [(1, 3.0), (2, -1.0)]}), seen)
    # Above the mean step of 1: +2 and -2, so 0 and -2 beside the reply's .5.
    assert found == [[(0.25, -1.5), -0.5]]


def test_a_reply_that_a_shaping_leaves_out_is_not_trained_on_nor_compared_with() -> None:
    row = {"uid": "a", "prompt": [{"role": "user", "content": "1 + 1"}], "images": []}
    group = [said((1,), score=0.5), said((2,)), said((3,), score=0.0), said((4,))]
    kept = Rollouts([Prompt(Ticket(0), row)], [group], torch.tensor([[0.5, 1.0, 0.0, 1.0]]))
    settings = Train(loss=Loss(advantage="dr_grpo"))
    policy: Any = new_policy(PolicySettings())
    left = Rewards(torch.tensor([[nan, 1.0, 0.0, nan]]))
    samples = samples_of(policy, kept, groups_of(kept, settings, 9, 0), left)
    assert [(each.reply, each.advantage) for each in samples] == [((2,), 0.5), ((3,), -0.5)]
    assert mixed_groups(torch.tensor([[nan, 1.0, 1.0], [nan, 1.0, 0.0]])).tolist() == [False, True]


@pytest.mark.parametrize("choice", ADVANTAGES.names())
def test_a_reply_left_out_changes_nothing_wherever_it_stands(choice: str) -> None:
    settings = Loss(advantage=choice, k=2)
    behind = torch.tensor([[1.0, 0.0, 0.0, nan], [1.0, 1.0, 0.0, 0.0]])
    before = torch.tensor([[nan, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]])
    found, wanted = advantages(before, settings), advantages(behind, settings)
    assert isnan(found[0, 0])
    assert torch.equal(found[0, 1:], wanted[0, :3])
    assert torch.equal(found[1], wanted[1])


def test_a_sample_says_where_it_comes_from() -> None:
    row = {"uid": "a", "prompt": [{"role": "user", "content": "1 + 1"}], "images": []}
    prompts = [Prompt(Ticket(n), row, source=source) for n, source in enumerate(("own", "hint"))]  # type: ignore[arg-type]
    kept = Rollouts(
        prompts, [[said((1,)), said((2,), score=0.0)]] * 2, torch.tensor([[1.0, 0.0]] * 2)
    )
    kept = kept.select([0, 1]).concat(kept.select([0]).of_source("replay"))
    policy: Any = new_policy(PolicySettings())
    demonstration = replace(said((1,)), source="demonstration")
    kept = joined(kept, {1: [demonstration, demonstration]}, Retry())
    seen = groups_of(kept, Train(), 9, 0)
    samples = samples_of(policy, kept, seen, Rewards(kept.scores_PG))
    assert [each.source for each in samples[::2]] == ["own", "hint", "demonstration", "replay"]


def count_seen(groups: Groups) -> Mapping[str, Any]:
    counts = dict(groups.memory)
    for row in groups.rows:
        counts[row["uid"]] = counts.get(row["uid"], 0) + 1
    return counts


def less_when_seen(rewards_PG: torch.Tensor, groups: Groups) -> torch.Tensor:
    seen_P = torch.tensor([float(groups.memory.get(row["uid"], 0)) for row in groups.rows])
    return rewards_PG / (1 + seen_P[:, None])


def test_a_shaping_has_a_memory_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    shaping = Shaping(less_when_seen, update=count_seen)
    monkeypatch.setattr(shapings, "applied", lambda settings: {"novelty": shaping})
    first = groups([said((1,)), said((2,), score=0.0)])
    assert rewards(first).replies_PG.tolist() == [[1.0, 0.0]]
    memory = updated_memory(replace(first, memory={"other": {"x": 1}}))
    assert memory == {"other": {"x": 1}, "novelty": {"0": 1}}
    then = replace(first, memory=json.loads(json.dumps(memory)))
    assert rewards(then).replies_PG.tolist() == [[0.5, 0.0]]
    assert updated_memory(then)["novelty"] == {"0": 2}
    assert memory["novelty"] == {"0": 1}, "it is replaced, not changed"


def test_the_items_of_a_run_are_logged_and_read_as_a_history(tmp_path: Path) -> None:
    rows = [{"uid": uid} for uid in "ab"]
    crashed = Conversation((Attempt((), Reply("")),), Verdict(0.0, False, "error"))
    sampled = Rollouts(
        [
            *(Prompt(Ticket(0), rows[0]), Prompt(Ticket(1), rows[1])),
            Prompt(Ticket(1), rows[1], 0.5, "hint"),
        ],
        [
            [said((1,)), said((2,), score=0.0), said((3,), (4,)), crashed],
            *([said((1,), score=0.0)], [said((1,))]),
        ],
        torch.zeros(3, 4),
    )  # fmt: skip
    log = ItemLog(tmp_path / "items.parquet")
    log.add(0, "tiny", sampled)
    log.add(1, "tiny", sampled.select([1]).concat(sampled.select([1])))
    log.write()
    assert read_table(tmp_path / "items.parquet").to_pylist() == [
        {"uid": "a", "step": 0, "policy": "tiny", "replies": 3, "mean": 1 / 3},
        {"uid": "b", "step": 0, "policy": "tiny", "replies": 1, "mean": 0.0},
        {"uid": "b", "step": 1, "policy": "tiny", "replies": 2, "mean": 0.0},
    ]
    history = read_item_history(tmp_path / "items.parquet")
    assert [each["step"] for each in history["b"]] == [0, 1]
    assert earlier_logit(json.dumps(history["a"])) == pytest.approx(-0.6931, abs=1e-3)
    again = ItemLog(log.path)
    again.restore(1)
    assert again.rows == log.rows[:2], "step 1 is done again"
    assert ItemLog().write() is None
