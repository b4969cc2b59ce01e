"""Reading sets of real numbers: (-∞, 2] ∪ {3}, ℝ ∖ {1}, {x | x > 2}, and inequalities."""

import re

from puzzlemill.core.answers.number_sets import (
    LINE,
    Span,
    common,
    joined,
    overlap,
    point,
    span,
    without,
)
from puzzlemill.core.answers.rational_notation import read_ratio
from puzzlemill.core.fraction import Fraction

MOST = 60  # parts

_WRITTEN = (
    (r"\\(?:cup|bigcup)(?![A-Za-z])|(?<=[\])}])\s{0,9}(?:U|u|union)\s{0,9}(?=[\[({\\])", "∪"),
    (r"\\infty(?![A-Za-z])|\b(?:infinity|infty|inf|oo)\b", "∞"),
    (r"\\mathbb ?\{? ?R ?\}?|\\R(?![A-Za-z])|\\Reals", "ℝ"),
    (r"\\(?:setminus|backslash|smallsetminus)(?![A-Za-z])|∖", "∖"),
    (r"\\in(?![A-Za-z])", "∈"),
    (r"\\(?:mid|vert)(?![A-Za-z])", "|"),
    (r"\\(?:leq|leqslant|le)(?![A-Za-z])|<=|=<|⩽|≦", "≤"),
    (r"\\(?:geq|geqslant|ge)(?![A-Za-z])|>=|⩾|≧", "≥"),
    (r"\\(?:neq|ne)(?![A-Za-z])|!=|\\not ?=", "≠"),
    (r"\\lt(?![A-Za-z])", "<"),
    (r"\\gt(?![A-Za-z])", ">"),
    (r"\\(?:lor|vee)(?![A-Za-z])|∨|\bor\b", " or "),
    (r"\\(?:land|wedge)(?![A-Za-z])|∧|\band\b", " and "),
    (r"\\(?:lbrack|lbrace)(?![A-Za-z])", "["),
    (r"\\pm(?![A-Za-z])|\+/-", "±"),
)  # fmt: skip
_CHANGES = tuple((re.compile(pattern), sign) for pattern, sign in _WRITTEN)
_INTERVAL = re.compile(r"([(\[\]])([^()\[\]]{1,400})([)\]\[])")
_MINUS_POINTS = re.compile(
    r"(.{1,400}?)\s{0,9}(?:∖|\\ ?(?=\{)|-\s{0,9}(?=\{))\s{0,9}\{([^{}]{1,400})\}"
)
_MINUS_INTERVAL = re.compile(r"[ℝR]\s{0,9}∖\s{0,9}([(\[][^()\[\]]{1,400}[)\]])")
_MINUS_UNION = re.compile(r"[ℝR]\s{0,9}∖\s{0,9}\((\s{0,9}[(\[{].{1,4000}[)\]}]\s{0,9})\)")
_EXCEPT = re.compile(
    r"(?:all (?:real )?(?:numbers|values)|all reals|ℝ)(?: of \w{1,8})?,?"
    r" (?:except|other than|excluding|but)(?: for)? (.{1,200})"
)
_INFINITE = re.compile(r"([+-]?)\s{0,9}∞")


def signs(text: str) -> str:
    """A text with one sign for each thing that may be written in several ways."""
    for pattern, sign in _CHANGES:
        text = pattern.sub(sign, text)
    text = text.replace("\\{", "{").replace("\\}", "}")
    return re.sub(
        r"(?<=[ℝR])(?:\s{0,9}\\)?\s{0,9}(?=[{(\[])", "∖", text
    )  # the backslash may have gone as a space


def read_set(text: str, letter: str) -> list[Span] | None:
    """The spans of a set that a text names, in any notation; the letter is a pattern."""
    text = signs(text).strip()
    if match := re.fullmatch(rf"\{{\s*{letter}\s*(?:∈\s*ℝ)?\s*[|:](.*)\}}", text, re.DOTALL):
        text = match[1].strip()
    elif match := _EXCEPT.fullmatch(text):
        holes = _points(
            re.sub(rf"{letter}\s*=| and ", lambda gap: "," * ("and" in gap[0]), match[1])
        )
        return without(holes) if holes else None
    elif match := re.fullmatch(rf"{letter}\s*∈\s*((?:(?!{letter})[^≠])+)", text):
        return _notation(match[1])
    if not re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z])", text):
        return _notation(text)
    return _inequalities(text, letter)


def _notation(text: str) -> list[Span] | None:
    """Intervals and points, joined by ∪."""
    if removed := _MINUS_UNION.fullmatch(text):
        taken = _notation(removed[1].strip())
        return without(taken) or None if taken else None
    found: list[Span] = []
    parts = re.split(r"\s*∪\s*| or ", text)
    if len(parts) > MOST:
        return None
    for part in parts:
        pieces = _piece(part.strip())
        if not pieces:
            return None
        found += pieces
    return None if overlap(found) else joined(found)


