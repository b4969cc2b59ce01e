"""The policy that a recipe names. Each kind's packages are imported only when it is asked for."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.recipe import PolicySettings
from puzzlemill.difficulty.policies.policy import Policy, Sampling


@lru_cache(maxsize=1)
def load_policy(settings: PolicySettings) -> Policy:
    """One policy is kept loaded: shards follow each other under the same one."""
    return new_policy(settings)


def new_policy(settings: PolicySettings) -> Policy:
    """A policy of one's own, which may be trained."""
    sampling = Sampling(settings.temperature, settings.top_p, settings.max_tokens)
    match settings.kind:
        case "tiny":
            _need("torch", "transformers", extra="train")
            from puzzlemill.difficulty.policies.tiny_policy import tiny

            return tiny(sampling)
        case "native":
            _need("torch", "transformers", extra="train")
            from puzzlemill.difficulty.policies.native import NativePolicy

            return NativePolicy.load(Path(settings.model), sampling)
        case "transformers":
            _need("torch", "transformers", extra="train")
            from puzzlemill.difficulty.policies.hosted import HostedPolicy

            return HostedPolicy.load(Path(settings.model), sampling)
        case "endpoint":
            from puzzlemill.difficulty.policies.endpoint import EndpointPolicy

            return EndpointPolicy(
                url=settings.url,
                model=settings.model,
                sampling=sampling,
                api=settings.api,
                key_variable=settings.key_variable,
                sees=settings.sees,
                concurrency=settings.concurrency,
            )
        case "vllm":
            _need("vllm", extra="vllm")
            from puzzlemill.difficulty.policies.vllm_engine import VllmPolicy

            spread = {"tensor_parallel_size": settings.gpus} if settings.gpus > 1 else {}
            return VllmPolicy(settings.model, sampling, sees=settings.sees, engine=spread)
        case "none":
            raise UserError('[policy] kind = "none": nobody is there to ask; name a policy')


def _need(*packages: str, extra: str) -> None:
    for package in packages:
        if find_spec(package) is None:
            raise UserError(
                f"this policy needs {package}: pip install 'puzzlemill[{extra}]',"
                " or set [policy] kind to another one"
            )
