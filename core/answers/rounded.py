"""Numbers rounded to so many decimal places."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import HEDGES, plain
from puzzlemill.core.answers.rational import Number, fixed, rounds_to
from puzzlemill.core.fraction import Fraction

_HAIR = Fraction(1, 10**9)  # of a unit of the last place, for truths that are rounded themselves
_ABOUT = re.compile(
    r"^(.{0,200}?)(?:≈|≃|~|\\(?:approx|simeq|sim)(?![A-Za-z])|\b(?:approximately|approx\.?)(?=\s))\s{0,9}",
    re.IGNORECASE | re.DOTALL,
)
_LABEL = re.compile(r"(?:\\?[^\W\d_]\w{0,15}(?:\s\w{1,15}){0,4})?(?:\s?=|\sis|:)?\s{0,9}")
_ROUNDING = re.compile(
    r"\s{0,9}\(?(?:(?:when )?rounded )?to (?:\d|one|two|three|four|five|six) (?:decimal|d\.?p\.?)"
    r"(?: ?places?)?\)?$",
    re.IGNORECASE,
)
_DOTS = re.compile(r"(?<=\d)\s{0,9}(?:\.\.\.|…|\\[lc]?dots)\s{0,9}$")


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number as it is given, a decimal or a fraction; `write` rounds it. See `close`."""

    places: int = 2
    units: bool = True

    @property
    def form(self) -> str:
        example = fixed(Fraction(31415926535, 10**10), self.places)
        if not self.places:
            return f"a number rounded to the nearest integer, such as {example}"
        places = f"{self.places} decimal place{'s' if self.places > 1 else ''}"
        return f"a decimal number rounded to {places}, such as {example}"

    def read(self, text: str) -> Fraction | None:
        number = Number(units=self.units)
        text = _ROUNDING.sub("", plain(text))
        found = number.read(text)
        if found is None and _DOTS.search(text):
            found = number.read(_DOTS.sub("", text))  # 3.14159...
        if found is not None:
            return found
        about = _ABOUT.match(text)
        if about is None:
            return None
        value = number.read(_DOTS.sub("", text[about.end() :]))
        exact = about[1].strip()
        if value is None or _LABEL.fullmatch(exact):
            return None if HEDGES.intersection(exact.lower().split()) else value
        before = number.read(exact)
        return before if before is not None and rounds_to(before, value) else None

    def write(self, answer: Fraction) -> str:
        return fixed(answer, self.places)

    def ways(self, answer: Fraction) -> list[str]:
        text = self.write(answer)
        ways = [f"x = {text}", f"\\approx {text}", f"≈ {text}", f"x ≈ {text}", f"\\({text}\\)"]
        ways += [f"approximately {text}", f'{{"answer": {text}}}', f"\\text{{{text}}}"]
        ways += [f"{text} (rounded to {self.places} decimal places)"]
        if "." in text:
            ways += [f"{text}0", text.rstrip("0").rstrip(".")]
        whole, _, part = text.partition(".")
        if abs(answer) >= 1000:
            ways += [f"{int(whole):,}" + (f".{part}" if part else "")]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: Fraction, rng: Random) -> Fraction:
        """At least two units of the last place away, so that no truth lies between."""
        unit = Fraction(1, 10**self.places)
        start = Fraction(round(answer / unit)) * unit
        steps = [2 * unit, -2 * unit, 10 * unit, Fraction(1), Fraction(-1), start, -2 * start]
        far = [start + step for step in steps if abs(step) >= 2 * unit]
        return rng.choice(far)

    def guess(self, answer: Fraction, rng: Random) -> Fraction:
        top = 10 ** (max(1, len(str(abs(int(answer))))) + self.places)
        return Fraction(rng.randrange(-top if answer < 0 else 0, top), 10**self.places)


def close(answer: Fraction, truth: Fraction, places: int) -> bool:
    """Whether an answer is within half a unit of the last place of the exact truth."""
    units: int = 10**places
    return abs(answer - truth) * units <= Fraction(1, 2) + _HAIR
