"""Strings of brackets: ([]{}), complete or in want of completion."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import layers

MOST = 5000  # brackets

_SPELLED = {
    "\\langle": "<", "\\rangle": ">", "\\lbrace": "{", "\\rbrace": "}", "\\lbrack": "[",
    "\\rbrack": "]", "\\lparen": "(", "\\rparen": ")", "\\{": "{", "\\}": "}", "\\lt": "<",
    "\\gt": ">", "&lt;": "<", "&gt;": ">",
}  # fmt: skip
_NAMED = re.compile("|".join(f"{re.escape(name)}(?![a-z])" for name in _SPELLED))
_SAME = str.maketrans(
    "\u27e8\u27e9\u3008\u3009\u2329\u232a\uff08\uff09\uff3b\uff3d\uff5b\uff5d\uff1c\uff1e",
    "<><><>()[]{}<>",
)
_NOISE = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle)(?![A-Za-z])|\\[,;:! ]|\s")


@dataclass(frozen=True, slots=True)
class Brackets:
    """A string over some brackets; spaces between them and LaTeX's escapes do not count."""

    signs: str = "()[]{}<>"

    @property
    def form(self) -> str:
        return f"a string of brackets {self.signs}"

    def read(self, text: str) -> str | None:
        for layer in layers(text):
            said = _NOISE.sub("", layer.translate(_SAME))
            said = _NAMED.sub(lambda name: _SPELLED[name[0]], said)
            if 0 < len(said) <= MOST and all(sign in self.signs for sign in said):
                return said
        return None

    def write(self, answer: str) -> str:
        return answer

    def ways(self, answer: str) -> list[str]:
        spaced = " ".join(answer)
        escaped = answer.replace("{", "\\{").replace("}", "\\}")
        escaped = escaped.replace("<", "\\langle ").replace(">", "\\rangle ").strip()
        full = answer.translate({ord(sign): wide for wide, sign in zip("（）［］", "()[]")})
        ways = [spaced, f"`{spaced}`", escaped, f"$ {escaped} $", full, f"Brackets: {answer}"]
        return [f'{{"answer": "{answer}"}}', f"```\n{spaced}\n```", *ways[:-1]]

    def near(self, answer: str, rng: Random) -> str:
        place = rng.randrange(len(answer))
        match rng.randrange(3):
            case 0 if len(answer) > 1:
                return answer[:place] + answer[place + 1 :]
            case 1:
                return answer[:place] + rng.choice(self.signs) + answer[place:]
            case _:
                others = [sign for sign in self.signs if sign != answer[place]]
                return answer[:place] + rng.choice(others) + answer[place + 1 :]

    def guess(self, answer: str, rng: Random) -> str:
        return "".join(rng.choice(self.signs) for _ in answer)
