"""The bundled transformer, which solves some families: for tests and demonstrations."""

from importlib.resources import as_file, files

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Policy, sampling_of
from puzzlemill.difficulty.policies.weight_files import version_of
from puzzlemill.difficulty.settings import PolicySettings


def load(settings: PolicySettings) -> Policy:
    from puzzlemill.difficulty.policies.tiny_policy import tiny

    return tiny(sampling_of(settings))


def id_of(settings: PolicySettings) -> str:
    with as_file(files("puzzlemill.difficulty.policies") / "tiny") as folder:
        return f"{version_of(folder, 'tiny')}/{sampling_of(settings)}"


FIRST = """max_tokens = 200                        # of a reply
"""
POLICY = Kind(
    load, ("torch", "transformers"), "train", model=False, here=True, id=id_of, first=FIRST
)
