"""Imitation beside RL (AMFT): solutions in the same loss, and the weight that they have in it.

The loss is weight * imitation + (1 - weight) * RL. The controller is a meta-gradient: how the
reward on other items changes with the weight. A step of gradient descent moves the weights by
-(imitation's gradient - RL's) for each unit of the weight, so that this is the product of that
difference with the gradient of those items' loss. It is taken as a cosine, which needs no scale.
Besides, the weight rises where the entropy is below an aim.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import nan
from random import Random

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.trainer import distributed
from puzzlemill.trainer.means import weights
from puzzlemill.trainer.micro_batch import Sample
from puzzlemill.trainer.optimizer_step import add_gradients, minibatch_of
from puzzlemill.trainer.rollouts import Prompt, Rollouts, no_rollouts
from puzzlemill.trainer.schedule import ItemSource, Ticket
from puzzlemill.trainer.self_imitation import fall
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.teaching import Imitate
from puzzlemill.trainer.warm_start import solution


def weight_at(settings: Imitate, step: int, steps: int, moved: float | None) -> float:
    """Of imitation in a step's loss; `moved` is what the meta-gradient has made of it."""
    if settings.schedule == "cosine":
        return settings.least + (settings.weight - settings.least) * fall(step, steps)
    if settings.schedule == "meta" and moved is not None:
        return moved
    return settings.weight


def next_weight(weight: float, gradient: float, entropy: float, settings: Imitate) -> float:
    """Imitation counts more where it helps more than RL, and where the entropy has collapsed."""
    pull = settings.entropy_rate * (settings.entropy_aim - entropy)
    return min(max(weight + settings.rate * gradient + pull, settings.least), settings.most)


def is_due(settings: Imitate, step: int) -> bool:
    """Whether a step has a meta-gradient."""
    return bool(settings.weight) and settings.schedule == "meta" and step % settings.every == 0


def other_items(
    source: ItemSource,
    sample: Callable[[Sequence[Prompt], str], Rollouts],
    settings: Imitate,
    step: int,
) -> Rollouts:
    """Replies to items of the run that are drawn apart from a step's, for the meta-gradient."""
    if not is_due(settings, step):
        return no_rollouts()
    count = min(settings.items, len(source.pool))
    places = Random(f"other items {step}").sample(range(len(source.pool)), count)
    tickets = [Ticket(place) for place in sorted(places)]
    return sample([Prompt(each, source.row(each), step=step) for each in tickets], "other items")


def solutions_of(policy: LocalPolicy, prompts: Sequence[Prompt]) -> list[Sample]:
    """The worked solutions of a step's items, each once, as far as the model has room for them."""
    rows = {each.row["uid"]: each.row for each in prompts if not each.hint_share}
    found = []
    for row in rows.values():
        example = solution(policy, row)
        if example.length <= policy.model.shape.positions:
            unknown = (nan,) * len(example.reply)
            sample = Sample(example.prompt, example.reply, unknown, 1.0, shown=example.shown)
            found.append(replace(sample, source="demonstration", loss="imitation"))
    return found


def averaged(solutions: Sequence[Sample], loss: Loss, most: int) -> list[Sample]:
    """With the weights of a mean over all of them."""
    shares = weights([len(each.reply) for each in solutions], loss, most)
    return [replace(each, weight=share) for each, share in zip(solutions, shares, strict=True)]


def balanced(rl: Sequence[Sample], solutions: Sequence[Sample], weight: float) -> list[Sample]:
    """Both in one loss, of which imitation has this share."""
    return [
        replace(each, weight=share * each.weight)
        for samples, share in ((rl, 1 - weight), (solutions, weight))
        for each in samples
    ]


def meta_gradient(
    policy: LocalPolicy,
    rl: Sequence[Sample],
    solutions: Sequence[Sample],
    others: Sequence[Sample],
    loss: Loss,
) -> float:
    """How the reward on other items rises with the weight of imitation: from -1 to 1."""
    gradients = [gradient_of(policy, samples, loss) for samples in (rl, solutions, others)]
    moves = [imitated - own for own, imitated in zip(*gradients[:2], strict=True)]
    lengths = product(moves, moves) * product(gradients[2], gradients[2])
    return product(moves, gradients[2]) / lengths**0.5 if lengths else 0.0


def gradient_of(policy: LocalPolicy, samples: Sequence[Sample], loss: Loss) -> list[Tensor]:
    """Of the loss alone, without what is added to it, for each weight that is trained."""
    plain = replace(loss, entropy=0.0, entropy_distance=0.0, open_share=1.0, token_weights=())
    trained = [weight for weight in policy.model.parameters() if weight.requires_grad]
    _forget(trained)
    add_gradients(policy, minibatch_of(policy.model, samples), plain, None)
    found = [
        torch.zeros_like(weight) if weight.grad is None else weight.grad.detach().clone()
        for weight in trained
    ]
    _forget(trained)
    return found


def _forget(trained: Sequence[Tensor]) -> None:
    for weight in trained:
        weight.grad = None


def product(some: Sequence[Tensor], others: Sequence[Tensor]) -> float:
    """The inner product, over all ranks."""
    parts = [
        distributed.full_tensor((one * other).sum()).item()
        for one, other in zip(some, others, strict=True)
    ]
    return sum(parts)
