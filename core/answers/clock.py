"""Times of day."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import concluded, plain, unnamed
from puzzlemill.core.answers.numerals import counted, spelled

LONGEST = 100  # characters
HALF_DAY = 12 * 60 * 60  # seconds

_MERIDIEM = r"(?P<half>[ap])\.?\s?m\.?|in\sthe\s(?P<part>morning|afternoon|evening)"
_DIGITS = re.compile(
    rf"(?P<hour>\d{{1,2}})\s?(?:(?::|\{{:\}}|h|hrs?\b)\s?(?P<minute>\d{{2}})\s?(?::\s?"
    rf"(?P<second>\d{{2}}))?\s?(?:h|hrs|hours|o'clock)?|\.(?P<dotted>\d{{2}})\s?h?"
    rf"|o'?\s?clock|h|(?=\s?[ap]\.?m|\sin\sthe\s))?\s?(?:{_MERIDIEM})?",
    re.ASCII,
)
_MILITARY = re.compile(r"(\d{2})(\d{2})\s?(?:h|hrs|hours)", re.ASCII)
_NAMED = {"noon": 12, "midday": 12, "12 noon": 12, "midnight": 0, "12 midnight": 0}
_SHARES = {None: 0, "half": 30, "quarter": 15, "a quarter": 15}  # minutes of an hour
_PAST = re.compile(
    rf"(?:(?P<count>half|(?:a\s)?quarter|[a-z]{{3,6}}(?:[-\s][a-z]{{3,5}})?|\d{{1,2}})"
    rf"(?:\sminutes?)?[\s-](?P<side>past|after|to|before|till)\s)?(?P<hour>[a-z]{{3,6}}|\d{{1,2}})"
    rf"(?P<clock>\so'?\s?clock)?\s?(?:{_MERIDIEM})?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes (or seconds) since midnight; "2:30 PM" and "half past two" too.

    Without AM or PM a time is taken as it is written. On a `twelve`-hour clock, where no one can
    tell the halves of the day apart, AM and PM do not count and 12:00 is 0.
    """

    seconds: bool = False
    twelve: bool = False

    @property
    def form(self) -> str:
        shown = "hh:mm:ss" if self.seconds else "hh:mm"
        return f"a time as {shown} on a {12 if self.twelve else 24}-hour clock"

    def read(self, text: str) -> int | None:
        said = re.sub(r"\s{1,9}", " ", plain(unnamed(concluded(plain(text)))).lower())
        said = re.sub(r"\A(?:at|the time is|time:)\s", "", said[: LONGEST + 1], count=1)
        if len(said) > LONGEST:
            return None
        since = _since_midnight(said.removesuffix("."))
        if since is None or (since % 60 and not self.seconds):
            return None
        return (since % HALF_DAY if self.twelve else since) // (1 if self.seconds else 60)

    def write(self, answer: int) -> str:
        hour, minute, second = self._parts(answer)
        shown = f"{hour}" if self.twelve else f"{hour:02}"
        return f"{shown}:{minute:02}" + (f":{second:02}" if self.seconds else "")

    def _parts(self, answer: int) -> tuple[int, int, int]:
        minutes, second = divmod(answer, 60) if self.seconds else (answer, 0)
        hour, minute = divmod(minutes, 60)
        return (hour % 12 or 12 if self.twelve else hour), minute, second

    def ways(self, answer: int) -> list[str]:
        hour, minute, second = self._parts(answer)
        tail = f":{minute:02}" + (f":{second:02}" if self.seconds else "")
        half, short = "am" if hour < 12 else "pm", hour % 12 or 12
        if self.twelve:
            half = "am"
        ways = [
            f"{short}{tail} {half.upper()}",
            f"{short}{tail}{half}",
            f"{short:02}{tail} {half[0]}.m.",
        ]
        ways += [f"{short}{tail}\\text{{ {half.upper()}}}", f"The time is {short}{tail} {half}"]
        ways += [f'{{"answer": "{hour}{tail}"}}', f"{hour}{tail}", f"\\text{{{hour:02}{tail}}}"]
        if not second:
            ways += [f"{hour}h{minute:02}", f"{short}.{minute:02} {half}"]
        if not minute and not second:
            ways += [f"{short} {half.upper()}", f"{short}{half}"]
            ways += [{0: "midnight", 12: "noon"}[hour]] if hour in (0, 12) else []
        if self.twelve and not second:
            ways += [_worded(hour, minute)] if minute in (0, 15, 30, 45) else []
        return ways

    def near(self, answer: int, rng: Random) -> int:
        step = rng.choice(
            [1, -1, 5, -5, 60, -60, 720, 360] + ([3600, -3600] if self.seconds else [])
        )
        moved = (answer + step) % self._most()
        return moved if moved != answer else (answer + 1) % self._most()

    def guess(self, answer: int, rng: Random) -> int:
        return rng.randrange(self._most())

    def _most(self) -> int:
        return HALF_DAY * (1 if self.twelve else 2) // (1 if self.seconds else 60)


def _since_midnight(said: str) -> int | None:
    """Seconds since midnight."""
    if said in _NAMED:
        return _NAMED[said] * 3600
    if match := _MILITARY.fullmatch(said):
        return _seconds(int(match[1]), int(match[2]), 0, "")
    if (match := _DIGITS.fullmatch(said)) and not said.isdecimal():
        after = (int(match["minute"] or match["dotted"] or 0), int(match["second"] or 0))
        return _seconds(int(match["hour"]), *after, _half(match))
    match = _PAST.fullmatch(said)
    if not match or not (match["count"] or match["clock"] or _half(match)):
        return None
    hour = _number(match["hour"])
    minute = _SHARES[match["count"]] if match["count"] in _SHARES else _number(match["count"])
    if hour is None or minute is None or not 1 <= hour <= 12:
        return None
    if match["side"] not in ("to", "before", "till"):
        return _seconds(hour, minute, 0, _half(match))
    start = _seconds(hour, 0, 0, _half(match))
    if start is None or not 0 < minute < 60 or match["count"] == "half":
        return None
    # without AM or PM, ten to one is 12:50
    return (
        (start - 60 * minute) % (HALF_DAY * 2)
        if _half(match) or hour > 1
        else HALF_DAY + 3600 - 60 * minute
    )


def _seconds(hour: int, minute: int, second: int, half: str) -> int | None:
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second or half)):
        return None
    if half and (hour == 0 or (hour > 12 and half == "a")):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour % 24 * 3600 + minute * 60 + second


def _half(found: re.Match[str]) -> str:
    """ "a", "p", or nothing."""
    return found["half"] or {"morning": "a", None: ""}.get(found["part"], "p")


def _number(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
    words = text.replace("-", " ").split()
    number, used = counted(words)
    return number if used == len(words) else None


def _worded(hour: int, minute: int) -> str:
    match minute:
        case 0:
            return f"{spelled(hour)} o'clock"
        case 15:
            return f"quarter past {spelled(hour)}"
        case 30:
            return f"half past {spelled(hour)}"
        case _:
            return f"quarter to {spelled(hour % 12 + 1)}"
