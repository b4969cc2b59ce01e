"""The queue of rollouts: a thread samples batches ahead of the steps that learn from them.

The batch of step n is sampled with the weights of step n - max_staleness, the first ones with those
that the run begins with. One batch follows the other, and each has one version of the weights. So
a run's result does not depend on which of the two, sampling or learning, is the faster.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from puzzlemill.difficulty.policies.model import LocalPolicy
from puzzlemill.difficulty.scoring import Judge
from puzzlemill.trainer.sampler import Sampler, weights_for
from puzzlemill.trainer.train_task import TrainTask

Weights = Mapping[str, Tensor]


@dataclass
class RolloutQueue:
    task: TrainTask
    policy: LocalPolicy  # that is trained
    sampler: Sampler | None  # None: the policy samples itself, and nothing is sampled ahead
    judge: Judge
    staleness: int  # the steps between the weights that sample a batch and those that learn from it
    version: int | None = None  # the step whose weights the last batch that began is sampled with
    # After those in the task's buffers, in the order of their steps.
    under_way: deque[Future[Any]] = field(default_factory=deque)
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "rollouts"))

    def take(self, step: int) -> Any:
        """The rollouts of a step; all batches that wait for the weights of this step begin."""
        buffers, settings = self.task.buffers, self.task.settings
        if not self.staleness:
            rollouts = self._collect(step, step, None)
            if self.sampler is not None:
                self.sampler.rest()
            return rollouts
        if not (buffers.prefetched or self.under_way):
            self._begin(step, step)
        rollouts = (
            buffers.prefetched.pop(0) if buffers.prefetched else self.under_way.popleft().result()
        )
        begun = len(buffers.prefetched) + len(self.under_way)
        for later in range(step + 1 + begun, min(step + self.staleness + 1, settings.steps)):
            self._begin(later, step)
        return rollouts

    def settle(self, step: int) -> None:
        """Wait for all that has begun, and give the sampler the weights of this step: the task's
        state is whole then, and the sampler can be measured."""
        self.task.buffers.prefetched += [each.result() for each in self.under_way]
        self.under_way.clear()
        if self.sampler is not None:
            self.sampler.update(self._weights())
        self.version = step

    def close(self) -> None:
        """Wait for the batch that is under way, and begin no more."""
        self.thread.shutdown(cancel_futures=True)

    def _begin(self, step: int, version: int) -> None:
        weights = None if version == self.version else self._weights()
        self.version = version
        before = self.under_way[-1] if self.under_way else None
        ready = begun(self._device)  # the copies of the weights are made by then
        self.under_way.append(
            self.thread.submit(self._collect, step, version, weights, before, ready)
        )

    def _collect(
        self,
        step: int,
        version: int,
        weights: Weights | None,
        before: Future[Any] | None = None,
        ready: Any = None,
    ) -> Any:
        if before is not None:
            before.result()  # what failed is not gone on from
        sampled, max_tokens = self.sampler or self.policy, self.policy.sampling.max_tokens
        with own_stream(self._device, ready):
            if weights is not None and self.sampler is not None:
                self.sampler.update(weights)
            rollouts = self.task.collect(sampled, self.judge, max_tokens, step)
        return replace(rollouts, version=version) if self.staleness else rollouts

    @property
    def _device(self) -> torch.device:
        return next(iter(self.policy.model.parameters())).device

    def _weights(self) -> Weights:
        """Those of now: copies, if they are sampled with while the policy learns."""
        weights = weights_for(self.sampler, self.policy.model)
        if not self.staleness:
            return weights
        return {name: weight.clone() for name, weight in weights.items()}


def begun(device: torch.device) -> Any:
    """A GPU's event of all that it has been given until now; None on a CPU."""
    if device.type != "cuda":
        return None
    event = torch.cuda.Event()  # type: ignore[no-untyped-call]
    event.record(torch.cuda.current_stream(device))
    return event


@contextmanager
def own_stream(device: torch.device, after: Any) -> Iterator[None]:
    """On a GPU, what is done inside waits for an event and for nothing that is given to the device
    later: on one stream, each token that is drawn would wait for the backward pass before it."""
    if after is None:
        yield
        return
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_event(after)
    try:
        with torch.cuda.stream(stream):
            yield
    finally:
        stream.synchronize()  # what it has used may be freed
