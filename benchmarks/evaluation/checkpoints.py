"""Checkpoints of a tiny policy in training, as policies of several levels.

    .venv/bin/python benchmarks/evaluation/checkpoints.py builds/checkpoints

It learns as the bundled policy does, in half as many steps: ten minutes on one core.
"""

import argparse
from dataclasses import replace
from itertools import islice
from pathlib import Path

import torch

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.difficulty.policies.transformer import fresh
from puzzlemill.trainer.tiny import (
    LESSONS,
    Phase,
    demonstrations,
    give_a_head_start,
    say,
    shape,
    teach,
)
from puzzlemill.trainer.tiny_tokens import build_tokens

KEPT = (100, 250, 400, 600, 900, 1300)  # steps after which a checkpoint is kept


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if folder.exists():
        raise UserError(f"{folder}: is there already; name a folder that is not")
    torch.set_num_threads(1)
    lessons = [replace(phase, steps=phase.steps // 2) for phase in LESSONS]
    tokens = build_tokens(prompt for prompt, _ in islice(demonstrations(Phase(0, 1.0), 0), 3000))
    model = fresh(shape(tokens), seed=0)
    give_a_head_start(model)
    for step, loss in enumerate(teach(model, tokens, lessons, seed=0), start=1):
        say(step, KEPT[-1], loss)
        if step in KEPT:
            checkpoint.save(model, folder / f"{step:04}", tokens)


if __name__ == "__main__":
    main()
