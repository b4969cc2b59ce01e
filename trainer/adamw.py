"""AdamW, step for step what torch's own is, by the same kernel.

torch.optim loads its compiler with the first optimizer, which is 85 megabytes and seconds that
training has no use for.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import torch
from torch import Tensor

BETAS, TINY = (0.9, 0.999), 1e-8


class Optimizer(Protocol):
    """What learning and checkpoints ask of an optimizer, torch's or this one."""

    param_groups: list[dict[str, Any]]
    state: Any

    def zero_grad(self, set_to_none: bool = True) -> None: ...

    def step(self) -> Any: ...


def reset(optimizer: Optimizer) -> None:
    """Forget all moments, as if no step had been made."""
    for group in optimizer.param_groups:
        for weight in group["params"]:
            optimizer.state[weight] = {}


class AdamW:
    def __init__(self, weights: Iterable[Tensor], lr: float, weight_decay: float = 0.0) -> None:
        trained = list(weights)
        group = {"params": trained, "lr": lr, "weight_decay": weight_decay}
        self.param_groups: list[dict[str, Any]] = [group]
        self.state: dict[Tensor, dict[str, Tensor]] = {weight: {} for weight in trained}

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for weight in group["params"]:
                if set_to_none or weight.grad is None:
                    weight.grad = None
                else:
                    weight.grad.zero_()

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            states = [self._state(weight) for weight in weights]
            if not weights:
                continue
            steps = [state["step"] for state in states]
            torch._foreach_add_(steps, 1)
            torch._fused_adamw_(
                weights,
                [weight.grad for weight in weights],
                [state["exp_avg"] for state in states],
                [state["exp_avg_sq"] for state in states],
                [],
                steps,
                lr=group["lr"],
                beta1=BETAS[0],
                beta2=BETAS[1],
                weight_decay=group["weight_decay"],
                eps=TINY,
                amsgrad=False,
                maximize=False,
            )

    def _state(self, weight: Tensor) -> dict[str, Tensor]:
        state = self.state[weight]
        if not state:
            state["step"] = torch.zeros((), dtype=torch.float32, device=weight.device)
            state["exp_avg"] = torch.zeros_like(weight)
            state["exp_avg_sq"] = torch.zeros_like(weight)
        return state
