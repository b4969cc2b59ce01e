"""Whole numbers as products of powers, such as 2^3 * 5."""

import re
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.algebra.statement import bare
from puzzlemill.core.answers.form import unnamed

DIGITS, EXPONENT, MOST = 100, 10_000, 200  # of a factor; its exponent; factors
BITS = 20_000  # of a product that is compared with a number said to be equal

Powers: TypeAlias = tuple[tuple[int, int], ...]  # each factor with its exponent, sorted

_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,5}")
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FACTOR = re.compile(
    r"(\d{1,100})\s{0,9}(?:(?:\^|\*\*)\s{0,9}(?:\{\s{0,9}(\d{1,5})\s{0,9}\}|\(\s{0,9}(\d{1,5})\s{0,9}\)|(\d{1,5})))?",
    re.ASCII,
)
_TIMES = re.compile(r"\s*(?:\*|\\(?:times|cdot|ast)(?![A-Za-z])|[xX✕⨯])\s*")
_JSON = re.compile(r"\s*[\"']?(\d{1,100})[\"']?\s*:\s*(\d{1,5})\s*", re.ASCII)
_WHOLE = re.compile(r"\s*(\d{1,3}(?:,\d{3}){1,30}|\d{1,400})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class PrimeFactors:
    """Factors with their exponents, sorted; whether they are prime is for `verify` to see."""

    form: str = "the prime factors with their exponents, such as 2^3 * 5 * 7^2"

    def read(self, text: str) -> Powers | None:
        text = _RAISED.sub(lambda found: f"^{found[0].translate(_LOWERED)}", _unraised(bare(text)))
        *working, last = unnamed(text).split("=")
        if working and _WHOLE.fullmatch(last):
            working, last = [*working[:-1], last], working[-1]  # 2^3 * 5 = 40
        found = _product(last)
        if found is None:
            return None
        for part in working:
            number = _WHOLE.fullmatch(part)
            if number is None or int(number[1].replace(",", "")) != product(found):
                return None
        return found

    def write(self, answer: Powers) -> str:
        powers = (f"{base}^{times}" if times > 1 else str(base) for base, times in answer)
        return " * ".join(powers) or "1"

    def ways(self, answer: Powers) -> list[str]:
        text = self.write(answer)
        latex = " \\times ".join(_latex(base, times) for base, times in answer) or "1"
        ways = [latex, latex.replace("\\times", "\\cdot"), text.replace("*", "×")]
        ways += [text.replace("^", "**"), text.replace(" * ", "·"), text.replace("*", "x")]
        ways += [
            " * ".join(f"({part})" for part in text.split(" * ")),
            f"n = {text}",
            f"${latex}$",
            f"\\[{latex}\\]",
        ]
        ways += [" * ".join(reversed(text.split(" * ")))]
        if sum(times for _, times in answer) <= 20 and answer:
            each = [str(base) for base, times in answer for _ in range(times)]
            ways += [" × ".join(each), " \\cdot ".join(each), f"[{', '.join(each)}]"]
        if answer and (whole := product(answer)) is not None and whole < 10**30:
            ways += [f"{whole} = {text}", f"{text} = {whole}"]
            ways += ["{" + ", ".join(f"{base}: {times}" for base, times in answer) + "}"]
        return [way for way in dict.fromkeys(ways) if way != text][:15]

    def near(self, answer: Powers, rng: Random) -> Powers:
        found = Counter(dict(answer)) or Counter({1: 1})
        base = rng.choice(sorted(found))
        match rng.randrange(4):
            case 0:
                found[base] += 1
            case 1 if found[base] > 1:
                found[base] -= 1
            case 2 if len(found) > 1:
                del found[base]
            case _:
                times = found.pop(base)
                found[base + rng.choice([1, 2])] += times
        return () if found == {1: 1} else tuple(sorted(found.items()))

    def guess(self, answer: Powers, rng: Random) -> Powers:
        top = max((base for base, _ in answer), default=2)
        primes = [
            base for base in range(2, min(top, 50) + 1) if all(base % d for d in range(2, base))
        ]
        found = Counter({rng.choice(primes): rng.randint(1, max(1, times)) for _, times in answer})
        return tuple(sorted(found.items()))


def product(answer: Powers) -> int | None:
    """The number, unless it is very long."""
    if sum(base.bit_length() * times for base, times in answer) > BITS:
        return None
    found = 1
    for base, times in answer:
        found *= base**times
    return found


def _unraised(text: str) -> str:
    """No text with a raised digit that stands on nothing: it would turn into a sign of power."""
    return "" if re.search("(?:^|[^0-9⁰¹²³⁴⁵⁶⁷⁸⁹])[⁰¹²³⁴⁵⁶⁷⁸⁹]", text) else text


def _product(text: str) -> Powers | None:
    text = text.strip()
    if pairs := _dictionary(text):
        return pairs
    found: Counter[int] = Counter()
    for part in _parts(text):
        factor = _FACTOR.fullmatch(_unbracketed(part))
        if factor is None:
            return None
        times = int(factor[2] or factor[3] or factor[4] or 1)
        if not 0 < times <= EXPONENT or len(found) >= MOST:
            return None
        found[int(factor[1])] += times
    if found == {1: 1}:
        return ()
    return tuple(sorted(found.items())) or None


def _parts(text: str) -> list[str]:
    """The factors: between signs, side by side in brackets, or in a list."""
    if (len(text) > 1 and text[0] + text[-1] in ("[]", "{}")) or (
        text[:1] + text[-1:] == "()" and "," in text
    ):
        text = text[1:-1]
    if "," in text:
        return [part.strip() for part in text.split(",")]
    text = re.sub(r"\)\s*\(", ") * (", text)
    return _TIMES.split(re.sub(r"\s*\*\*\s*", "^", text))


def _unbracketed(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def _dictionary(text: str) -> Powers | None:
    """{2: 3, 5: 1}."""
    if not (text.startswith("{") and text.endswith("}") and ":" in text):
        return None
    found: dict[int, int] = {}
    for part in text[1:-1].split(","):
        pair = _JSON.fullmatch(part)
        if pair is None or int(pair[1]) in found or not 0 < int(pair[2]) <= EXPONENT:
            return None
        found[int(pair[1])] = int(pair[2])
    return tuple(sorted(found.items()))


def _latex(base: int, times: int) -> str:
    return f"{base}^{{{times}}}" if times > 1 else str(base)
