"""One of a fixed set of words: yes/no, a letter, a direction."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import plain


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some options, in any case; "(B)", "B)" and "option B" are B."""

    options: tuple[str, ...]

    @property
    def form(self) -> str:
        return f"one of {', '.join(self.options)}"

    def read(self, text: str) -> str | None:
        text = plain(text).lower().removeprefix("option ").strip("()[] .:")
        return next((option for option in self.options if option.lower() == text), None)

    def write(self, answer: str) -> str:
        return answer

    def near(self, answer: str, rng: Random) -> str:
        return rng.choice([option for option in self.options if option != answer])

    def guess(self, answer: str, rng: Random) -> str:
        return rng.choice(self.options)
