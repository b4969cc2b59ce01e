"""Days: dates of the calendar, and days of the week."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from puzzlemill.core.answers.choice import Choice
from puzzlemill.core.answers.form import concluded, plain, unnamed

LONGEST = 120  # characters

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SHORT_DAYS = (
    ("mon",), ("tue", "tues"), ("wed", "weds"), ("thu", "thur", "thurs"), ("fri",), ("sat",),
    ("sun",),
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_MONTH_OF = {
    **{name.lower(): number for number, name in enumerate(MONTHS, 1)},
    **{name[:3].lower(): number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
}
_DAY_OF = {
    name: number
    for number, day in enumerate(WEEKDAYS)
    for name in (day.lower(), *_SHORT_DAYS[number])
}

_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))})\.?"
_DAY = r"(?:the\s)?(?P<day>\d{1,2})(?P<ending>st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?P<year>\d{4})\s?(?P<mark>[-/.])\s?(?P<number>\d{1,2})\s?(?P=mark)\s?(?P<day>\d{1,2})",
        rf"{_MONTH}[\s-]{_DAY}(?:\s?,\s?|\s|-)(?P<year>\d{{4}})",
        rf"{_DAY}[\s-](?:of\s)?{_MONTH}(?:\s?,\s?|\s|-)(?:of\s)?(?P<year>\d{{4}})",
        rf"(?P<year>\d{{4}})(?:\s?,\s?|\s|-){_MONTH}[\s-]{_DAY}",
    )
)
_NUMBERS = re.compile(r"(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4})", re.ASCII)
_NAMED_DAY = rf"({'|'.join(sorted(_DAY_OF, key=len, reverse=True))})\.?"
_BEFORE = re.compile(rf"{_NAMED_DAY}(?:\s?,\s?|\s)(?:the\s)?")
_AFTER = re.compile(rf"(?:\s?,\s?{_NAMED_DAY}|\s?\(\s?{_NAMED_DAY}\s?\))$")
_ENDING = re.compile(r"(?<=\d)\s?\^\s?\{?\s?(st|nd|rd|th)\s?\}?")


@dataclass(frozen=True, slots=True)
class Date:
    """A day of the calendar: ISO, or with the month's name in any order.

    "03/05/2024" could be two days and is not read; "13/05/2024" could be only one. A weekday may
    stand before it if it is the right one.
    """

    form: str = "a date as YYYY-MM-DD"

    def read(self, text: str) -> date | None:
        said = re.sub(r"\s{1,9}", " ", plain(unnamed(concluded(plain(text)))).lower())
        said = _ENDING.sub(r"\1", re.sub(r"\A(?:on|date:|the date is)\s", "", said[:999], count=1))
        if len(said) > LONGEST:
            return None
        weekdays = set()
        for pattern in (_BEFORE, _AFTER):
            if match := (pattern.match if pattern is _BEFORE else pattern.search)(said):
                weekdays.add(_DAY_OF[next(filter(None, match.groups()))])
                said = (said[: match.start()] + said[match.end() :]).strip()
        day = _day(said)
        return day if day is None or weekdays <= {day.weekday()} else None

    def write(self, answer: date) -> str:
        return answer.isoformat()

    def ways(self, answer: date) -> list[str]:
        month, day, year = MONTHS[answer.month - 1], answer.day, f"{answer.year:04}"
        weekday = WEEKDAYS[answer.weekday()]
        ending = _ordinal(day)
        ways = [f"{month} {day}, {year}", f"{day} {month} {year}", f"{month[:3]} {day}, {year}"]
        ways += [f"{day}{ending} of {month}, {year}", f"{month} {day}{ending}, {year}"]
        ways += [f"{weekday}, {month} {day}, {year}", f"{weekday}, {day} {month} {year}"]
        ways += [f"{year}/{answer.month:02}/{day:02}", f"\\text{{{month} {day}, {year}}}"]
        ways += [f'{{"answer": "{answer.isoformat()}"}}', f"{day}-{month[:3]}-{year}"]
        if day > 12:
            ways += [f"{day}/{answer.month:02}/{year}", f"{answer.month}/{day}/{year}"]
        return ways

    def near(self, answer: date, rng: Random) -> date:
        step = rng.choice([-365, -31, -30, -7, -1, 1, 7, 30, 31, 365])
        number = answer.toordinal() + step
        return date.fromordinal(min(max(number, 1), date.max.toordinal()))

    def guess(self, answer: date, rng: Random) -> date:
        start = date(max(answer.year - 5, 1), 1, 1)
        return start + timedelta(days=rng.randrange(min(3650, (date.max - start).days)))


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week by its English name or a usual abbreviation."""

    form: str = "a day of the week"

    def read(self, text: str) -> str | None:
        bare = plain(concluded(plain(text)))
        return _WEEKDAY.read(
            re.sub(r"\A(?:on|a)\s", "", bare[:LONGEST], count=1, flags=re.IGNORECASE)
        )

    def write(self, answer: str) -> str:
        return answer

    def ways(self, answer: str) -> list[str]:
        short = answer[:3]
        ways = [answer.lower(), answer.upper(), short, f"\\text{{{answer}}}"]
        return [*ways, f'{{"answer": "{answer}"}}', f"on {answer}", f"It is a {answer}"]

    def near(self, answer: str, rng: Random) -> str:
        return WEEKDAYS[(WEEKDAYS.index(answer) + rng.choice([-2, -1, 1, 2])) % 7]

    def guess(self, answer: str, rng: Random) -> str:
        return rng.choice(WEEKDAYS)


_WEEKDAY = Choice(WEEKDAYS, also=_SHORT_DAYS)


def _day(said: str) -> date | None:
    for pattern in _FORMS:
        if match := pattern.fullmatch(said):
            parts = match.groupdict()
            month = int(parts["number"]) if parts.get("number") else _MONTH_OF[parts["month"]]
            day = int(parts["day"])
            if parts.get("ending") not in (None, _ordinal(day)):
                return None
            return _calendar(int(parts["year"]), month, day)
    if match := _NUMBERS.fullmatch(said):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        days = {_calendar(year, first, second), _calendar(year, second, first)} - {None}
        return days.pop() if len(days) == 1 else None
    return None


def _calendar(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # no such day
        return None


def _ordinal(day: int) -> str:
    """The letters of an ordinal: 1st, 2nd, 3rd, 11th."""
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
