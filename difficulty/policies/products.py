"""Products of matrices in float32 on a CPU: by oneDNN, where the processor has AVX-512.

torch leaves them to MKL, which uses half as wide registers on processors that are not Intel's. The
price is a kernel for every new number of rows, made in a millisecond or two and kept.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

KNOWN = (
    torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    and torch.backends.cpu.get_cpu_capability() == "AVX512"
)


class Linear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """What `functional.linear` is."""
    if not suits(x, weight) or torch.is_autocast_enabled("cpu") or not x.numel():
        return functional.linear(x, weight, bias)
    if not torch.is_grad_enabled():
        return product(x, weight, bias)
    found: Tensor = _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return found


def suits(*some: Tensor) -> bool:
    return KNOWN and all(x.device.type == "cpu" and x.dtype == torch.float32 for x in some)


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """The weights as they are, or packed."""
    rows = x.shape[:-1].numel()
    more = round_count(rows) - rows
    if not more:
        return _product(x, weight, bias)
    x_RI = functional.pad(x.reshape(rows, -1), (0, 0, 0, more))
    return _product(x_RI, weight, bias)[:rows].view(*x.shape[:-1], -1)


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return found


def round_count(rows: int) -> int:
    """So many rows or a few more, of sixteen numbers from each power of two to the next."""
    step = max(1 << rows.bit_length() >> 5, 16)
    return -(-rows // step) * step


def packed(weight: Tensor) -> Tensor:
    """In the order in which the kernels read them: for weights that are used many times."""
    found: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight)
    return found


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        gradient = gradient.contiguous()
        each, inputs = gradient.flatten(0, -2), x.flatten(0, -2)
        to_x, to_weight, to_bias = ctx.needs_input_grad
        return (
            product(gradient, weight.t()) if to_x else None,
            _outer(each, inputs) if to_weight else None,
            each.sum(0) if to_bias else None,
        )


def _outer(x: Tensor, y: Tensor) -> Tensor:
    """x.T @ y; the first of a product is copied if it is turned, so that is the narrower one."""
    if x.shape[1] > y.shape[1]:
        return _product(y.t(), x.t(), None).t()
    return _product(x.t(), y.t(), None)
