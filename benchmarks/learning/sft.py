"""Fine-tuning of a student on worked solutions (SFT), and what it then makes of held-out ones."""

from collections.abc import Iterable, Sequence
from copy import deepcopy

import torch

from benchmarks.learning.students import Student
from puzzlemill.difficulty.policies.transformer import Transformer
from puzzlemill.trainer.imitation import ExampleBatch, cross_entropy, imitate, padded

RATE = 1e-3  # AdamW
MEASURED = 3  # worked solutions of each family, of the split `test`
REPLIES = 256  # that a student learns from, in breadth and bad data


def fine_tuned(student: Student, batches: Iterable[ExampleBatch]) -> Transformer:
    """Another model; the student stays as it is."""
    model = deepcopy(student.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    for _ in imitate(model, batches, [optimizer]):
        pass
    return model


def held_batches(student: Student, names: Sequence[str], first: int = 0) -> list[ExampleBatch]:
    """A batch a family."""
    indices = range(first, first + MEASURED)
    return [padded(student.examples([name], "test", indices)) for name in names]


@torch.no_grad()
def log_likelihoods(model: Transformer, batches: Sequence[ExampleBatch]) -> list[float]:
    """Of each batch, the mean log-probability of a reply's token, in nats."""
    return [-cross_entropy(model, batch).item() for batch in batches]
