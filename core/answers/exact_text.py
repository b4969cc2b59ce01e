"""A text to the letter: case, punctuation and inner spaces count."""

import json
import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import layers, verbatim

LONGEST = 10_000  # characters

_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2212\u2010\u2011\u2012\u2013", "-"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    }
)
_ESCAPED = re.compile(r"\\([_%#&])")
_DISPLAY = re.compile(r"\\displaystyle\s{1,9}")
_EXACT = ('"', "'", "`", "~~~", "{")  # what stands inside these is content to its last full stop
_MARKS = (*"*_$`'\"~{\\#=",)  # at an end they might be taken for dressing
_FRAMES = (("", ""), ('"', '"'), ("'", "'"), ("`", "`"), ("```\n", "\n```"), ("~~~\n", "\n~~~"))


@dataclass(frozen=True, slots=True)
class Text:
    """A text; what a reader of a reply cannot tell from dressing is not part of it.

    That is: spaces at the ends of lines, typographic quotes and dashes, wrappers around the whole
    and, unless it stands in quotes, a full stop at the end or a lead-in ("Answer:").
    """

    case: bool = True
    quoted: bool = False  # whether it is asked for in double quotes; else only where it needs them

    @property
    def form(self) -> str:
        return f"the exact text{', in double quotes' if self.quoted else ''}"

    def read(self, text: str) -> str | None:
        answer = self._said(text)
        return None if answer is None or self._written(answer) is None else answer

    def _said(self, text: str) -> str | None:
        text = text.translate(_SAME)
        if len(text) > LONGEST:
            return None
        peeled = layers(_DISPLAY.sub("", text))
        bare = peeled[0] if self.quoted else peeled[-1]
        said = verbatim(next(filter(_is_exact, peeled), bare))
        said = "\n".join(line.strip() for line in _ESCAPED.sub(r"\1", said).split("\n")).strip()
        return (said if self.case else said.lower()) or None

    def _written(self, answer: str) -> str | None:
        """The text in the first frame from which it is read back."""
        bare = not self.quoted and answer[:1] not in _MARKS and answer[-1:] not in _MARKS
        for left, right in _FRAMES[0 if bare else 1 :]:
            if self._said(f"{left}{answer}{right}") == answer:
                return f"{left}{answer}{right}"
        return None

    def write(self, answer: str) -> str:
        written = self._written(answer)
        assert written is not None, f"{answer!r} cannot be told from its dressing"
        return written

    def ways(self, answer: str) -> list[str]:
        written = self.write(answer)
        framed = [f"{left}{answer}{right}" for left, right in _FRAMES[1:]]
        ways = [*framed, f"\u201c{answer}\u201d", json.dumps({"answer": answer})]
        ways += [f"Answer: `{answer}`", f"\\text{{{written}}}", f"Answer:\n{written}"]
        return [way for way in ways if way != written and self.read(way) == answer]

    def near(self, answer: str, rng: Random) -> str:
        for _ in range(9):
            place = rng.randrange(len(answer))
            changed = rng.choice(
                [
                    answer[:place] + answer[place + 1 :],
                    answer[:place] + rng.choice(answer) + answer[place + 1 :],
                    answer[:place] + answer[place].swapcase() + answer[place + 1 :],
                    answer[:place] + rng.choice(answer) + answer[place:],
                ]
            )
            wider = changed.count("  ") > answer.count("  ")  # that would be seen at once
            if changed and not wider and self.read(self._written(changed) or "") == changed:
                return changed
        return f"{answer}x"

    def guess(self, answer: str, rng: Random) -> str:
        signs = sorted(set(answer) - {"\n"}) or ["a"]
        guessed = "".join(rng.choice(signs) for _ in answer)
        return guessed if self._written(guessed) else "".join(rng.choice("abc") for _ in answer)


def _is_exact(layer: str) -> bool:
    return layer.startswith(_EXACT) and verbatim(layer) != layer
