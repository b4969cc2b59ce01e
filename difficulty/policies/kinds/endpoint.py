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
FIRST = """url = "http://localhost:8000/v1"        # or a list of servers of the same model
model = "Qwen/Qwen2.5-1.5B-Instruct"    # as the server calls it
# key_variable = "MY_KEY"               # the environment variable that holds the key
max_tokens = 1024                       # of a reply
"""
POLICY = Kind(load, url=True, first=FIRST)
