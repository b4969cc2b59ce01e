"""One of a few: a letter, a word, yes or no."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from puzzlemill.core.answers.form import concluded, plain, verbatim

LONGEST = 2000  # characters of an option with its text

_LEAD = re.compile(
    r"(?:(?:i|we)\s(?:choose|chose|pick|select|say)\s|(?:(?:the|my|our)\s)?(?:(?:correct|right|best"
    r"|final)\s)?(?:option|choice|answer|letter|alternative)"
    r"(?:\s?:|\sis:?|\s?=)?\s?(?=\s|[(\[\"'*]))",
    re.IGNORECASE,
)
_BRACKETS = ("()", "[]", "{}")
_SPLIT = re.compile(
    r"\(([^()]{1,200})\)\s?[.:-]?\s(.+)|([^\s.:)]{1,200})(?:[.:)]|\s-)\s(.+)", re.DOTALL
)
_YES = re.compile(
    r"(?:yes|true)(?:,?\s(?:it|they|he|she|there|this|that|we|you|one)\s(?:is|are|does|do|can"
    r"|will|has|have|was|were|would|could)(?:\s(?:possible|true|correct|right|so|the\scase|hold))?"
    r"|,?\s(?:it|this|that)\sholds)?"
)
_NO = re.compile(
    r"(?:no|false)(?:,?\s(?:it|they|he|she|there|this|that|we|you|one)\s(?:(?:is|are|does|do"
    r"|will|has|have|was|were|would|could)(?:\snot|n't)(?:\shold)?|cannot|can't|can\snot|won't)"
    r"(?:\s(?:possible|true|correct|right|so|the\scase))?"
    r"|,?\s(?:it|this|that)\sis\s(?:false|wrong|incorrect|untrue))?"
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some options, in any case; "(B)", "B)" and "option B" are B.

    `also` holds other names of each option; `texts`, what each stands for: "B. Paris" and "Paris"
    are then read too, and "B. London" is not if that is the text of another.
    """

    options: tuple[str, ...]
    also: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        return f"one of {', '.join(self.options)}"

    def read(self, text: str) -> str | None:
        if text.isalnum() and text.isascii() and text in self.options:
            return text
        bare = verbatim(verbatim(text).rstrip(" ."))
        if bare.startswith("=") and any(option.startswith("=") for option in self.options):
            return bare if bare in self.options else None  # elsewhere "=" before an answer goes
        bare_text, text = verbatim(text), plain(text)
        if len(text) > LONGEST:
            return None
        bare = concluded(text)
        led = _LEAD.match(bare)
        for said in (text, plain(bare[led.end() :] if led else bare)):
            for bare in (said, _unbracketed(said)):
                if (found := self._option(bare)) is not None:
                    return found
        return self._with_text(bare_text) or self._with_text(said)

    def _option(self, said: str) -> str | None:
        """The one option that a text names: to the letter, else as it sounds, else by its text."""
        if said in self.options:
            return said
        named = self.also or ((),) * len(self.options)
        by_name = {
            option
            for option, names in zip(self.options, named, strict=True)
            if _sound(said) in {_sound(name) for name in (option, *names)}
        }
        if len(by_name) == 1 and _sound(said):
            return by_name.pop()
        by_text = {
            option for option, text in zip(self.options, self.texts) if _sound(text) == _sound(said)
        }
        return by_text.pop() if len(by_text) == 1 and not by_name and _sound(said) else None

    def _with_text(self, said: str) -> str | None:
        """ "B. Paris", where the text is that of B."""
        found = _SPLIT.fullmatch(said.replace("**", "")) if self.texts else None
        if not found:
            return None
        option = self._option(found[1] or found[3])
        if option is None:
            return None
        text, told = self.texts[self.options.index(option)], found[2] or found[4]
        alike = {_sound(told), _sound(plain(told))}
        return None if alike.isdisjoint((_sound(text), _sound(text) + ".")) else option

    def among(self, known: Sequence[str]) -> "Choice":
        """With the options' texts, where each prompt tells others."""
        return replace(self, texts=tuple(known))

    def write(self, answer: str) -> str:
        return answer

    def ways(self, answer: str) -> list[str]:
        place = self.options.index(answer)
        found = [f"({answer})", f"[{answer}]", f"\\text{{({answer})}}", f"Option {answer}"]
        found += [
            f"option ({answer})",
            f'{{"answer": "{answer}"}}',
            f"The correct choice is {answer}",
        ]
        found += [f"\\textbf{{{answer}}}", f"It is {answer}"]
        if len({_sound(option) for option in self.options}) == len(self.options):
            found += [answer.upper(), answer.lower(), answer.capitalize()]
        if len(answer) == 1 and answer.isalnum():
            found += [f"{answer})", f"{answer}:"]
        found += self.also[place][:3] if self.also else ()
        if self.texts:
            text = self.texts[place]
            found += [f"{answer}. {text}", f"({answer}) {text}", f"{answer}) {text}"]
        return found

    def near(self, answer: str, rng: Random) -> str:
        others = [option for option in self.options if option != answer]
        return rng.choice(others) if others else answer

    def guess(self, answer: str, rng: Random) -> str:
        return rng.choice(self.options)


@dataclass(frozen=True, slots=True)
class YesNo:
    """Yes or no; true and false will do, but no letter: N may be a node. The value is a bool."""

    form: str = "yes or no"

    def read(self, text: str) -> bool | None:
        said = plain(concluded(plain(text))).rstrip("!").lower()
        said = re.sub(r"\s{1,99}", " ", said[:100]) if len(said) < 100 else ""
        for bare in (said, _unbracketed(said)):
            if _YES.fullmatch(bare):
                return True
            if _NO.fullmatch(bare):
                return False
        return None

    def write(self, answer: bool) -> str:
        return "yes" if answer else "no"

    def ways(self, answer: bool) -> list[str]:
        if answer:
            return ["Yes", "YES", "true", "True", "Yes, it is", "Yes!", "Yes, it holds",
                    "\\text{Yes}",
                    '{"answer": "yes"}', '{"answer": true}', "It is true"]  # fmt: skip
        return ["No", "NO", "false", "False", "No, it is not", "No, it does not hold",
                    "No, it isn't", "\\text{No}",
                '{"answer": "no"}', '{"answer": false}', "It is false"]  # fmt: skip

    def near(self, answer: bool, rng: Random) -> bool:
        return not answer

    def guess(self, answer: bool, rng: Random) -> bool:
        return rng.random() < 0.5


def _unbracketed(text: str) -> str:
    """ "(B)", "B)", "B:" and "B." as B."""
    if len(text) > 2 and text[0] + text[-1] in _BRACKETS:
        return text[1:-1].strip()
    return text[:-1].strip() if len(text) > 1 and text[-1] in "):." else text


def _sound(text: str) -> str:
    """A text without case, and without spaces and hyphens between its words."""
    return re.sub(r"(?<=\w)[\s_-]{1,5}(?=\w)", "", text.lower())
