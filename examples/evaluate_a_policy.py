"""Measure how often a policy of your own solves some items.

A policy is any object with `id`, `takes` and `sample`. This one calls no model.
"""

import re

import puzzlemill as pm


class Adder:
    """Adds up the signed numbers of a prompt, but gives up on more than six."""

    id = "adder/1"  # names the weights and the sampling settings

    def takes(self, question: pm.Question) -> bool:
        return not question.images

    def sample(self, questions: list[pm.Question], n: int) -> list[list[pm.Reply]]:
        return [[self.reply(question)] * n for question in questions]

    def reply(self, question: pm.Question) -> pm.Reply:
        numbers = [int(each) for each in re.findall(r"[-+]?\d+", str(question.messages))]
        return pm.Reply(f"<answer>{sum(numbers) if len(numbers) <= 6 else 0}</answer>")


for level in (0.0, 0.25, 0.5, 0.75, 1.0):
    posteriors = pm.score(pm.generate("sums", level=level, n=12), Adder(), replies=1)
    solved = sum(each.successes for each in posteriors if each)
    print(f"level {level}: {solved} of {len(posteriors)} solved")
