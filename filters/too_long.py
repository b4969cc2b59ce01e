"""Turns away prompts longer than a policy should be made to read."""

from dataclasses import dataclass

from puzzlemill.filters import Row, Rule


@dataclass(frozen=True, slots=True)
class Settings:
    longest: int  # characters


def reason(row: Row, settings: Settings) -> str | None:
    length = sum(len(message["content"]) for message in row["prompt"])
    return f"too long: over {settings.longest} characters" if length > settings.longest else None


FILTER = Rule("before", reason, ("prompt",), Settings)
