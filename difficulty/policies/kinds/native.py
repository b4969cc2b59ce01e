"""A checkpoint's folder, in our own engine."""

from pathlib import Path

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Policy, sampling_of
from puzzlemill.difficulty.policies.weight_files import version_of
from puzzlemill.difficulty.settings import PolicySettings


def load(settings: PolicySettings) -> Policy:
    from puzzlemill.difficulty.policies.native import NativePolicy

    return NativePolicy.load(Path(settings.model), sampling_of(settings))


def id_of(settings: PolicySettings) -> str:
    return f"{version_of(Path(settings.model))}/{sampling_of(settings)}"


READS = ("model",)
FIRST = """# hf download Qwen/Qwen2.5-1.5B-Instruct --local-dir Qwen2.5-1.5B-Instruct
model = "Qwen2.5-1.5B-Instruct"         # the folder of a checkpoint
max_tokens = 1024                       # of a reply
"""
POLICY = Kind(load, ("torch", "transformers"), "train", here=True, id=id_of, first=FIRST)
