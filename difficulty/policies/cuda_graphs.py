"""CUDA graphs of decode steps: to launch some six hundred kernels one by one takes longer than to
run them.

A graph is of fixed sizes and fixed memory. So a step's sizes are rounded up to size classes, and
its inputs are copied to where the graph reads them. To record a step takes about as long as to
launch it once or twice, and most sizes come up many times.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

ROW_CLASSES = 4  # between a power of two and the next
SPAN_CLASSES, LEAST_SPAN = 2, 64
PROMPT_CLASSES = 1  # of their number and their length: one is read for a whole group


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of a step."""

    rows: int
    prompts: int
    longest: int  # tokens of the longest prompt
    span: int  # tokens of the longest reply

    def rounded(self, most: "Sizes") -> "Sizes":
        """Up to their classes, as far as there is memory."""
        return Sizes(
            min(size_class(self.rows, ROW_CLASSES), most.rows),
            min(size_class(self.prompts, PROMPT_CLASSES), most.prompts),
            min(size_class(self.longest, PROMPT_CLASSES), most.longest),
            min(size_class(max(self.span, LEAST_SPAN), SPAN_CLASSES), most.span),
        )


def size_class(size: int, classes: int) -> int:
    """The size rounded up, with so many classes from a power of two to the next."""
    step = max((1 << (size - 1).bit_length()) // (2 * classes), 1)
    return -(-size // step) * step


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    graph: Any  # torch.cuda.CUDAGraph
    inputs: Tensor  # where the graph reads them
    out: Tensor


Work = Callable[[Tensor, Sizes], Tensor]


@dataclass(slots=True, eq=False)
class DecodeGraphs:
    """The steps of one call of the engine; all graphs share their memory."""

    work: Work  # a step, from its inputs on the device
    device: torch.device
    recorded: dict[Sizes, Recorded] = field(default_factory=dict)
    pool: Any = None

    def __call__(self, inputs: Tensor, sizes: Sizes) -> Tensor:
        known = self.recorded.get(sizes)
        if known is None:
            known = self.recorded[sizes] = self._record(inputs, sizes)
        known.inputs.copy_(inputs)
        known.graph.replay()
        return known.out

    def _record(self, inputs: Tensor, sizes: Sizes) -> Recorded:
        """Without `torch.cuda.graph`, which gives back all free memory first. Another thread may
        be learning meanwhile: its calls are none of the graph's business."""
        if self.pool is None:
            self.pool = torch.cuda.graph_pool_handle()
        read, graph = inputs.to(self.device), torch.cuda.CUDAGraph()
        torch.cuda.synchronize(self.device)
        collects = gc.isenabled()
        gc.disable()  # a graph that is destroyed meanwhile spoils this one
        with torch.cuda.stream(torch.cuda.Stream(self.device)):
            graph.capture_begin(pool=self.pool, capture_error_mode="thread_local")
            try:
                out = self.work(read, sizes)
            finally:
                graph.capture_end()
                if collects:
                    gc.enable()
        return Recorded(graph, read, out)
