"""Families and their items as text, for the terminal and the documents."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from puzzlemill.core import registry
from puzzlemill.core.errors import unknown
from puzzlemill.core.files import whole
from puzzlemill.core.item import generate


def listing(category: str | None = None) -> str:
    """All families by category: name, knobs, what is answered, and the rule in a line."""
    if category is not None and category not in registry.categories():
        raise unknown("category", category, registry.categories())
    lines = []
    for each in [category] if category else registry.categories():
        lines.append(f"{each}: {registry.about(each)}")
        for name in registry.names(each):
            found = registry.family(name)
            knobs = ", ".join(field.name for field in fields(found.ladder[0]))
            lines.append(f"  {name:<20} {found.answer.form}; knobs: {knobs}")
    return "\n".join(lines) + "\n"


def page() -> str:
    """All families as a Markdown page: docs/families.md."""
    lines = [
        "# Families",
        "",
        f"{len(registry.names())} families in {len(registry.categories())} categories.",
        "",
        "Made by `puzzlemill families --markdown`. The guess rate is the most that a constant or a",
        "random answer of the right form scores; a certificate says what was proved, and how. The",
        "last column names the closest tasks of other suites, for readers who know them.",
    ]
    for category in registry.categories():
        lines += ["", f"## {category}", "", registry.about(category), "", _HEAD, _RULE]
        for name in registry.names(category):
            found = registry.family(name)
            knobs = ", ".join(field.name for field in fields(found.ladder[0]))
            proof = f"{found.proof}: {found.solver}" if found.solver else found.proof
            guess, peers = f"{found.guess_rate:.0%}", ", ".join(found.peers)
            cells = (f"`{name}`", knobs, found.answer.form, proof, guess, peers)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def matrix() -> str:
    """Which variants each family has, as a Markdown page: docs/variants.md."""
    operators = registry.operators()
    made = {name: set(registry.variants(name)) for name in registry.names()}
    lines = [
        "# Variants",
        "",
        "Made by `puzzlemill families --variants`. A variant is a family of its own, named after",
        "what it is made from and the operator: `gcd+inverse`. Each keeps the contract that every",
        f"family keeps. {sum(map(len, made.values())):,} pairs apply.",
        "",
    ]
    for name in operators:
        count = sum(f"{family}+{name}" in found for family, found in made.items())
        lines.append(f"- **{name}** ({count} families): {registry.about_operator(name)}")
    for category in registry.categories():
        lines += ["", f"## {category}", "", f"| family | {' | '.join(operators)} |"]
        lines.append(f"|---|{'---|' * len(operators)}")
        for family in registry.names(category):
            marks = ("✓" if f"{family}+{each}" in made[family] else "" for each in operators)
            lines.append(f"| `{family}` | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


_HEAD = "| family | knobs | answer | certificate | guess rate | elsewhere |"
_RULE = "|---|---|---|---|---|---|"


def shown(name: str, level: float, seed: int, count: int, pictures: Path) -> Iterator[str]:
    """Items as a policy sees them; their pictures are written to a folder."""
    for item in generate(name, level=level, seed=seed, n=count):
        files = []
        for place, image in enumerate(item.images):
            files.append(pictures / f"{item.uid}-{place}.png")
            with whole(files[-1]) as beside:
                beside.write_bytes(image)
        lines = [f"── {item.uid}  {item.knobs}", item.prompt, *(f"[{file}]" for file in files)]
        yield "\n".join([*lines, f"── answer ({item.certificate})", item.answer, ""])
