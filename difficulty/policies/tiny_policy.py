"""The bundled tiny policy: half a million weights that know the families in `generators/basics`.

It stands in for a real model wherever one would be too large: in tests, first tries and trials of
schedules. `puzzlemill train-tiny` makes another one like it.
"""

from importlib.resources import as_file, files

from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling


def tiny(sampling: Sampling) -> NativePolicy:
    with as_file(files("puzzlemill.difficulty.policies") / "tiny") as folder:
        return NativePolicy.load(folder, sampling, name="tiny", device="cpu")
