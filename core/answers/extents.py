"""Saying that nothing solves a problem, or that everything does."""

import re
from typing import Literal

from puzzlemill.core.answers.algebra.statement import bare
from puzzlemill.core.answers.form import plain

Extent = Literal["none", "no real", "all", "all real", "all complex"]

_NONE = re.compile(
    r"(?:(?:there|it) (?:is|are|has|exists?) |(?:the )?(?:equation|inequality) has |has )?"
    r"(?:(?:no|zero)(?: (?P<real>real)(?:-valued)?)?"
    r"(?: (?:solutions?|roots?|numbers?|values?|values? of \w{1,8}|\w))"
    r"(?: (?:exists?|(?:that )?satisf(?:y|ies) (?:it|the (?:equation|inequality))))?|none)"
    r"|\w{1,8} ?(?:∈|\\in) ?(?:∅|\\emptyset|\\varnothing)"
    r"|∅|\\emptyset|\\varnothing|\\?\{ ?\\?\}|(?:the )?empty set",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"(?:\w{1,8} (?:can be|may be|is) )?(?:all|any|every)"
    r"(?: (?:values?|numbers?) of \w{1,8}"
    r"|(?: (?P<kind>real|complex))? (?:numbers?|values?(?: of \w{1,8})?)"
    r"(?: (?:is|are) (?:a )?solutions?)?)"
    r"|(?P<reals>all reals)|infinitely many(?: solutions)?",
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"(?:\w{1,8} ?(?:∈|\\in(?![A-Za-z])|in) ?)?(?:(?P<real>ℝ|\\mathbb ?\{? ?R ?\}?|\\R|\\Reals|R)"
    r"|ℂ|\\mathbb ?\{? ?C ?\}?|\\C)"
)


_BOLD = re.compile(r"(?<![\w)\]}*])\*\*(?=\S)([^*\n]{1,200})(?<=\S)\*\*(?![\w(*])")
_LEAD = re.compile(
    r"(?:(?:the )?(?:equation|inequality) has |there (?:is|are) )?(?:the )?(?:exactly |only )?"
    r"(?:(?:one|two|three|four|five|six|[1-6]) )?(?:(?:real|complex|distinct|different) ){0,2}"
    r"(?:solution set|set of (?:all )?solutions|solutions?|roots?|zeros?|values? of \\?\w{1,8})"
    r"(?: (?:of|to|for) (?:the|this) (?:equation|inequality))?(?: (?:is|are)(?=\s)|\s?[:=])\s{0,9}"
    r"|[A-Z]\s?=\s?(?=[\\{(\[])",
    re.IGNORECASE,
)


def unled(text: str) -> str:
    """A set without "the solution set is" before it and without bold type for its parts."""
    text = bare(_BOLD.sub(r"\1", plain(text)))
    match = _LEAD.match(text)
    return text[match.end() :] if match else text


def extent(text: str) -> Extent | None:
    """What a text says of the numbers that solve a problem, if it says that none or all do."""
    spoken = " ".join(text[:100].split())
    if len(text) > 100:
        return None
    if said := _NONE.fullmatch(spoken):
        return "no real" if said["real"] else "none"
    if said := _SIGN.fullmatch(spoken):
        return "all real" if said["real"] else "all complex"
    if said := _ALL.fullmatch(spoken):
        kind = "real" if said["reals"] else (said["kind"] or "").lower()
        return "all real" if kind == "real" else "all complex" if kind else "all"
    return None
