"""A checkpoint in vLLM, in this process, over one GPU or several."""

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Policy, sampling_of
from puzzlemill.difficulty.settings import PolicySettings


def load(settings: PolicySettings) -> Policy:
    from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

    spread = {"tensor_parallel_size": settings.gpus} if settings.gpus > 1 else {}
    return VllmPolicy(settings.model, sampling_of(settings), sees=settings.sees, engine=spread)


READS = ("model", "gpus")
FIRST = """model = "Qwen/Qwen2.5-1.5B-Instruct"    # on the Hub, or a folder
gpus = 1                                # that the model is spread over
max_tokens = 1024                       # of a reply
"""
POLICY = Kind(load, ("vllm",), "vllm", first=FIRST)
