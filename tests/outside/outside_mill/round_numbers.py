"""Turns away answers that are too round."""

from dataclasses import dataclass

from puzzlemill.filters import Row, Rule


@dataclass(frozen=True, slots=True)
class Settings:
    multiple: int = 10


def reason(row: Row, settings: Settings) -> str | None:
    multiple = settings.multiple
    return None if int(row["answer"]) % multiple else f"a multiple of {multiple}"


FILTER = Rule("before", reason, ("answer",), Settings)
