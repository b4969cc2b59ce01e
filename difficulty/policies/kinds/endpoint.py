"""Servers with an OpenAI-compatible API."""

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Policy, sampling_of
from puzzlemill.difficulty.settings import PolicySettings


def load(settings: PolicySettings) -> Policy:
    from puzzlemill.difficulty.policies.endpoint import EndpointPolicy

    return EndpointPolicy(
        url=settings.url,
        model=settings.model,
        sampling=sampling_of(settings),
        api=settings.api,
        key_variable=settings.key_variable,
        sees=settings.sees,
        concurrency=settings.concurrency,
    )


READS = ("model", "url", "key_variable")
POLICY = Kind(load)
