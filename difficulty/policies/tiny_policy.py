"""The bundled tiny policy: half a million weights that know the families in `generators/basics`.

It stands in for a model wherever a real one would be too large: in tests, demonstrations and trials
of curricula. `puzzlemill train-tiny` makes another one like it.
"""

from importlib.resources import as_file, files

import torch

from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling


def tiny(sampling: Sampling) -> NativePolicy:
    torch.set_num_threads(1)  # more make so small a model slower, on a busy machine many times
    with as_file(files("puzzlemill.difficulty.policies") / "tiny") as folder:
        return NativePolicy.load(folder, sampling, name="tiny", device="cpu")
