"""Sampling ahead of learning: which weights sample which batch, and what is waited for."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from puzzlemill.core.errors import UserError
from puzzlemill.trainer.rollout_queue import RolloutQueue, begun, own_stream
from puzzlemill.trainer.rollouts import Buffers, StepRollouts, no_rollouts
from puzzlemill.trainer.settings import Train

STEPS = 8


@dataclass
class Weighed:
    """A sampler that keeps the very tensors that it is given."""

    weights: Mapping[str, Tensor] = field(default_factory=dict)
    weights_dtype: torch.dtype | None = torch.float32

    def update(self, weights: Mapping[str, Tensor]) -> None:
        self.weights = weights

    def rest(self) -> None:
        pass


@dataclass
class Task:
    """Its rollouts are the weight that sampled them."""

    settings: Train
    gates: list[Event]
    broken: int = STEPS  # the step whose sampling fails
    collected: list[int] = field(default_factory=list)
    buffers: Buffers = field(default_factory=Buffers)

    def collect(self, sampled: Any, judge: object, max_tokens: int, step: int) -> StepRollouts:
        assert self.gates[step].wait(60)
        self.collected.append(step)
        if step == self.broken:
            raise UserError(f"no reply in step {step}")
        (weight,) = sampled.weights.values()
        return StepRollouts(no_rollouts(), no_rollouts(), {"weight": int(weight.item())})


def queue_of(staleness: int, **task: Any) -> RolloutQueue:
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    policy: Any = SimpleNamespace(model=model, sampling=SimpleNamespace(max_tokens=1))
    sampler: Any = Weighed()
    settings = Train(steps=STEPS, max_staleness=staleness)
    fake: Any = Task(settings, [Event() for _ in range(STEPS)], **task)
    judge: Any = None
    return RolloutQueue(fake, policy, sampler, judge, staleness)


def taken(
    queue: RolloutQueue, settles: Callable[[int], bool], first: int = 0
) -> Iterator[StepRollouts]:
    """What each step gets. Its update makes the model's only weight the number of the next step."""
    task: Any = queue.task
    weight: Any = queue.policy.model.weight
    nn.init.constant_(weight, first)
    queue.settle(first)
    for step in range(first, STEPS):
        task.gates[step].set()
        found = queue.take(step)
        nn.init.constant_(weight, step + 1)
        if not queue.staleness or settles(step + 1):
            for gate in task.gates[: step + 1 + queue.staleness]:
                gate.set()
            queue.settle(step + 1)
        yield found


def open_all(queue: RolloutQueue) -> None:
    task: Any = queue.task
    for gate in task.gates:
        gate.set()


@pytest.mark.parametrize("staleness", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("every", [1, 3, 100])
def test_a_batch_is_sampled_with_the_weights_of_a_fixed_step(
    staleness: int, early: bool, every: int
) -> None:
    """Whether sampling is as early or as late as can be, and whenever it is waited for."""
    queue = queue_of(staleness)
    task: Any = queue.task
    if early:
        open_all(queue)
    with closing(queue):
        found = [*taken(queue, lambda done: done % every == 0)]
    wanted = [max(step - staleness, 0) for step in range(STEPS)]
    assert [each.discarded["weight"] for each in found] == wanted
    assert [each.version for each in found] == (wanted if staleness else [0] * STEPS)
    assert task.collected == [*range(STEPS)], "in order, and each once"


def test_batches_that_a_checkpoint_brings_back_are_learned_from_first() -> None:
    whole, resumed = queue_of(3), queue_of(3)
    open_all(resumed)
    with closing(whole):
        steps = taken(whole, lambda done: done == 4)
        for _ in range(4):
            next(steps)
        kept = [*whole.task.buffers.prefetched]
        wanted = [*steps]
    assert [each.version for each in kept] == [1, 2, 3]
    resumed.task.buffers.prefetched = [*kept]
    with closing(resumed):
        found = [*taken(resumed, lambda done: False, first=4)]
    assert [each.version for each in found] == [each.version for each in wanted] == [1, 2, 3, 4]
    assert [each.discarded for each in found] == [each.discarded for each in wanted]
    assert found[0] is kept[0]


def test_nothing_is_sampled_after_a_batch_that_failed() -> None:
    queue = queue_of(3, broken=2)
    task: Any = queue.task
    open_all(queue)
    with closing(queue):
        steps = taken(queue, lambda done: False)
        next(steps), next(steps)
        with pytest.raises(UserError, match="no reply in step 2"):
            next(steps)
        later = [each.exception() for each in queue.under_way]
    assert [str(each) for each in later] == ["no reply in step 2"] * 2
    assert task.collected == [0, 1, 2]


def test_on_a_gpu_sampling_waits_for_the_weights_and_not_for_learning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stream that notes what it is told stands in for a device's."""
    said: list[str] = []

    class Event:
        def record(self, stream: str) -> None:
            said.append(f"copies of weights are given to {stream}")

    class Stream:
        def __init__(self, device: torch.device) -> None:
            said.append("another stream")

        def wait_event(self, event: Event) -> None:
            said.append("waits for the copies")

        def synchronize(self) -> None:
            said.append("is waited for")

    @contextmanager
    def on(stream: Stream) -> Iterator[None]:
        said.append("on it")
        yield
        said.append("off it")

    fakes = {"Event": Event, "Stream": Stream, "stream": on}
    fakes["current_stream"] = lambda device: "the trainer's"  # type: ignore[assignment]
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    device = torch.device("cuda", 0)
    with own_stream(device, begun(device)):
        said.append("samples")
    with pytest.raises(UserError), own_stream(device, begun(device)):
        raise UserError("no reply")
    here = ["copies of weights are given to the trainer's", "another stream"]
    here += ["waits for the copies", "on it"]
    assert said == [*here, "samples", "off it", "is waited for", *here, "is waited for"]
    with own_stream(torch.device("cpu"), begun(torch.device("cpu"))):
        pass
    assert said[-1] == "is waited for", "a CPU has no streams"
