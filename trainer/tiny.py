"""Training of the tiny policy: half a million weights, taught from nothing in about ten minutes.

It learns from worked solutions of the families in `generators/basics`. In the last phase the
demonstrator sometimes misreads the puzzle and works on with what it read. A policy that has seen
nothing but faultless work falls off a cliff at some level; one that has seen errors fails now and
then at every level, which gives difficulty something to measure and RL something to sharpen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

import torch

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import address_of, draft, worked
from puzzlemill.difficulty.misreading import misread
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.transformer import (
    Rope,
    Shape,
    Transformer,
    frequencies,
    fresh,
)
from puzzlemill.trainer.imitation import (
    Example,
    ExampleBatch,
    example_batches,
    imitate,
    optimizers_for,
    scale_rates,
)
from puzzlemill.trainer.tiny_tokens import POSITIONS, TinyTokens, build_tokens

CATEGORY = "basics"
TOKENS = 2048  # a step
GAZE = 4.0  # how firmly a head looks to one place at first
POOL = 1500  # demonstrations made at a time, then sorted by length

Pair = tuple[str, str]  # a prompt and a worked reply
Report = Callable[[int, int, float], None]  # the step that is done, all steps, the loss


@dataclass(frozen=True, slots=True)
class Phase:
    steps: int
    ease: float  # levels are shares of 1 to this power: the larger, the more easy ones
    slips: tuple[float, float] = (0.0, 0.0)  # the share of values misread at levels 0 and 1


LESSONS = (Phase(500, ease=3.0), Phase(1800, ease=1.8), Phase(300, ease=1.5, slips=(0.02, 0.14)))


def say(step: int, steps: int, loss: float) -> None:
    if step % 50 == 0 or step == steps:
        print(f"step {step} of {steps}: loss {loss:.3f}", flush=True)


def train_tiny(
    folder: Path, seed: int = 0, lessons: Sequence[Phase] = LESSONS, report: Report = say
) -> Path:
    """Make a tiny policy and write it to a folder. One seed gives one policy (on one machine)."""
    if folder.exists():
        raise UserError(f"{folder}: is there already; name a folder that is not")
    folder.parent.mkdir(parents=True, exist_ok=True)  # what forbids it is told now, not at the end
    tokens = build_tokens(prompt for prompt, _ in islice(demonstrations(Phase(0, 1.0), 0), 3000))
    model = fresh(shape(tokens), seed)
    give_a_head_start(model)
    steps = sum(phase.steps for phase in lessons)
    for step, loss in enumerate(teach(model, tokens, lessons, seed), start=1):
        report(step, steps, loss)
    checkpoint.save(model, folder, tokens)
    return folder


def shape(tokens: TinyTokens) -> Shape:
    return Shape(
        hidden=128,
        layers=3,
        heads=4,
        kv_heads=2,
        head_dim=32,
        intermediate=288,
        vocab=tokens.count,
        positions=POSITIONS,
        rope=Rope(theta=100.0),  # no text is long, and neighbours must be told apart
    )


@torch.no_grad()
def give_a_head_start(model: Transformer) -> None:
    """Let the first layer's heads begin by looking 1, 2, 3, 4 tokens back.

    To copy what stood behind a letter, a model must first know of each token what stands before it.
    It finds that out by itself too, but that takes it longer than all the rest.
    """
    form = model.shape
    for name, weight in model.named_parameters():
        if ".layers." in name and weight.dim() == 2:
            weight.mul_(2.5)  # what `fresh` gives suits wider models
    attention = next(model.model.blocks()).self_attn
    pairs = form.head_dim // 2
    sharp = pairs // 2  # the frequencies that tell neighbours apart
    angles = frequencies(form.rope, form.head_dim, model.device)[:sharp]
    attention.k_proj.bias.view(form.kv_heads, -1)[:, :sharp] = GAZE
    for head, bias in enumerate(attention.q_proj.bias.view(form.heads, -1)):
        back = -(head + 1) * angles
        bias[:sharp] = GAZE * back.cos()
        bias[pairs : pairs + sharp] = GAZE * back.sin()


def teach(
    model: Transformer, tokens: TinyTokens, lessons: Sequence[Phase], seed: int
) -> Iterator[float]:
    """The loss of every step."""
    optimizers = optimizers_for(model)
    steps = sum(phase.steps for phase in lessons)
    batches = (
        batch for phase in lessons for batch in islice(_batches(tokens, phase, seed), phase.steps)
    )
    scale_rates(optimizers, rate_share(0.0))
    for step, loss in enumerate(imitate(model, batches, optimizers), start=1):
        yield loss
        scale_rates(optimizers, rate_share(step / steps))


def rate_share(done: float) -> float:
    """The size of a step: up at once, steady for a while, then down in a line."""
    return min(50 * done + 0.05, 1.25 * (1 - done), 1.0)


def _batches(tokens: TinyTokens, phase: Phase, seed: int) -> Iterator[ExampleBatch]:
    source = Random(f"{phase} {seed}")
    endless = demonstrations(phase, seed)
    while True:
        yield from example_batches(encoded(tokens, list(islice(endless, POOL))), TOKENS, source)


def encoded(tokens: TinyTokens, pairs: Sequence[Pair]) -> list[Example]:
    prompts = tokens.encode([tokens.prompt_text(prompt) for prompt, _ in pairs])
    replies = tokens.encode([tokens.reply_text(reply) for _, reply in pairs])
    return [Example(*example) for example in zip(prompts, replies, strict=True)]


def demonstrations(phase: Phase, seed: int) -> Iterator[Pair]:
    """Prompts and worked replies, of each family in turn, for ever; of the split `train` alone."""
    rng = Random(f"demonstrations {phase} {seed}")
    families = [registry.family(name) for name in registry.names(CATEGORY)]
    while True:
        for each in families:
            level = rng.random() ** phase.ease
            item = draft(each, address_of(each, each.at(level), seed=rng.getrandbits(60)), level)
            low, high = phase.slips
            puzzle = misread(item.puzzle, low + (high - low) * level, rng)
            yield item.prompt, worked(each, puzzle, each.answer.write(each.solve(puzzle)))
