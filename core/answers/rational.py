"""Exact rational numbers: integers, fractions, mixed numbers, decimals."""

from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.algebra.exact import evaluate
from puzzlemill.core.answers.algebra.statement import Words, read_tree
from puzzlemill.core.answers.algebra.tokens import VULGAR
from puzzlemill.core.answers.form import concluded, plain, unnamed
from puzzlemill.core.answers.rational_notation import LONGEST, approximated, read_ratio, stated
from puzzlemill.core.answers.whole import Integer
from puzzlemill.core.fraction import Fraction


@dataclass(frozen=True, slots=True)
class Number:
    """One rational number: an integer, a fraction, a mixed number, or a decimal that is exactly it.

    A unit behind it is taken off unless it changes the value, or none is allowed.
    """

    form: str = "a number (an integer or a fraction in lowest terms, such as -7/2)"
    units: bool = True

    def read(self, text: str) -> Fraction | None:
        text = plain(text)
        exact, about = approximated(plain(unnamed(stated(concluded(text)))))
        if len(exact) <= LONGEST:
            *working, last = exact.split("=")
            value = read_ratio(last, self.units)
            if value is not None:
                right = about is None or rounds_to(value, about)
                right = right and all(_comes_to(part, value) for part in working)
                return value if right else None
        if about is not None:
            return None
        whole = Integer(units=self.units).read(text)  # words, or working with a result
        return None if whole is None else Fraction(whole)

    def write(self, answer: Fraction) -> str:
        return str(answer)

    def ways(self, answer: Fraction) -> list[str]:
        minus, size = "-" if answer < 0 else "", abs(answer)
        above, below = size.numerator, size.denominator
        ways = [f"x = {answer}", f"= {answer}", f"\\({answer}\\)"]
        ways += [f"\\text{{{answer}}}", f'{{"answer": "{answer}"}}']
        if below == 1:
            ways += [f"{answer}.0", f"{minus}\\frac{{{above}}}{{1}}", f"{minus}{above:,}"]
        else:
            ways += [f"{minus}\\{sign}{{{above}}}{{{below}}}" for sign in ("frac", "dfrac")]
            ways += [f"\\frac{{{minus}{above}}}{{{below}}}", f"{minus}({above}/{below})"]
            ways += [f"{minus}{2 * above}/{2 * below}", f"{minus}{above} / {below}"]
            ways += [sign for sign, ratio in VULGAR.items() if ratio == str(answer)]
        if above > below > 1:
            whole, rest = divmod(above, below)
            ways += [f"{minus}{whole}\\frac{{{rest}}}{{{below}}}"]
            if rest < 100:
                ways += [f"{minus}{whole} {rest}/{below}"]
        if below > 1 and (decimal := decimal_text(answer)):
            ways += [decimal]
        return [way for way in dict.fromkeys(ways) if way != str(answer)]

    def near(self, answer: Fraction, rng: Random) -> Fraction:
        return rng.choice([answer + 1, -answer, answer * 2, answer + Fraction(1, 2), 1 - answer])

    def guess(self, answer: Fraction, rng: Random) -> Fraction:
        top = 10 ** max(1, len(str(abs(answer.numerator))))
        return Fraction(rng.randrange(-top if answer < 0 else 0, top), answer.denominator)


def _comes_to(text: str, value: Fraction) -> bool:
    """Whether working such as "1/2 + 1/3" has a value; a label may have any."""
    if read_ratio(text, units=False) == value or unnamed(f"{text.strip()} = 1") == "1":
        return True
    tree = read_tree(text, Words(()))
    return tree is not None and evaluate(tree) == value


def decimal_text(value: Fraction) -> str:
    """The decimal that a fraction is exactly, if it is a short one."""
    for places in range(1, 13):
        if (10**places) % value.denominator == 0:
            return fixed(value, places)
    return ""


def fixed(value: Fraction, places: int) -> str:
    """A value rounded to so many decimal places."""
    scaled = round(value * 10**places)
    digits = f"{abs(scaled):0{places + 1}d}"
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return ("-" if scaled < 0 else "") + whole + ("." + part if places else "")


def rounds_to(value: Fraction, about: Fraction | None) -> bool:
    """Whether a decimal could stand for the value, rounded or cut off after its last digit."""
    if about is None:
        return False
    places = next((n for n in range(60) if (10**n) % about.denominator == 0), 60)
    apart = (abs(value) - abs(about)) * 10**places
    return value * about >= 0 and Fraction(-1, 2) <= apart < 1  # rounded, or cut off
