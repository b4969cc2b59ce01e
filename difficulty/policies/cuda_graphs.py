"""CUDA graphs of decoding steps: to launch some four hundred kernels one by one takes longer than
to run them.

A graph is of a fixed number of rows and of fixed memory. So rows are padded up to a few size
classes, and the inputs are copied to where the graph reads them. To record a step takes about as
long as to launch it three times.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

CLASSES = 4  # between a power of two and the next
WIDTHS = (16, 32, 64, 128, 256)  # of a head: what the kernel of attention takes


def decodes_by_graphs(device: torch.device, head_dim: int) -> bool:
    return device.type == "cuda" and head_dim in WIDTHS and find_spec("triton") is not None


def size_class(size: int) -> int:
    """The size rounded up."""
    step = max((1 << (size - 1).bit_length()) // (2 * CLASSES), 1)
    return -(-size // step) * step


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    graph: Any  # torch.cuda.CUDAGraph
    inputs: Tensor  # where the graph reads them
    out: Tensor


@dataclass(slots=True, eq=False)
class DecodeGraphs:
    """The steps of one call of the engine; all graphs share their memory."""

    work: Callable[[Tensor], Tensor]  # a step, from its inputs on the device: a column a row
    device: torch.device
    most: int  # rows
    recorded: dict[int, Recorded] = field(default_factory=dict)
    pool: Any = None

    def __call__(self, inputs: Tensor) -> Tensor:
        count = inputs.shape[1]
        rows = min(size_class(count), self.most)
        padded = functional.pad(inputs, (0, rows - count))
        if rows not in self.recorded:
            self.recorded[rows] = self._record(padded.to(self.device))
        known = self.recorded[rows]
        known.inputs.copy_(padded)
        known.graph.replay()
        return known.out[:, :count]

    def _record(self, inputs: Tensor) -> Recorded:
        """Without `torch.cuda.graph`, which gives back all free memory for each one. Another thread
        may be learning meanwhile: its calls are none of the graph's business."""
        if self.pool is None:
            # Only so does torch let go of the memory of another call's graphs; eight processes
            # that kept it filled a device.
            torch.cuda.empty_cache()
            self.pool = torch.cuda.graph_pool_handle()
        self.work(inputs)  # kernels are compiled and loaded; to do a step twice changes nothing
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(self.device)
        collects = gc.isenabled()
        gc.disable()  # a graph that is destroyed meanwhile spoils this one
        aside = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        with torch.cuda.stream(aside):
            graph.capture_begin(pool=self.pool, capture_error_mode="thread_local")
            try:
                out = self.work(inputs)
            finally:
                graph.capture_end()
                if collects:
                    gc.enable()
        return Recorded(graph, inputs, out)
