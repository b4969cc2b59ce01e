"""A policy that adds up the numbers of a prompt, and is wrong about every second one."""

import re
from collections.abc import Sequence

from puzzlemill.difficulty.policies.kinds import Kind
from puzzlemill.difficulty.policies.policy import Question, Reply


class Adder:
    id = "adder"

    def takes(self, question: Question) -> bool:
        return not question.images

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [[self._reply(question, each) for each in range(n)] for question in questions]

    def _reply(self, question: Question, number: int) -> Reply:
        numbers = map(int, re.findall(r"\d+", question.messages[-1]["content"]))
        return Reply(f"<answer>{sum(numbers) + (question.seed + number) % 2}</answer>")


POLICY = Kind(lambda settings: Adder(), model=False)
