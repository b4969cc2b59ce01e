"""The breadth experiment of benchmarks/worlds: what is learned and asked, and its plot."""

from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from benchmarks.worlds import breadth
from benchmarks.worlds.breadth_plot import drawing
from puzzlemill.trainer.tiny_tokens import build_tokens


@dataclass
class Parrot:
    """Says what it was told, with one token wrong if it is asked to."""

    tokens: Tensor
    slip: int | None = None

    @property
    def device(self) -> torch.device:
        return self.tokens.device

    def __call__(self, tokens_BT: Tensor) -> Tensor:
        return self.tokens[None, 1:].expand(len(tokens_BT), -1)

    def logits(self, next_BT: Tensor) -> Tensor:
        said = next_BT.clone()
        if self.slip is not None:
            said[:, self.slip] += 1
        return torch.nn.functional.one_hot(said, 1000).float() * 50


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breadth, "BREADTHS", (1, 5))
    monkeypatch.setattr(breadth, "ASKED", 4)


@pytest.mark.usefixtures("few")
def test_asked_rule_sets_are_never_learned() -> None:
    sets = breadth.rule_sets.__wrapped__(0)
    assert len(sets) == 5 + 4
    assert len({repr(breadth.rule_set(rules)) for rules in sets}) == len(sets)


@pytest.mark.usefixtures("few")
def test_new_items_of_a_rule_set_have_its_rules_and_other_numbers() -> None:
    rules = breadth.rule_sets.__wrapped__(0)[0]
    learned, asked = (next(breadth.machines(purpose, rules)) for purpose in ("learn 0", "ask 0"))
    assert learned[0] != asked[0]
    told = [
        {line.partition(":")[2] for line in prompt.splitlines() if line.startswith("- ")}
        for prompt, _ in (learned, asked)
    ]
    assert told[0] == told[1]


def test_one_wrong_token_makes_a_solution_wrong() -> None:
    ending = "Answer with an integer, between <answer> and </answer>."
    pair = (f"1 + 1?\n\n{ending}", "2\n<answer>2</answer>")
    tokens = build_tokens(pair[:1])
    (example,) = breadth.encoded(tokens, [pair])
    whole = torch.tensor(example.prompt + example.reply)
    right, nats = breadth.measured(Parrot(whole), tokens, [pair])  # type: ignore[arg-type]
    assert (right, round(nats, 6)) == (1.0, 0.0)
    slipped = Parrot(whole, slip=len(whole) - 2)
    assert breadth.measured(slipped, tokens, [pair])[0] == 0.0  # type: ignore[arg-type]
    before = Parrot(whole, slip=0)  # in the prompt, which is not asked for
    assert breadth.measured(before, tokens, [pair])[0] == 1.0  # type: ignore[arg-type]


def test_the_plot_has_a_dot_for_each_seed() -> None:
    each = {"mean": 0.5, "deviation": 0.1, "by_seed": [0.4, 0.6]}
    row = {f"{kind}_{measure}": each for kind in breadth.KINDS for measure in breadth.MEASURES}
    assert drawing({"1": row, "1000": row}).count("<circle") == 2 * 2 * len(row)
