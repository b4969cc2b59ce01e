"""Lengths of time."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import concluded, plain, unnamed
from puzzlemill.core.answers.numerals import counted, spelled
from puzzlemill.core.fraction import Fraction

LONGEST = 200  # characters

SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800}
_SHORT = {"seconds": "s", "minutes": "min", "hours": "h", "days": "d", "weeks": "w"}
_NAMES = {
    "seconds": "seconds second secs sec s",
    "minutes": "minutes minute mins min m",
    "hours": "hours hour hrs hr h",
    "days": "days day d",
    "weeks": "weeks week wks wk w",
}
_UNIT_OF = {name: unit for unit, names in _NAMES.items() for name in names.split()}

_UNIT = rf"(?P<unit>{'|'.join(sorted(_UNIT_OF, key=len, reverse=True))})(?![a-z])\.?"
_COUNT = (
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(?P<decimals>\d{1,6}))?"
    r"(?:\s(?P<over>\d{1,3})/(?P<under>\d{1,3}))?|(?P<half>half\san?)"
    r"|(?P<words>[a-z]{1,9}(?:[-\s][a-z]{3,9}){0,5}?)(?=[\s-])"
)
_PART = re.compile(rf"(?:{_COUNT})[\s-]?{_UNIT}(?P<more>\sand\sa\shalf)?", re.ASCII)
_AND_A_HALF = re.compile(rf"(?P<words>[a-z]{{1,9}}|\d{{1,12}})\sand\sa\shalf\s{_UNIT}", re.ASCII)
_BETWEEN = re.compile(r"\s?,\s?(?:and\s)?|\sand\s|\s?")
_CLOCK = re.compile(r"(\d{1,6}):([0-5]\d):([0-5]\d)", re.ASCII)
_PAIRED = re.compile(
    r"(\d{1,6}):([0-5]\d)\s?(?:(?P<hours>h|hrs?|hours?)|m|mins?|minutes?)\.?", re.ASCII
)
_ISO = re.compile(r"p(?:(\d{1,6})d)?(?:t(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?)?", re.ASCII)
_BARE = re.compile(r"\d{1,12}(?:\.0{1,6})?|\d{1,3}(?:,\d{3})+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time as a whole number of its unit: "2 hours 5 minutes", "125 min".

    A bare number is in the unit, as the form says; "2:05" could be two things and is not read.
    """

    unit: str = "minutes"

    def __post_init__(self) -> None:
        assert self.unit in SECONDS, f"no unit {self.unit!r}: there are {', '.join(SECONDS)}"

    @property
    def form(self) -> str:
        return f"a length of time in {self.unit}, such as 90 {self.unit}"

    def read(self, text: str) -> int | None:
        said = re.sub(r"\s{1,9}", " ", plain(unnamed(concluded(plain(text)))).lower())
        said = re.sub(r"(?<=\d) ?\u00bd", " 1/2", said)
        said = re.sub(r"\A(?:it (?:takes|took|lasts|lasted)|for)\s", "", said, count=1)
        if not said or len(said) > LONGEST:
            return None
        if _BARE.fullmatch(said):
            return int(said.partition(".")[0].replace(",", ""))
        seconds = _seconds(said)
        if seconds is None or (seconds / SECONDS[self.unit]).denominator != 1:
            return None
        return int(seconds / SECONDS[self.unit])

    def write(self, answer: int) -> str:
        return f"{answer} {self.unit}"

    def ways(self, answer: int) -> list[str]:
        short = _SHORT[self.unit]
        ways = [
            f"{answer}",
            f"{answer} {short}",
            f"{answer}{short}",
            f"\\text{{{answer} {self.unit}}}",
        ]
        ways += [f"{answer} \\text{{ {self.unit}}}", f'{{"answer": "{answer} {self.unit}"}}']
        ways += [f"t = {answer} {self.unit}"]
        if answer < 1000:
            ways.append(f"{spelled(answer)} {self.unit}")
        parts = _parts(answer * SECONDS[self.unit])
        if len(parts) > 1:
            named = [f"{count} {unit if count > 1 else unit[:-1]}" for unit, count in parts]
            ways += [" ".join(named), ", ".join(named), f"{', '.join(named[:-1])} and {named[-1]}"]
            ways += [" ".join(f"{count}{_SHORT[unit]}" for unit, count in parts)]
        return ways

    def near(self, answer: int, rng: Random) -> int:
        return max(answer + rng.choice([-60, -30, -10, -5, -1, 1, 5, 10, 30, 60]), 0) or answer + 1

    def guess(self, answer: int, rng: Random) -> int:
        return rng.randrange(10 ** max(1, len(str(answer))))


def _seconds(said: str) -> Fraction | None:
    if match := _CLOCK.fullmatch(said):
        return Fraction(int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]))
    if match := _PAIRED.fullmatch(said):
        return Fraction((int(match[1]) * 60 + int(match[2])) * (60 if match["hours"] else 1))
    if (match := _ISO.fullmatch(said)) and any(match.groups()):
        sizes = (86_400, 3600, 60, 1)
        return Fraction(sum(int(n or 0) * size for n, size in zip(match.groups(), sizes)))
    if match := _AND_A_HALF.fullmatch(said):
        count = _count(match["words"])
        return None if count is None else (count + Fraction(1, 2)) * _size(match)
    total, place = Fraction(0), 0
    units: set[int] = set()
    while True:
        match = _PART.match(said, place)
        if not match or _size(match) in units or (units and _size(match) > min(units)):
            return None
        count = _amount(match)
        if count is None:
            return None
        total += count * _size(match)
        units.add(_size(match))
        if match.end() == len(said):
            return total
        between = _BETWEEN.match(said, match.end())
        place = between.end() if between else match.end()


def _size(found: re.Match[str]) -> int:
    return SECONDS[_UNIT_OF[found["unit"]]]


def _amount(found: re.Match[str]) -> Fraction | None:
    """The number before a unit."""
    more = Fraction(1, 2) if found["more"] else Fraction(0)
    if found["half"]:
        return None if more else Fraction(1, 2)
    if found["words"]:
        count = _count(found["words"])
        return None if count is None else count + more
    amount = Fraction(f"{found['whole'].replace(',', '')}.{found['decimals'] or 0}")
    if found["under"]:
        if not int(found["under"]) or found["decimals"]:
            return None
        amount += Fraction(int(found["over"]), int(found["under"]))
    return amount + more


def _count(text: str) -> Fraction | None:
    if text in ("a", "an"):
        return Fraction(1)
    if text.isdecimal():
        return Fraction(int(text))
    words = text.replace("-", " ").split()
    number, used = counted(words)
    return Fraction(number) if used == len(words) else None


def _parts(seconds: int) -> list[tuple[str, int]]:
    """A length in days, hours, minutes and seconds, largest first, without zeros."""
    parts = []
    for unit in ("days", "hours", "minutes", "seconds"):
        count, seconds = divmod(seconds, SECONDS[unit])
        if count:
            parts.append((unit, count))
    return parts
