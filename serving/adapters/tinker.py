"""tinker-cookbook: a data set of environments, as `tinker-cookbook` 0.6.1 trains on.

train.Config(dataset_builder=Tasks(tasks="logic play_nim", model_name=…, renderer_name=…), …)
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import chz
from tinker_cookbook.renderers import Message, Renderer, get_renderer, get_text_content
from tinker_cookbook.rl.message_env import EnvFromMessageEnv, MessageEnv, MessageStepResult
from tinker_cookbook.rl.types import Env, EnvGroupBuilder, RLDataset, RLDatasetBuilder
from tinker_cookbook.tokenizer_utils import get_tokenizer

from puzzlemill.serving.adapters.in_process import elsewhere, opened, replied, server_with, source
from puzzlemill.serving.calls import blocks_of
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.sessions import Episode
from puzzlemill.serving.tasks import Task


@dataclass(eq=False)
class Talk(MessageEnv):  # type: ignore[misc]
    """One episode in messages."""

    server: Server
    task: Task
    messages: list[Message] = field(default_factory=list)
    episode: Episode | None = None

    async def initial_observation(self) -> list[Message]:
        self.episode = await elsewhere(opened(self.server, self.task, pictures=True))
        self.messages = [{"role": "user", "content": content_of(self.episode)}]
        return self.messages

    async def step(self, message: Message) -> MessageStepResult:
        assert self.episode is not None, "tinker asks for the first observation first"
        turn = await elsewhere(replied(self.server, self.episode, get_text_content(message)))
        self.messages = [*self.messages, message]
        if not turn.done:
            self.messages.append({"role": "user", "content": turn.text})
        status = turn.facts.get("status")
        shares = ("correct", "unparsed", "error") if status else ()
        metrics = {name: float(status == name) for name in shares}
        return MessageStepResult(turn.reward, turn.done, self.messages, metrics)


def content_of(episode: Episode) -> str | list[dict[str, Any]]:
    """A prompt, with its pictures in their places."""
    if not episode.images:
        return episode.prompt
    return [
        {"type": "text", "text": block["text"]}
        if block["type"] == "text"
        else {"type": "image", "image": f"data:image/png;base64,{block['data']}"}
        for block in blocks_of(episode.prompt, episode.images)
    ]


@dataclass(frozen=True)
class Group(EnvGroupBuilder):  # type: ignore[misc]
    """Episodes about one task. It can be pickled: the server is that of each process."""

    task: Mapping[str, Any]
    options: Mapping[str, Any]
    renderer: Renderer
    size: int

    async def make_envs(self) -> Sequence[Env]:
        server = server_with(self.options)
        return [
            # A reply without its end is judged as it stands: what it says of the answer counts.
            EnvFromMessageEnv(
                self.renderer, Talk(server, self.task), failed_parse_reward=0.0,
                context_overflow_reward=0.0,
            )
            for _ in range(self.size)
        ]  # fmt: skip

    def logging_tags(self) -> list[str]:
        return ["puzzlemill", str(self.task.get("family") or self.task.get("game"))]


@dataclass(frozen=True)
class Batches(RLDataset):  # type: ignore[misc]
    """Batches of a split's tasks by index."""

    tasks: str
    split: str
    options: Mapping[str, Any]
    renderer: Renderer
    groups: int  # in a batch
    size: int  # episodes of a group
    batches: int

    def get_batch(self, index: int) -> Sequence[EnvGroupBuilder]:
        held = source(self.tasks, pictures=True, **self.options)
        places = range(index * self.groups, (index + 1) * self.groups)
        made = [held.task(self.split, place) for place in places]
        return [Group(task, self.options, self.renderer, self.size) for task in made]

    def __len__(self) -> int:
        return self.batches


@chz.chz
class Tasks(RLDatasetBuilder):  # type: ignore[misc]
    """What `chz` reads of the command line."""

    model_name: str
    renderer_name: str
    tasks: str = ""
    levels: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    tries: int = 1
    opponent: str = "random"
    seed: int = 0
    batch_size: int = 64
    group_size: int = 16
    batches: int = 1000
    test_batches: int = 0

    async def __call__(self) -> tuple[Batches, Batches | None]:
        tokenizer = await asyncio.to_thread(get_tokenizer, self.model_name)
        renderer = get_renderer(self.renderer_name, tokenizer, model_name=self.model_name)
        options = {
            "levels": list(self.levels), "tries": self.tries, "opponent": self.opponent,
            "seed": self.seed,
        }  # fmt: skip

        def of(split: str, size: int, batches: int) -> Batches:
            return Batches(self.tasks, split, options, renderer, self.batch_size, size, batches)

        test = of("test", 1, self.test_batches) if self.test_batches else None
        return of("train", self.group_size, self.batches), test
