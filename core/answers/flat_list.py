"""Flat lists: their items as texts, however they are bracketed, parted, bulleted or numbered."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from puzzlemill.core.answers.bracket_spans import inside, spans
from puzzlemill.core.answers.bullets import unmarked
from puzzlemill.core.answers.cell_rows import TRANSPOSED, latex_rows
from puzzlemill.core.answers.names import HEDGES, Items
from puzzlemill.core.answers.spelling import tidy

MOST = 5000  # items of a list; a longer one is not read

_THEN = re.compile(r"(?:, ?| )(?:and )?then ", re.IGNORECASE)
_CHAIN = re.compile(" ?[<>] ?")
_AND = re.compile(r"(?:^| )(?:and|&) ", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![0-9])[0-9]{1,3},[0-9]{3}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[str, ...]
    between: str  # what parts them: one of , ; \n → & and the space; "" where there is one item


def listed(text: str, items: Items) -> Listing | None:
    """The items of a list, not yet read; None where it is not parted in one and the same way."""
    return parted(tidy(text), items)


def parted(body: str, items: Items) -> Listing | None:
    """`listed` for a tidy text."""
    if (rows := latex_rows(body)) is not None:
        if len(rows) > 1 and any(len(row) > 1 for row in rows):
            return None
        return _listing([cell for row in rows for cell in row], ",")
    flat = _opened(body)
    lines = flat.split("\n")
    texts = unmarked(lines)
    if not flat or spans("\n".join(texts)) != []:
        return None
    arrows = _THEN.sub("\u2192", flat) if "then" in flat.lower() else flat
    if "\u2192" in arrows:
        return _listing(arrows.split("\u2192"), "\u2192")
    if len(texts) > 1:
        wrapped = texts is lines and all(line.endswith(",") for line in lines[:-1])
        if not wrapped:
            return _listing([text.removesuffix(",").removesuffix(";") for text in texts], "\n")
        flat = " ".join(lines)
    flat = flat.removesuffix(";")
    if ";" in flat:
        return _listing(flat.split(";"), ";")
    if "," in flat:
        if items == "ints" and ", " in flat and _THOUSANDS.search(flat):
            return None  # 1,200, 300 is two numbers or three
        return _by_commas(flat)
    if _AND.search(flat):
        return _listing(_AND.split(flat), "&")
    if items == "letters" and flat.isalpha() and flat.lower() not in HEDGES:
        return _listing(list(flat), " ")
    return _listing([flat] if items == "phrases" else flat.split(" "), " ")


def chained(body: str) -> str:
    """ "a < b < c" or "a > b > c" with commas: the prompt says which end comes first."""
    signs = {sign for sign in "<>" if sign in body}
    return _CHAIN.sub(", ", body) if len(signs) == 1 else body


def _opened(body: str) -> str:
    """The text without the brackets around it, nor a sign that it is to be turned upright."""
    body = TRANSPOSED.sub("", body) if body.startswith(("(", "[")) else body
    for _ in range(3):
        inner = inside(body)
        if inner is None:
            break
        body = inner
    return body


def _by_commas(flat: str) -> Listing | None:
    """Items with commas between them, and perhaps "and" before the last."""
    parts = flat.removesuffix(",").split(",")
    *_, last = parts
    ends = _AND.split(last.strip())
    if len(ends) == 1:
        return _listing(parts, ",")
    if len(ends) > 2 or any(_AND.search(part) for part in parts[:-1]):
        return None
    return _listing([*parts[:-1], *(end for end in ends if end)], "&")


def _listing(parts: Sequence[str], between: str) -> Listing | None:
    if not 0 < len(parts) <= MOST:
        return None
    items = tuple(part.strip() for part in parts)
    return Listing(items, between if len(items) > 1 else "") if all(items) else None


def list_ways(parts: Sequence[str]) -> list[str]:
    """Ways to write a list of one or more items in order; `parts` are the items."""
    commas, quoted = ", ".join(parts), json.dumps(list(parts), ensure_ascii=False)
    ways = [
        f"[{commas}]",
        f"({commas})",
        ",".join(parts),
        "; ".join(parts),
        quoted,
        f"\\left[ {', '.join(parts)} \\right]",
        f"x = ({commas})",
        f"The list is {commas}",
    ]
    if len(parts) > 1:
        ways += [
            ", ".join(parts[:-1]) + f" and {parts[-1]}",
            " -> ".join(parts),
            " \\to ".join(parts),
            "\n".join(parts),
            "\n".join(f"{count}. {part}" for count, part in enumerate(parts, 1)),
            "\n".join(f"- {part}" for part in parts),
        ]
    return ways


def node_ways(names: Sequence[str]) -> list[str]:
    """A way to write nodes that are called by numbers."""
    numbered = all(map(str.isdecimal, names))
    return [", ".join(f"{name}.0" for name in names)] if numbered else []


def empty_ways() -> list[str]:
    return ["[]", "()", "{}", "\\{\\}", "\\emptyset", "\u2205", "empty"]