def _piece(text: str) -> list[Span] | None:
    if text in ("ℝ", "R"):
        return [LINE]
    if removed := _MINUS_INTERVAL.fullmatch(text):
        taken = _piece(removed[1])
        return without(taken) or None if taken else None
    if removed := _MINUS_POINTS.fullmatch(text):
        whole, points = _piece(removed[1].strip()), _points(removed[2])
        if not whole or not points or len(common(whole, points)) != len(points):
            return None
        return common(whole, without(points))
    if text.startswith("{") and text.endswith("}"):
        return _points(text[1:-1])
    match = _INTERVAL.fullmatch(text)
    if not match:
        return None
    parts = re.split(";" if ";" in match[2] else ",", match[2])
    if len(parts) != 2:
        return None
    low, high = (_end(part) for part in parts)
    if low is None or high is None or low == "∞" or high == "-∞":
        return None
    made = span(
        low if isinstance(low, Fraction) else None,
        match[1] == "[",
        high if isinstance(high, Fraction) else None,
        match[3] == "]",
    )
    return None if made is None else [made]


def _points(text: str) -> list[Span] | None:
    numbers = [number_in(part) for part in re.split("[,;]", text)]
    if len(set(numbers)) < len(numbers):
        return None
    found = [point(number) for number in numbers if number is not None]
    return found if len(found) == len(numbers) <= MOST else None


def _end(text: str) -> Fraction | str | None:
    """A number, or "∞" or "-∞"."""
    if infinite := _INFINITE.fullmatch(text.strip()):
        return "-∞" if infinite[1] == "-" else "∞"
    return number_in(text)


def number_in(text: str) -> Fraction | None:
    text = text.strip()
    return None if "," in text else read_ratio(text, units=False)


def _inequalities(text: str, letter: str) -> list[Span] | None:
    """x < 2 or 3 <= x < 5; the parts must lie apart, or one of them is another answer."""
    found: list[Span] = []
    parts = re.split(r"\s*(?: or |∪)\s*", text)
    if len(parts) > MOST:
        return None
    for part in parts:
        pieces = _conjunction(part, letter)
        if not pieces:
            return None
        found += pieces
    return None if overlap(found) else joined(found)


def _conjunction(text: str, letter: str) -> list[Span] | None:
    """x > 1 and x < 5: each part must narrow what the others leave."""
    parts = re.split(r" and |,", text)
    if len(parts) > MOST or ("," in text and "≠" not in text):
        return None
    wide: list[list[Span]] = []
    holes: list[Span] = []
    for place, part in enumerate(parts):
        part = part.strip()
        if place and holes and (number := number_in(part)) is not None:
            holes.append(point(number))  # x ≠ 1, 2
            continue
        if hole := re.fullmatch(rf"{letter}\s*≠\s*(±?)(.+)", part):
            number = number_in(hole[2])
            if number is None:
                return None
            holes += [point(number)] + ([point(-number)] if hole[1] and number else [])
            continue
        spans = _chain(part, letter)
        if not spans:
            return None
        wide.append(spans)
    found = [LINE]
    for spans in wide:
        found = common(found, spans)
    if any(found == spans for spans in wide) and len(wide) > 1:
        return None  # "x < 2 and x < 1" are two answers
    if "," in text and (not holes or len(wide) > 1):
        return None
    return common(found, without(holes)) if found else None


_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}


def _chain(text: str, letter: str) -> list[Span] | None:
    """x < 2, 2 > x, 1 < x <= 2, x = 3."""
    if match := re.match(rf"{letter}\s*∈\s*", text):
        return _notation(text[match.end() :])
    parts = [part.strip() for part in re.split("([<>≤≥=])", text)]
    if len(parts) == 3:
        left, sign, right = parts
        if re.fullmatch(letter, left):
            return _ray(sign, right)
        return _ray(_TURNED.get(sign, sign), left) if re.fullmatch(letter, right) else None
    if len(parts) != 5 or not re.fullmatch(letter, parts[2]):
        return None
    low, first, _, second, high = parts
    below, above = {"<", "≤"}, {">", "≥"}
    if not ({first, second} <= below or {first, second} <= above):
        return None
    one, other = _ray(_TURNED[first], low), _ray(second, high)
    return common(one, other) or None if one and other else None


def _ray(sign: str, text: str) -> list[Span] | None:
    end = _end(text)
    if isinstance(end, str):
        fits = end == ("∞" if sign in "<≤" else "-∞")
        return [LINE] if fits and sign != "=" else None
    if end is None:
        return None
    if sign == "=":
        return [point(end)]
    made = (
        span(None, False, end, sign == "≤") if sign in "<≤" else span(end, sign == "≥", None, False)
    )
    return None if made is None else [made]
