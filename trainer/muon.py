"""Muon: momentum whose matrices are made orthogonal before they are applied.

For weight matrices inside a network; embeddings, norms and biases are AdamW's. Small models learn
several times faster so than with AdamW alone.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

_QUINTIC = (3.4445, -4.7750, 2.0315)  # pushes singular values towards 1, quickly and roughly


class Muon(torch.optim.Optimizer):
    """`lr` is the step's size as a share of an orthogonal matrix; 0.02 is a good first value."""

    def __init__(
        self,
        matrices: Iterable[Tensor],
        lr: float = 0.02,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        settings = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        super().__init__(matrices, settings)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            alike: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    alike[matrix.shape].append(matrix)
            for matrices in alike.values():
                self._apply(matrices, group)

    def _apply(self, matrices: list[Tensor], group: dict[str, Any]) -> None:
        """One shape at a time: a stack is made orthogonal in one go."""
        rows, columns = matrices[0].shape
        directions = orthogonal(torch.stack([self._push(m, group["momentum"]) for m in matrices]))
        size = group["lr"] * max(1.0, rows / columns) ** 0.5
        for matrix, direction in zip(matrices, directions, strict=True):
            matrix.mul_(1 - group["lr"] * group["weight_decay"])
            matrix.add_(direction.to(matrix.dtype), alpha=-size)

    def _push(self, matrix: Tensor, momentum: float) -> Tensor:
        """Nesterov momentum."""
        assert matrix.grad is not None
        state = self.state[matrix]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(matrix)
        buffer: Tensor = state["momentum_buffer"]
        buffer.lerp_(matrix.grad, 1 - momentum)
        return matrix.grad.lerp(buffer, momentum)


def orthogonal(stack: Tensor, rounds: int = 5) -> Tensor:
    """The nearest matrices with singular values near 1, by Newton and Schulz's iteration."""
    a, b, c = _QUINTIC
    x: Tensor = stack.float()
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(rounds):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if tall else x
