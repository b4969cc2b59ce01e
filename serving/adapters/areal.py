"""AReaL: a reward function for its RLVRWorkflow, and an agent for games and tries.

RLVRWorkflow(reward_fn="puzzlemill.serving.adapters.areal.reward", …)
workflow = "puzzlemill.serving.adapters.areal.Agent"

The data has `messages` and `task`: `rows` beside this file makes `prompt` and `task`.
"""

from typing import Any

from puzzlemill.serving.adapters.in_process import (
    elsewhere,
    opened,
    replied,
    server_with,
    task_in,
    wait,
)


def reward(
    prompt: str, completions: str, prompt_ids: Any, completion_ids: Any, /, task: str, **_: Any
) -> float:
    """The score of a reply, in AReaL's reward processes. They give the row's columns by name, and
    one of these is called `prompt`, too."""
    server = server_with({})
    episode = wait(opened(server, task_in(task)))
    return wait(replied(server, episode, completions)).reward


class Agent:
    """Talks to the model over AReaL's proxy until the episode is over, and gives its reward."""

    def __init__(self, options: dict[str, Any] | None = None, **request: Any):
        self.options, self.request = options or {}, request  # the latter: temperature …

    async def run(self, data: dict[str, Any], **extra: Any) -> float:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(
            base_url=extra.get("base_url"),
            api_key=extra.get("api_key"),
            http_client=extra.get("http_client"),
            max_retries=0,  # a call that is made again would be learned twice
        )
        server = server_with(self.options)
        episode = await elsewhere(opened(server, task_in(data["task"])))
        before = list(data.get("messages") or data.get("prompt") or ())[:-1]
        messages = [*before, {"role": "user", "content": episode.prompt}]
        while True:
            said = await client.chat.completions.create(
                model="default", messages=messages, **self.request
            )
            reply = said.choices[0].message.content or ""
            turn = await elsewhere(replied(server, episode, reply))
            if turn.done:
                return turn.reward
            messages += [
                {"role": "assistant", "content": reply},
                {"role": "user", "content": turn.text},
            ]
