"""Decimals that are exact: how they are written, and answers that are such numbers."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.answers.rational import fixed
from puzzlemill.core.fraction import Fraction

LONGEST = 60  # decimal places that are looked at

_NUMBER = answers.Number()


def places_of(value: Fraction) -> int | None:
    """How many decimal places a number has; None for one that no decimal is exactly."""
    left, twos, fives = value.denominator, 0, 0
    while left % 2 == 0:
        left, twos = left // 2, twos + 1
    while left % 5 == 0:
        left, fives = left // 5, fives + 1
    return max(twos, fives) if left == 1 else None


def decimal(value: Fraction) -> str:
    """The decimal, or a fraction where there is none of a bearable length."""
    places = places_of(value)
    return str(value) if places is None or places > LONGEST else fixed(value, places)


def shown(units: int, places: int) -> str:
    """So many units of the last decimal place: 375 with 2 places is 3.75, 300 is 3.00."""
    digits = f"{abs(units):0{places + 1}d}"
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if units < 0 else "") + whole + ("." + part if places else "")


@dataclass(frozen=True, slots=True)
class Exact:
    """A number whose exact value is a short decimal; a fraction that is equal is read too."""

    form: str = "an exact decimal number, not rounded, such as -12.375"
    units: bool = True

    def read(self, text: str) -> Fraction | None:
        return answers.Number(units=self.units).read(text)

    def write(self, answer: Fraction) -> str:
        return decimal(answer)

    def ways(self, answer: Fraction) -> list[str]:
        text = self.write(answer)
        found = [*_NUMBER.ways(answer), str(answer), f"x = {text}", f"\\text{{{text}}}"]
        found += [f'{{"answer": {text}}}' if "/" not in text else text, f"= {text}"]
        if "." in text:
            found += [f"{text}0", f"${text}$"]
        return [way for way in dict.fromkeys(found) if way != text]

    def near(self, answer: Fraction, rng: Random) -> Fraction:
        unit = Fraction(1, 10 ** min(places_of(answer) or 0, LONGEST))
        return rng.choice([answer + unit, answer - unit, answer * 10, answer / 10, -answer]) or unit

    def guess(self, answer: Fraction, rng: Random) -> Fraction:
        places = min(places_of(answer) or 0, LONGEST)
        top: int = 10 ** (max(1, len(str(abs(int(answer))))) + places)
        return Fraction(rng.randrange(-top if answer < 0 else 0, top), 10**places)
