"""English number words: "twenty-three", "one hundred and five"."""

from collections.abc import Sequence

MOST = 1_000_000  # words for this and more are not read

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "  # noqa: SIM905
    "sixteen seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905

_SMALL = {word: number for number, word in enumerate(_ONES)}
_ROUND = {word: 10 * number for number, word in enumerate(_TENS, 2)} | {"fourty": 40}
NUMBER_WORDS = frozenset(_SMALL) | frozenset(_ROUND) | {"hundred", "thousand"}


def spelled(number: int) -> str:
    """The words for 0 to 999,999."""
    assert 0 <= number < MOST, f"no words for {number}"
    if number < 20:
        return _ONES[number]
    if number < 100:
        ones = number % 10
        return _TENS[number // 10 - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    return f"{spelled(many)} {name}" + (f" {spelled(rest)}" if rest else "")


def counted(words: Sequence[str]) -> tuple[int, int]:
    """The number that the first words say, and how many words say it (0 where none does)."""
    number, used = _below_thousand(words)
    if used and words[used : used + 1] == ["thousand"] and number:
        used += 1
        rest, more = _below_thousand(words[used + _joined(words, used) :])
        if more and rest:
            return number * 1000 + rest, used + _joined(words, used) + more
        return number * 1000, used
    return number, used


def _below_thousand(words: Sequence[str]) -> tuple[int, int]:
    number, used = _below_hundred(words)
    if not used and words[:1] in (["a"], ["one"]) and words[1:2] in (["hundred"], ["thousand"]):
        number, used = 1, 1
    if used and words[used : used + 1] == ["hundred"] and 0 < number < 10:
        used += 1
        rest, more = _below_hundred(words[used + _joined(words, used) :])
        if more and rest:
            return number * 100 + rest, used + _joined(words, used) + more
        return number * 100, used
    return number, used


def _below_hundred(words: Sequence[str]) -> tuple[int, int]:
    if not words:
        return 0, 0
    if words[0] in _ROUND:
        ones = _SMALL.get(words[1], 0) if len(words) > 1 else 0
        return (_ROUND[words[0]] + ones, 2) if 0 < ones < 10 else (_ROUND[words[0]], 1)
    return (_SMALL[words[0]], 1) if words[0] in _SMALL else (0, 0)


def _joined(words: Sequence[str], place: int) -> int:
    """1 where "and" stands between the hundreds and the rest."""
    return int(words[place : place + 1] == ["and"])
