"""Execution plans: which devices sample and which learn, what each holds, and the time of a step.

Memory is counted from the model's shape, time from measured rates (`benchmarks/gpu/run.py`), which
scale with the number of weights. All placements are tried, as ReaLHF searches its plans: sampling
and learning on the same devices by turns, or on devices of their own at the same time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import ceil
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.difficulty.policies.checkpoint import read_shape
from puzzlemill.difficulty.policies.transformer import Shape
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.trainer.logps import SLICE
from puzzlemill.trainer.settings import Train

FLOAT = 4  # bytes
GIB = 1 << 30
BUNDLED = Path(tiny_policy.__file__).parent / "tiny"


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one device, as measured with a model of so many weights."""

    weights: float
    sampled_tokens_a_second: float
    learned_tokens_a_second: float
    link_bytes_a_second: float  # from device to device
    memory_bytes: float


@dataclass(frozen=True, slots=True)
class Work:
    """Tokens of a step, at most."""

    sampled: int
    learned: int


@dataclass(frozen=True, slots=True)
class Placement:
    sampling: int  # devices
    learning: int
    parallel: int  # devices that hold one copy of the weights that sample
    shared: bool  # the same devices do both, by turns

    @property
    def devices(self) -> int:
        return self.learning if self.shared else self.sampling + self.learning


@dataclass(frozen=True, slots=True)
class Plan:
    placement: Placement
    sampling_bytes: float  # on a device, while it samples
    learning_bytes: float  # on a device, while it learns
    sampling_seconds: float
    learning_seconds: float
    handover_seconds: float  # of weights, once a step

    @property
    def seconds(self) -> float:
        """Of a step. Apart, a step is sampled while another is learned from."""
        both = self.sampling_seconds, self.learning_seconds
        return (sum(both) if self.placement.shared else max(both)) + self.handover_seconds


def weights_of(shape: Shape) -> int:
    attention = 2 * shape.hidden * shape.head_dim * (shape.heads + shape.kv_heads)
    block = attention + 3 * shape.hidden * shape.intermediate + 2 * shape.hidden
    embedding = shape.vocab * shape.hidden * (1 if shape.tied else 2)
    return embedding + shape.layers * block + shape.hidden


def work_of(settings: Train, max_tokens: int) -> Work:
    replies = settings.prompts * settings.group
    sampled = ceil(settings.prompts * settings.oversample) * settings.group * settings.tries
    return Work(sampled * max_tokens, replies * settings.tries * max_tokens * settings.epochs)


def best_plan(shape: Shape, settings: Train, max_tokens: int, rates: Rates, devices: int) -> Plan:
    """The fastest of those that fit; of equally fast ones that of the fewest devices."""
    plans = [
        plan_of(placement, shape, settings, max_tokens, rates)
        for placement in placements(devices, ahead=settings.max_staleness > 0)
    ]
    fitting = [each for each in plans if _most(each) <= rates.memory_bytes]
    if not fitting:
        least = min(map(_most, plans))
        raise UserError(
            f"no placement on {devices} devices fits: each would need {least / GIB:.1f} GiB of"
            f" {rates.memory_bytes / GIB:.1f}; take more devices, or set [train] recompute,"
            " [train.lora] or a smaller micro_batch"
        )
    return min(fitting, key=lambda each: (each.seconds, each.placement.devices))


def placements(devices: int, ahead: bool) -> Iterator[Placement]:
    """All that use up to so many devices; apart only where sampling may be ahead of learning."""
    for learning in range(1, devices + 1):
        for parallel in _divisors(learning):
            yield Placement(learning, learning, parallel, shared=True)
        for sampling in range(1, (devices - learning if ahead else 0) + 1):
            for parallel in _divisors(sampling):
                yield Placement(sampling, learning, parallel, shared=False)


def plan_of(
    placement: Placement, shape: Shape, settings: Train, max_tokens: int, rates: Rates
) -> Plan:
    weights, work = weights_of(shape), work_of(settings, max_tokens)
    low = 2 if settings.dtype == "bfloat16" else FLOAT
    slower = weights / rates.weights
    return Plan(
        placement,
        sampling_bytes=low * weights / placement.parallel
        + (learning_state(weights, settings) / placement.learning if placement.shared else 0)
        + cache_bytes(shape, low, max_tokens) * settings.group / placement.parallel,
        learning_bytes=learning_state(weights, settings) / placement.learning
        + activations(shape, settings, low),
        sampling_seconds=work.sampled * slower / rates.sampled_tokens_a_second / placement.sampling,
        learning_seconds=work.learned * slower / rates.learned_tokens_a_second / placement.learning,
        handover_seconds=low * weights / rates.link_bytes_a_second,
    )


