"""Reading and writing pairs of names: "(1, 2), (3, 4)", "A-B, B-C", "1 -> 2", one a line."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from puzzlemill.core.answers.bracket_spans import groups, inside, spans
from puzzlemill.core.answers.bullets import unmarked
from puzzlemill.core.answers.flat_list import MOST
from puzzlemill.core.answers.names import (
    Items,
    Name,
    agreed,
    another,
    complete,
    drawn,
    read_name,
)
from puzzlemill.core.answers.spelling import tidy

Pair: TypeAlias = tuple[Name, Name]
Found: TypeAlias = tuple[tuple[Pair, ...], str]  # and what parts the pairs

_PREFIX = re.compile(r"\A(?:(?:the )?(?:edge|pair) |(?:from|between) )", re.IGNORECASE)
_AND = re.compile(r",? and | & ", re.IGNORECASE)
_JOINTS = (",", ";", ":", "\u2192", "\u2194", " ", "--", "-", " to ", " and ", " & ")


def read_pairs(text: str, items: Items, directed: bool = True) -> Found | None:
    """The pairs that a text states; None where it states none, or may state either of two lists.

    A name that is a word holds no hyphen: "A-B" is a pair.
    """
    body = tidy(text)
    inner = inside(body)
    found = list(_readings(body, items, directed))
    if inner is not None:
        found += _readings(inner, items, directed, unordered=body[0] == "{")
    return agreed(found)


def _readings(
    body: str, items: Items, directed: bool, unordered: bool = False
) -> Iterator[Found | None]:
    """Each way to part the text into pairs, with each sign that may join the names of all.

    Unordered is what stands in braces: {a, b} does not say which of the two comes first.
    """
    joints = [
        joint
        for joint in _JOINTS
        if not (joint == "\u2194" and directed) and not (joint == " " and items == "phrases")
    ]
    if items == "letters":
        joints.append("")  # AB
    for text in dict.fromkeys([body, "\n".join(unmarked(body.split("\n")))]):
        if (grouped := groups(text)) is not None:
            pieces, between = grouped
            if not (directed and text.startswith("{")):
                inner = [inside(piece) or "" for piece in pieces]
                yield from (_joined(inner, joint, items, between) for joint in joints)
        elif spans(text) == []:
            for parts, between in _parted(text):
                taken = [joint for joint in joints if joint != between]
                if directed and unordered and len(parts) == 1:
                    taken = [joint for joint in taken if joint not in (",", ";", " ", " and ")]
                yield from (_joined(parts, joint, items, between) for joint in taken)


def _parted(body: str) -> Iterator[tuple[list[str], str]]:
    """The texts that may be those of the pairs, where there are no brackets."""
    lines = body.split("\n")
    if len(lines) > 1:
        if all(line.endswith(",") for line in lines[:-1]):
            yield " ".join(lines).removesuffix(",").split(","), ","
        else:
            yield [line.removesuffix(",").removesuffix(";") for line in lines], "\n"
        return
    yield [body], ""
    if ";" in body:
        yield body.removesuffix(";").split(";"), ";"
    elif "," in body:
        *firsts, last = body.removesuffix(",").split(",")
        ends = [end for end in _AND.split(f" {last.strip()}") if end.strip()]
        yield [*firsts, last], ","
        if _AND.search(f" {last.strip()}"):
            yield [*firsts, *ends], ("and" if len(ends) > 1 else ",")
    else:
        yield _AND.split(body), "and"
        yield body.split(" "), " "


def _joined(texts: Sequence[str], joint: str, items: Items, between: str) -> Found | None:
    if len(texts) > MOST:
        return None
    pairs = complete(_pair(text, joint, items) for text in texts)
    return (pairs, between if len(pairs) > 1 else "") if pairs else None


def _pair(text: str, joint: str, items: Items) -> Pair | None:
    text = _PREFIX.sub("", text.strip(), count=1)
    if not joint:
        if len(text) != 2:
            return None
        return _both(read_name(text[0], items), read_name(text[1], items))
    left, there, right = text.partition(joint)
    if not there or joint in right:
        return None
    return _both(read_name(left, items), read_name(right, items))


def _both(left: Name | None, right: Name | None) -> Pair | None:
    if left is None or right is None:
        return None
    hyphened = any(isinstance(name, str) and "-" in name for name in (left, right))
    return None if hyphened else (left, right)


def write_pairs(pairs: Iterable[Pair]) -> str:
    return ", ".join(f"({left}, {right})" for left, right in pairs) or "none"


def pair_ways(pairs: Sequence[Pair], joints: Sequence[str], items: Items) -> list[str]:
    """Ways to write one or more pairs; `joints` are signs that may join two names."""
    quoted = [[name if isinstance(name, int) else str(name) for name in pair] for pair in pairs]
    commas = [f"{left}, {right}" for left, right in pairs]
    ways = [
        f"[{write_pairs(pairs)}]",
        f"\\{{{write_pairs(pairs)}\\}}",
        f"{{{write_pairs(pairs)}}}",
        json.dumps(quoted, ensure_ascii=False),
        ",".join(f"({left},{right})" for left, right in pairs),
        " ".join(f"({comma})" for comma in commas),
        "\n".join(f"({comma})" for comma in commas),
        "\n".join(f"- ({comma})" for comma in commas),
        "\n".join(f"{count}. ({comma})" for count, comma in enumerate(commas, 1)),
        "; ".join(commas),
        "\n".join(commas),
        f"x = [{write_pairs(pairs)}]",
    ]
    if len(pairs) == 1:
        ways = [way for way in ways if not way.startswith(("1.", "-"))]
    for joint in joints:
        joined = [f"{left}{joint}{right}" for left, right in pairs]
        ways += [", ".join(joined), "\n".join(joined)]
    if items != "phrases" and not any("-" in comma for comma in commas):
        ways.append("\n".join(f"{left} {right}" for left, right in pairs))
    return ways


def changed_pairs(
    pairs: Sequence[Pair], rng: Random, items: Items, known: Sequence[str] = ()
) -> list[Pair]:
    """The pairs but for one, which is left out, turned round, or has another end."""
    if not pairs:
        return [(known[0], known[-1]) if known else (1, 2) if items == "ints" else ("a", "b")]
    changed, place = list(pairs), rng.randrange(len(pairs))
    left, right = changed[place]
    names = known or [name for pair in pairs for name in pair]
    match rng.randrange(4):
        case 0 if len(changed) > 1:
            del changed[place]
        case 1 if left != right:
            changed[place] = right, left
        case 2:
            changed[place] = another(left, names, rng), right
        case _:
            changed[place] = left, another(right, names, rng)
    return changed


def drawn_pairs(pairs: Sequence[Pair], rng: Random) -> tuple[Pair, ...]:
    """A guess at so many pairs of the names."""
    names = [name for pair in pairs for name in pair]
    ends = drawn(names, len(names), rng)
    return tuple(zip(ends[::2], ends[1::2], strict=True))
