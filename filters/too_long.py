"""Turns away prompts longer than a policy should be made to read."""

from collections.abc import Mapping
from typing import Any

from puzzlemill.core.stage import Filter


def too_long(longest: int) -> Filter:
    def reason(row: Mapping[str, Any]) -> str | None:
        length = sum(len(message["content"]) for message in row["prompt"])
        return f"too long: over {longest} characters" if length > longest else None

    return Filter("too_long", 1, {"longest": longest}, ("prompt",), reason)
