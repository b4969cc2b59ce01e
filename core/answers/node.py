"""One node of a graph."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core.answers.flat_list import node_ways, parted
from puzzlemill.core.answers.names import another, made_up, read_word, titled
from puzzlemill.core.answers.spelling import tidy

_LED = re.compile(r"\A(?:(?:the )?(?:name|node|vertex|person|city))(?: is|:) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    """The name of one node, in lower case: "3", "node 3", "Anna"."""

    form: str = "the name of one node"
    known: tuple[str, ...] = ()

    def read(self, text: str) -> str | None:
        found = parted(_LED.sub("", tidy(text), count=1), "nodes")
        words = found.items if found and found.between in ("", " ") else ()
        return read_word(" ".join(words), "nodes")

    def write(self, answer: str) -> str:
        return answer

    def ways(self, answer: str) -> list[str]:
        names = [answer, titled(answer)]
        ways = [f"{noun} {name}" for name in names for noun in ("node", "Node", "vertex")]
        ways += [f"The node is {name}" for name in names] + node_ways([answer])
        return [*ways, *names, f"\\text{{{answer}}}", f'"{answer}"', f"**{answer}**", f"[{answer}]"]

    def near(self, answer: str, rng: Random) -> str:
        return str(another(answer, self.known, rng))

    def guess(self, answer: str, rng: Random) -> str:
        return rng.choice(self.known) if self.known else made_up(answer, rng)

    def among(self, known: Sequence[str]) -> "Node":
        return replace(self, known=tuple(name.lower() for name in known))
