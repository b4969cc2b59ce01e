"""Whole numbers written in another base."""

import re
from dataclasses import dataclass
from random import Random
from string import ascii_uppercase, digits

from puzzlemill.core.answers.form import concluded, plain, unnamed

LONGEST = 1000  # digits
ALPHABET = digits + ascii_uppercase

_PREFIXES = {2: "0b", 8: "0o", 16: "0x"}
_NAMES = {2: "binary", 8: "octal", 10: "decimal", 16: "hexadecimal"}
_WORDS = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 11: "eleven", 12: "twelve", 16: "sixteen", 20: "twenty",
}  # fmt: skip
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LOWERED = re.compile("[₀-₉]{1,2}$")
_TEX = re.compile(r"\\(?:texttt|mathtt|mathsf)\s?\{([^{}]*)\}")
_MARK = re.compile(
    r"\s?_\s?(?:\{\s?\(?\s?([0-9a-z]{1,7})\s?\)?\s?\}|\(\s?([0-9a-z]{1,7})\s?\)|([0-9a-z]{1,7}))$"
    r"|\s?\(?\b(?:in\s)?base[ -]([0-9a-z]{1,7})\)?$"
    r"|\s\(?(?:in\s)?(binary|octal|decimal|hex(?:adecimal)?)\)?$",
    re.IGNORECASE | re.ASCII,
)
_TEN = re.compile(r"\s*(-?\d{1,300})\s?(?:_\s?(?:\{10\}|10)|₁₀)?\s*", re.ASCII)
_SIZES = (3, 4, 8)  # of groups of digits


@dataclass(frozen=True, slots=True)
class BaseN:
    """A whole number written in a base from 2 to 36; the base may be marked, as long as rightly."""

    base: int = 2

    @property
    def form(self) -> str:
        name = f" ({_NAMES[self.base]})" if self.base in _NAMES else ""
        letters = f", with the digits 0-9 and A-{ALPHABET[self.base - 1]}" if self.base > 10 else ""
        example = self.write(self.base**2 + self.base - 1)
        return f"a whole number written in base {self.base}{name}{letters}, such as {example}"

    def read(self, text: str) -> int | None:
        text = _TEX.sub(r"\1", plain(concluded(plain(text))))
        if len(text) > 2 * LONGEST:
            return None
        *working, last = text.split("=")
        found = self._marked(last)
        if found is None or any(not self._says(part, found) for part in working):
            return None
        return found

    def _says(self, text: str, value: int) -> bool:
        """Whether a left side is a label, or the same number in this base or in base ten."""
        if (ten := _TEN.fullmatch(text)) and int(ten[1]) == value:
            return True
        own = self._marked(text)
        return own == value if own is not None else unnamed(f"{text}= 1") == "1"

    def _marked(self, text: str) -> int | None:
        text = text.strip()
        marked = False
        if low := _LOWERED.search(text):
            marked = True
            if low[0] != str(self.base).translate(_LOW):
                return None
            text = text[: low.start()]
        elif mark := _MARK.search(text):
            said = next(group for group in mark.groups() if group).lower()
            if self._is_mark(said, text, mark):
                text, marked = text[: mark.start()], True
            elif mark[3] is None:
                return None
        text = text.strip()
        if text[:1] == "(" and text[-1:] == ")":
            text = text[1:-1].strip()
        sign = 1
        if text[:1] in ("+", "-"):
            sign, text = (-1 if text[0] == "-" else 1), text[1:].lstrip()
        prefix = text[:2].lower()
        if prefix in _PREFIXES.values() and len(text) > 2:
            if prefix == _PREFIXES.get(self.base) and prefix[1].upper() not in self._digits():
                text = text[2:].removeprefix("_")
            elif prefix[1].upper() not in self._digits() or not marked:
                return None  # another base, or a number that begins with 0B
        return None if (found := self._value(text)) is None else sign * found

    def _is_mark(self, said: str, text: str, mark: re.Match[str]) -> bool:
        """Whether what ends the text names this base; "1_16" might be grouped digits instead."""
        own = {str(self.base), _WORDS.get(self.base, ""), _NAMES.get(self.base, "")}
        if self.base == 16:
            own.add("hex")
        return said in own and (mark[3] is None or text.count("_") == 1)

    def _digits(self) -> str:
        return ALPHABET[: self.base]

    def _value(self, text: str) -> int | None:
        """Bare digits, whole or in groups of one size."""
        text = text.replace("{,}", ",")
        separators = set(re.sub(r"[0-9A-Za-z]", "", text))
        if separators:
            allowed = {"_"} if self.base > 16 else {" ", "_", ","}
            if len(separators) > 1 or not separators <= allowed:
                return None
            separator = separators.pop()
            first, *groups = text.split(separator)
            size = len(groups[0])
            if size not in _SIZES or (separator == "," and size != 3) or not 0 < len(first) <= size:
                return None
            if any(len(group) != size for group in groups):
                return None
            text = first + "".join(groups)
        text = text.upper()
        if not text or len(text) > LONGEST or not set(text) <= set(self._digits()):
            return None
        return int(text, self.base)

    def write(self, answer: int) -> str:
        size, found = abs(answer), ""
        while size:
            size, digit = divmod(size, self.base)
            found = ALPHABET[digit] + found
        return ("-" if answer < 0 else "") + (found or "0")

    def ways(self, answer: int) -> list[str]:
        text, base = self.write(answer), self.base
        minus, size = ("-", text[1:]) if answer < 0 else ("", text)
        ways = [f"{text}_{{{base}}}", f"({text})_{{{base}}}", f"({text})_{base}"]
        ways += [
            text + str(base).translate(_LOW),
            f"{text} (base {base})",
            f"{text} in base {base}",
        ]
        ways += [text.lower(), f"{text}_{{\\text{{{_WORDS.get(base, base)}}}}}"]
        if base in _PREFIXES:
            ways += [minus + _PREFIXES[base] + size, minus + _PREFIXES[base] + size.lower()]
        if base <= 16:
            ways += [f"n = {text}"]
        if base <= 10:
            ways += [f"{text}_{base}"]
        if len(size) > 4 and base <= 16:
            groups = [size[max(0, end - 4) : end] for end in range(len(size), 0, -4)][::-1]
            ways += [minus + " ".join(groups)]
        if len(size) > 3 and base <= 16:
            ways += [minus + re.sub(r"\B(?=(?:\w{3})+$)", ",", size)]
        if answer >= 0 and base != 10:
            ways += [f"{answer} = {text}_{{{base}}}", f"{answer}_{{10}} = {text}_{{{base}}}"]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: int, rng: Random) -> int:
        step: int = self.base ** rng.randrange(len(self.write(abs(answer))))
        return rng.choice(
            [answer + 1, answer - 1, answer + step, answer - step, answer * self.base]
        )

    def guess(self, answer: int, rng: Random) -> int:
        top = self.base ** len(self.write(abs(answer)))
        return rng.randrange(1 - top if answer < 0 else 0, top)
