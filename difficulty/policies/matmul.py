"""Matrix products in float32 on a CPU: by oneDNN, on AVX-512 of another maker than Intel.

torch leaves them to MKL, which uses registers of half the width on processors that are not Intel's.
On Intel's MKL is faster, most of all at the products that give weights their gradient. oneDNN
compiles kernels for every number of rows, a megabyte for a small model. So it gets blocks of one
size, and MKL the rows that are left.
"""

import platform
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

BLOCK = 256  # rows
LARGE_BLOCK = 2 * BLOCK  # of what is in blocks already
PROCESSORS = Path("/proc/cpuinfo")
INTEL = "GenuineIntel" in (PROCESSORS.read_text() if PROCESSORS.exists() else platform.processor())
AVAILABLE = (
    not INTEL
    and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    and torch.backends.cpu.get_cpu_capability() == "AVX512"
)


class Linear(nn.Linear):
    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """As `functional.linear`."""
    if not _suits(x, weight):
        return functional.linear(x, weight, bias)
    if not torch.is_grad_enabled():
        return _product(x, weight, bias)
    out: Tensor = _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return out


def block_product(x: Tensor, weight: Tensor) -> Tensor:
    """`x @ weight.t()` of a block of rows, without gradient."""
    if len(x) == LARGE_BLOCK and _suits(x, weight):
        return _by_onednn(x, weight, None)
    return torch.mm(x, weight.t())


def gated_linear(gate: Tensor, up: Tensor, layer: nn.Module) -> Tensor:
    """`layer(silu(gate) * up)`. For the gradient, silu's result and the product with `up` are
    computed again rather than kept: each is as large as the gate."""
    plain = type(layer) is Linear  # adapters put a module of their own in its place
    low = gate.dtype != torch.float32 or torch.is_autocast_enabled(gate.device.type)
    out: Tensor
    if not plain or low or gate.device.type != "cpu" or not torch.is_grad_enabled():
        out = layer(functional.silu(gate) * up)
    else:
        out = _GatedLinear.apply(gate, up, layer.weight, layer.bias)  # type: ignore[no-untyped-call]
    return out


class _GatedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(gate, up, weight)
        return linear(functional.silu(gate).mul_(up), weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        gate, up, weight = ctx.saved_tensors
        gradient = gradient.contiguous()
        each, opened = gradient.flatten(0, -2), functional.silu(gate)
        _, _, to_weight, to_bias = ctx.needs_input_grad
        weight_gradient = None
        if to_weight:
            inputs = (opened * up).flatten(0, -2)
            weight_gradient = _outer(each, inputs) if _suits(each, weight) else each.t() @ inputs
        inward = linear(gradient, weight.t())
        to_up = opened.mul_(inward)
        to_gate = inward.mul_(up)  # in place: each of these is as large as the gate
        torch.ops.aten.silu_backward.grad_input(to_gate, gate, grad_input=to_gate)
        return to_gate, to_up, weight_gradient, each.sum(0) if to_bias else None


def _suits(x: Tensor, weight: Tensor) -> bool:
    return (
        AVAILABLE
        and x.device.type == "cpu"
        and x.dtype == weight.dtype == torch.float32
        and x.shape[:-1].numel() >= BLOCK
        and not torch.is_autocast_enabled("cpu")
    )


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        gradient = gradient.contiguous()
        each, inputs = gradient.flatten(0, -2), x.flatten(0, -2)
        to_x, to_weight, to_bias = ctx.needs_input_grad
        return (
            _product(gradient, weight.t(), None) if to_x else None,
            _outer(each, inputs) if to_weight else None,
            each.sum(0) if to_bias else None,
        )


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    rest = len(rows) % BLOCK
    whole, left = torch.split(rows, [len(rows) - rest, rest])
    parts = [_by_onednn(block, weight, bias) for block in torch.split(whole, BLOCK)]
    if rest:
        parts.append(functional.linear(left, weight, bias))
    return torch.cat(parts).view(*x.shape[:-1], -1)


def _outer(x: Tensor, y: Tensor) -> Tensor:
    """x.T @ y, all rows at once: they are the inner dimension, whose kernel is small. oneDNN copies
    a transposed first factor, so the narrower one comes first."""
    if x.shape[1] > y.shape[1]:
        return _by_onednn(y.t(), x.t(), None).t()
    return _by_onednn(x.t(), y.t(), None)


def _by_onednn(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    out: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return out
