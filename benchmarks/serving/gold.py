"""Asks every door about every family, and looks for gold in what comes back.

    python benchmarks/serving/gold.py [--responses 100000] [--out benchmarks/serving/result.json]

In one process, without sockets. For each item, every route is called: with wrong replies, with
requests that are malformed, and with a verifier that crashes and says what the answer was. Of each
response, the prompt, the address and what was sent itself are set aside. What is left must not hold
gold. A text that is said of items with different answers tells none of them: so the answers `no`
and `7`, which occur in many texts, are looked for too. A family of which a text holds the answers
so far is asked about more items.

The prompts that the doors give for one address are compared byte by byte, pictures and all.
"""

import argparse
import asyncio
import base64
import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

from every_route import BROKEN, WRONG, Routes
from starlette.types import ASGIApp

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.guard import Failure
from puzzlemill.serving.app import app_of
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.judging import run_here
from puzzlemill.serving.start import server_of

FIELDS = {"answer", "gold", "puzzle", "certificate", "solver", "canon", "state", "solution"}
MORE = 30  # items of a family of which a text holds the answers so far
SURE = 6  # characters from which a text holds an answer by no accident
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ADDRESS = ("task", "knobs", "session_id", "episode_id", "sid")
NUMBERS = {  # by what names numbers are told
    "version", "level", "seed", "index", "id", "_ng_task_index", "num_tasks", "code",
    "reward", "score", "tries", "tries_left", "step_count", "max/reward", "mean/reward",
    "median/reward", "min/reward", "std/reward",
}  # fmt: skip


class Search:
    """What was said of which answers."""

    def __init__(self) -> None:
        self.responses = 0
        self.found: dict[tuple[str, str], str] = {}  # text and the answer in it, with the family
        self.said: dict[str, set[str]] = {}  # the answers (two at most) that a text was said of
        self.fields: set[str] = set()
        self.numbers: set[str] = set()

    def look(self, text: str, name: str, gold: str, aside: Sequence[str]) -> None:
        self.responses += 1
        for leaf in self._leaves(text, aside):
            said_of = self.said.setdefault(leaf, set())
            if len(said_of) < 2:
                said_of.add(gold)
            if len(said_of) < 2 and _holds(leaf, gold):
                self.found[leaf, gold] = name

    def leaks(self) -> list[tuple[str, str]]:
        return sorted(each for each in self.found if len(self.said[each[0]]) == 1)

    def _leaves(self, text: str, aside: Sequence[str]) -> Iterator[str]:
        """The texts of a response without those that are set aside."""
        try:
            value = json.loads(text)
        except ValueError:
            pieces = re.findall(r"^data: (.*)\r$", text, re.MULTILINE)
            try:
                value = json.loads("".join(pieces[1:]))
            except ValueError:
                value = unescape(text)
        for leaf in self._texts(value):
            for each in aside:
                if each:
                    leaf = leaf.replace(each, " ")
            yield from (line.strip() for line in leaf.splitlines() if line.strip())

    def _texts(self, value: Any) -> Iterator[str]:
        match value:
            case dict():
                self.fields |= value.keys() & FIELDS
                for name, each in value.items():
                    if type(each) in (int, float):
                        self.numbers.add(name)
                    if name not in ADDRESS:
                        yield from self._texts(each)
            case list():
                for each in value:
                    yield from self._texts(each)
            case str():
                yield _ID.sub("", value)


def _holds(leaf: str, gold: str) -> bool:
    if len(gold) >= SURE:
        return gold in leaf
    return bool(re.search(rf"(?<!\w){re.escape(gold)}(?!\w)", leaf))


class Planted:
    """Judging in this process; on one reply the verifier crashes, and says the answer."""

    gold = ""

    async def __call__(self, function: str, calls: Any, seconds: float, keep: Any) -> None:
        if function.endswith(":judge") and calls[0][1] == BROKEN:
            for place in range(len(calls)):
                keep(place, Failure(f"ValueError: the answer is {self.gold}"))
        else:
            await run_here(function, calls, seconds, keep)


@dataclass(eq=False)
class Asked:
    """What was asked for, of one server."""

    server: Server
    planted: Planted
    search: Search = field(default_factory=Search)
    items: int = 0
    golds: set[str] = field(default_factory=set)
    families: set[str] = field(default_factory=set)
    doors: set[str] = field(default_factory=set)
    unequal: list[str] = field(default_factory=list)

    async def about(self, app: ASGIApp, name: str, number: int) -> None:
        """All routes about one item of a family."""
        task = self.server.environments[name].task("train", number)
        item = pm.item(task)
        self.planted.gold = item.answer
        pictures = [base64.b64encode(each).decode() for each in item.images]
        pieces = [item.prompt, *item.prompt.split("<image>"), item.uid, name, *pictures]
        aside = sorted({*pieces, *WRONG, "no such answer"}, key=len)[::-1]
        routes = Routes(app, name, task, number)
        async for text in routes.all():
            self.search.look(text, name, item.answer, aside)
        wanted = item.prompt.encode() + b"".join(item.images)
        different = [door for door, each in routes.prompts.items() if each != wanted]
        self.unequal += [f"{name}: {door}" for door in different]
        self.doors |= routes.prompts.keys()
        self.golds.add(item.answer)
        self.families.add(name)
        self.items += 1


async def searched(responses: int, log: "list[str]") -> dict[str, Any]:
    planted = Planted()
    names = Random(7).sample(registry.names(), len(registry.names()))
    options = {"tries": 3, "levels": [0.25, 0.6], "sessions": 1_000_000}
    asked = Asked(server_of(names, options, run=planted), planted)
    app, search, place = app_of(asked.server), asked.search, 0
    while search.responses < responses:
        number, family = divmod(place, len(names))
        await asked.about(app, names[family], number)
        place += 1
    suspects = sorted({search.found[each] for each in search.leaks()})
    for name in suspects:
        for number in range(place // len(names) + 1, place // len(names) + 1 + MORE):
            await asked.about(app, name, number)
    asked.server.close()
    golds = [gold for gold in asked.golds if len(gold) >= SURE]
    return {
        "responses": search.responses,
        "families": len(asked.families),
        "items": asked.items,
        "suspected": suspects,
        "with_gold": len(search.leaks()),
        "fields_of_gold": sorted(search.fields),
        "numbers_not_known": sorted(search.numbers - NUMBERS),
        "lines_logged": len(log),
        "golds_in_log": sum(any(gold in line for line in log) for gold in golds),
        "doors_with_equal_prompts": len(asked.doors),
        "prompts_unequal": len(asked.unequal),
        "examples": [*search.leaks()[:8], *asked.unequal[:8]],
    }


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=int, default=100_000)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("result.json"))
    options = parser.parse_args()
    log = _Log()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.DEBUG)
    found = asyncio.run(searched(options.responses, log.lines))
    before = json.loads(options.out.read_text()) if options.out.exists() else {}
    options.out.write_text(json.dumps(before | {"gold": found}, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