def learning_state(weights: int, settings: Train) -> float:
    """Weights in float32, and of those that are trained the gradient and AdamW's two moments; and
    the reference's."""
    trained = 0 if settings.lora.rank else weights
    frozen = (2 if settings.dtype == "bfloat16" else FLOAT) if settings.lora.rank else FLOAT
    reference = FLOAT * weights if settings.loss.kl and not settings.lora.rank else 0
    return frozen * weights + 3 * FLOAT * trained + reference


def activations(shape: Shape, settings: Train, low: int) -> float:
    """What the gradient of a micro-batch needs, and the logits of a slice, three times."""
    heads = shape.head_dim * (2 * shape.heads + 2 * shape.kv_heads)
    # Of a token in a block: its inputs and norms; queries, keys, values and what was attended; the
    # gate, what it opens and their product.
    block = FLOAT * 4 * shape.hidden + low * (heads + 3 * shape.intermediate)
    kept = block + shape.layers * FLOAT * shape.hidden
    a_token = kept if settings.recompute else shape.layers * block
    return settings.micro_batch * a_token + 3 * FLOAT * SLICE * shape.vocab


def cache_bytes(shape: Shape, low: int, tokens: int) -> int:
    """Of the KV cache of a reply."""
    return 2 * shape.layers * shape.kv_heads * shape.head_dim * low * tokens


def settings_of(place: Placement) -> dict[str, Any]:
    """Of [train], by which a run on as many processes as devices learn is placed so."""
    engines = 0 if place.shared else place.sampling // place.parallel
    found: dict[str, Any] = {
        "sampler": "vllm",
        "placement": {"engines": engines, "parallel": place.parallel},
    }
    # Processes whose engines are on their own devices take turns.
    return found | ({"max_staleness": 0} if place.shared else {})


def plan_text(plan: Plan, work: Work) -> str:
    place = plan.placement
    where = (
        f"{place.learning} devices sample and learn by turns"
        if place.shared
        else f"{place.sampling} devices sample while {place.learning} learn"
    )
    copies = f"{place.sampling // place.parallel} copies that sample, each on {place.parallel}"
    table = settings_of(place)
    inside = ", ".join(f"{name} = {value}" for name, value in table["placement"].items())
    said = [f'sampler = "vllm"; placement = {{{inside}}}']
    said += [f"{name} = {table[name]}" for name in ("max_staleness",) if name in table]
    starter = f"torchrun --nproc-per-node {place.learning} -m " if place.learning > 1 else ""
    return "\n".join(
        (
            f"placement: {where}; {copies}",
            f"memory of a device: {plan.sampling_bytes / GIB:.2f} GiB to sample,"
            f" {plan.learning_bytes / GIB:.2f} GiB to learn",
            f"tokens a step, at most: {work.sampled:,} sampled, {work.learned:,} learned",
            f"seconds a step: {plan.seconds:.2f} (sampling {plan.sampling_seconds:.2f}, learning"
            f" {plan.learning_seconds:.2f}, weights {plan.handover_seconds:.2f})",
            f"[train]: {'; '.join(said)}",
            f"start: {starter}puzzlemill train BUILD",
        )
    )


def _most(plan: Plan) -> float:
    return max(plan.sampling_bytes, plan.learning_bytes)


def _divisors(number: int) -> list[int]:
    return [each for each in range(1, number + 1) if number % each == 0]


def read_rates(path: Path) -> Rates:
    """What `make gpu` measured of a device."""
    data = read_json(path)
    names = [each.name for each in fields(Rates)]
    if not isinstance(data, dict) or data.keys() != set(names):
        raise UserError(f"{path}: rates are {', '.join(names)}, each a number above 0")
    for name, value in data.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not value > 0:
            raise UserError(f"{path}: {name} = {value!r} is no number above 0")
    return Rates(**data)


def described_plan(recipe: Recipe, rates: Path, devices: int) -> str:
    """The best plan of a recipe's training run, for people."""
    if not isinstance(recipe.train, Train):
        raise UserError("plans are of learning from items: leave out --plan")
    folder = Path(recipe.policy.model) if recipe.policy.model else BUNDLED
    most = recipe.policy.max_tokens
    plan = best_plan(read_shape(folder), recipe.train, most, read_rates(rates), devices)
    return plan_text(plan, work_of(recipe.train, most))
