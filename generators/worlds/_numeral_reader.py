"""The reader of invented number words: a number as its words, and words as their number."""

from typing import Protocol, TypeAlias

from puzzlemill.core.prose import listed

Special: TypeAlias = tuple[int, str]  # a number that has a word of its own, and the word


class Language(Protocol):
    """Number words, as invented_numerals tells."""

    @property
    def digits(self) -> tuple[str, ...]: ...
    @property
    def powers(self) -> tuple[str, ...]: ...
    @property
    def small_first(self) -> bool: ...
    @property
    def power_first(self) -> bool: ...
    @property
    def bare(self) -> bool: ...
    @property
    def joiner(self) -> str: ...
    @property
    def specials(self) -> tuple[Special, ...]: ...


def named(language: Language, number: int) -> str:
    """The interpreter's writing: powers are split off from the largest down."""
    base, parts = len(language.digits) + 1, list[str]()
    for power in range(len(language.powers), -1, -1):
        for special, word in language.specials:
            if power < 2 and number == special:
                parts.append(word)
                number = 0
        digit, number = number // base**power, number % base**power
        if digit >= base:
            return ""  # too large for the words that there are
        if digit:
            parts.append(part(language, digit, power))
    if language.small_first:
        parts.reverse()
    return (f" {language.joiner} " if language.joiner else " ").join(parts)


def part(language: Language, digit: int, power: int) -> str:
    """A digit times a power of the base."""
    if not power:
        return language.digits[digit - 1]
    words = [language.digits[digit - 1], language.powers[power - 1]]
    if language.bare and digit == 1:
        return words[1]
    return " ".join(words[::-1] if language.power_first else words)


def read(language: Language, number: str) -> int:
    """The interpreter's reading: a digit and the power beside it are one part."""
    base, total = len(language.digits) + 1, 0
    own = {word: value for value, word in language.specials}
    words = number.split()
    if not language.power_first:
        words.reverse()  # now each power stands before its digit
    while words:
        word = words.pop(0)
        if word in language.powers:
            digit = 1
            if words and words[0] in language.digits:
                digit = language.digits.index(words.pop(0)) + 1
            total += digit * base ** (language.powers.index(word) + 1)
        elif word in own:
            total += own[word]
        elif word in language.digits:
            total += language.digits.index(word) + 1
    return total


def told(language: Language) -> list[str]:
    """The rules, in sentences."""
    base = len(language.digits) + 1
    order = "smallest" if language.small_first else "largest"
    side = "after" if language.power_first else "before"
    sorts = listed([str(base**n) for n in range(1, len(language.powers) + 1)], "or")
    rules = [
        f"A number is the sum of its parts, as in base {base}: a part is a digit from 1 to"
        f" {base - 1}, or a digit times {sorts}. Digits that are 0 are not said.",
        f"The parts are said one after the other, the {order} first.",
        f"In a part with {sorts}, the digit is said {side} the word of that power"
        + ("; the digit 1 is left out there." if language.bare else ", even if it is 1."),
    ]
    if language.joiner:
        rules.append(f"Between any two parts they say {language.joiner}.")
    for number, word in language.specials:
        rules.append(
            f"{number} has a word of its own, {word}. It is one part, and also used in larger"
            f" numbers that leave {number} when divided by {base * base}."
        )
    return rules
