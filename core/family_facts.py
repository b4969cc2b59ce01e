"""What a family is, for people: its rule, its answer, and what its knobs mean and reach."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from puzzlemill.core import notebook
from puzzlemill.core.field_comments import meaning
from puzzlemill.core.plain_data import names

if TYPE_CHECKING:
    from puzzlemill.core.family import AnyFamily

WIDE = 100  # characters of a line
RUNGS = ("easiest", "hardest")  # what the ends of a ladder are called


@dataclass(frozen=True, slots=True)
class Knob:
    name: str
    meaning: str  # as the family's file says it; empty where the name says it all
    ladder: tuple[str, ...]  # its value at each rung

    @property
    def values(self) -> str:
        """From rung to rung, or the one value of all."""
        return self.ladder[0] if len({*self.ladder}) == 1 else " → ".join(self.ladder)


def knobs(family: "AnyFamily") -> list[Knob]:
    kind = type(family.ladder[0])
    return [
        Knob(
            name, meaning(kind, name), tuple(_shown(getattr(rung, name)) for rung in family.ladder)
        )
        for name in names(kind)
    ]


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def facts(family: "AnyFamily") -> Iterator[tuple[str, str]]:
    """What is true of a family as such, by name."""
    yield "category", family.category
    yield "version", str(family.version)
    yield "answer", family.answer.form
    solver = f", by {family.solver}" if family.solver else ""
    yield "certificate", f"{family.proof}{solver}"
    yield "guess rate", f"at most {family.guess_rate:.0%}" if family.guess_rate else "about 0"
    if family.skills:
        yield "skills", ", ".join(family.skills)
    if family.theme not in ("", family.name):
        yield "theme", family.theme
    if family.peers:
        yield "elsewhere", ", ".join(family.peers)


def text(family: "AnyFamily") -> str:
    """All of it in lines, for a terminal."""
    lines = [fill(family.rule or family.name, WIDE), ""]
    for name, fact in facts(family):
        lines.append(fill(fact, WIDE, initial_indent=f"{name:<13}", subsequent_indent=" " * 13))
    lines += ["", f"knobs, from the {RUNGS[0]} rung to the {RUNGS[1]}:"]
    for knob in knobs(family):
        lines.append(f"  {knob.name} = {knob.values}")
        if knob.meaning:
            indent = " " * 6
            lines.append(fill(knob.meaning, WIDE, initial_indent=indent, subsequent_indent=indent))
    return "\n".join(lines)


def html(family: "AnyFamily") -> str:
    """The same for a notebook."""
    rows = [(knob.name, knob.values, knob.meaning) for knob in knobs(family)]
    heads = ("knob", f"{RUNGS[0]} → {RUNGS[1]}", "meaning")
    return notebook.facts(family.name, family.rule, list(facts(family))) + notebook.table(
        "", heads, rows
    )
