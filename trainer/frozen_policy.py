"""Earlier checkpoints as opponents: policies that never learn (SPIRAL)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.policies.policy import Policy, Question, Reply
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.trainer.sampler import with_model
from puzzlemill.trainer.settings.games import is_folder
from puzzlemill.trainer.weights import checkpoint_weights, meta_copy, with_weights


@dataclass(frozen=True, slots=True)
class FrozenPolicy:
    """A policy under the name of its checkpoint, so that it is told from the one that learns."""

    policy: Policy
    id: str

    def takes(self, question: Question) -> bool:
        return self.policy.takes(question)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return self.policy.sample(questions, n)


def frozen_policies(names: Iterable[str], policy: LocalPolicy) -> dict[str, FrozenPolicy]:
    """Those of the names that are folders, each with the policy's tokenizer and sampling."""
    folders = sorted({name for name in names if is_folder(name)})
    return {name: _frozen(Path(name), name, policy) for name in folders}


def _frozen(folder: Path, name: str, policy: LocalPolicy) -> FrozenPolicy:
    if not (folder / "config.json").is_file():
        raise UserError(
            f"[train.play] the opponent {name!r} is no checkpoint: there is no"
            f" {folder / 'config.json'}; name a folder such as"
            " builds/NAME/training/checkpoint-000020, or leave it out"
        )
    weights, own = checkpoint_weights(folder, policy.model), policy.model.state_dict()
    shapes = [{key: each.shape for key, each in some.items()} for some in (own, weights)]
    if shapes[0] != shapes[1]:
        differ = sorted(key for key, _ in shapes[0].items() ^ shapes[1].items())
        raise UserError(
            f"[train.play] the opponent {name!r} is not of the policy's architecture: the weight"
            f" {differ[0]} differs; name one of its own earlier checkpoints"
        )
    on_device = {key: weights[key].to(policy.model.device) for key in own}
    model = with_weights(meta_copy(policy.model), on_device)
    return FrozenPolicy(with_model(policy, model), f"{name}-{digest(folder)}")
