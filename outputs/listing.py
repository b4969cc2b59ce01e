"""Families and their items as text, for the terminal and the documents."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from textwrap import indent
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.item import Item, Items, generate
from puzzlemill.core.storage.files import whole

SAMPLE_LEVEL = 0.25  # a puzzle that is neither trivial nor long


def listing(category: str | None = None) -> str:
    """All families by category: name, knobs, what is answered, and the rule in a line."""
    lines = []
    for each in registry.categories() if category is None else [category]:
        names = registry.names(each)
        lines.append(f"{each}: {registry.about(each)}")
        for name in names:
            family = registry.family(name)
            knobs = ", ".join(field.name for field in fields(family.ladder[0]))
            theme = f"; theme: {family.theme}" if family.theme != name else ""
            lines.append(f"  {name:<20} {family.answer.form}; knobs: {knobs}{theme}")
    return "\n".join(lines) + "\n"


def family_page(name: str) -> str:
    """What a family is: its facts, and a sample with its answer."""
    if "+" not in name:
        registry.matching(name)  # says what is wrong with the name
    family = registry.family(name)
    (sample,) = items_of(name, SAMPLE_LEVEL, 0, 1)
    lines = [
        str(family),
        "",
        f"a sample, at level {SAMPLE_LEVEL:g}:",
        indent(sample.prompt, "  "),
        "",
        "its answer:",
        indent(sample.answer, "  "),
    ]
    return "\n".join(lines) + "\n"


def families_index() -> str:
    """docs/families.md: the categories. It holds no count, which every new family would change."""
    lines = [
        "# Families",
        "",
        "A page for each category: its families, with the rule of each. [Variants](variants.md) of",
        "them ask the same otherwise; the audit of their verifiers is in `docs/audit/`.",
        "",
        "Made by `make docs`.",
        "",
    ]
    for name in registry.categories():
        lines.append(f"- [{name}](families/{name}.md): {registry.about(name)}")
    return "\n".join(lines) + "\n"


def families_page(category: str) -> str:
    """docs/families/<category>.md: one line a family, which links to its golden page."""
    lines = [
        f"# Families: {category}",
        "",
        registry.about(category),
        "",
        "A name links to the golden page: an item at every rung, with its answer. A guess rate is",
        "the most that a constant or a random answer of the right form scores. A certificate says",
        "what was proved, and how. Families of one theme ask much the same: a recipe with",
        '`per = "theme"` counts them as one. The last column names the closest tasks of other',
        "suites.",
        "",
        f"Made by `make docs`; `puzzlemill families {category} --markdown` prints it.",
        "",
        "| family | version | rule | knobs | answer | certificate | guess rate | theme"
        " | elsewhere |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in registry.names(category):
        family = registry.family(name)
        knobs = ", ".join(field.name for field in fields(family.ladder[0]))
        proof = f"{family.proof}: {family.solver}" if family.solver else family.proof
        guess, peers = f"{family.guess_rate:.0%}", ", ".join(family.peers)
        link = f"[`{name}`](../../tests/golden/{name}.txt)"
        rule = family.rule
        theme = family.theme if family.theme != name else ""
        facts = (link, str(family.version), rule, knobs, family.answer.form)
        cells = (*facts, proof, guess, theme, peers)
        lines.append(f"| {' | '.join(each.replace('|', _BAR) for each in cells)} |")
    return "\n".join(lines) + "\n"


def variants_index() -> str:
    """docs/variants.md: the operators."""
    lines = [
        "# Variants",
        "",
        "A variant is a family made from another one by an operator: `gcd+inverse`. It passes the",
        "same contract tests as every family. Use it by name wherever a family is named, or let a",
        "recipe add variants to its items:",
        "",
        "```toml",
        "[[make]]",
        'families = ["gcd", "sums+claim"]',
        'variants = ["twin", "paraphrase"]  # of each item, where the operator applies',
        "```",
        "",
        "Made by `make docs`.",
        "",
        *(f"- **{each}**: {registry.about_operator(each)}" for each in registry.operators()),
        "",
        "Wrong options and false claims are made to look right. `make giveaways` measures how",
        "often a reader is right who has learned from others and goes by looks alone: words, sizes",
        "and forms. Where that is more than 3 points above chance, the variant declares it as its",
        "guess rate. The pages by category give the guess rate of each.",
        "",
        "Which families have which, by category:",
        "",
        *(f"- [{each}](variants/{each}.md)" for each in registry.categories()),
    ]
    return "\n".join(lines) + "\n"


def variants_page(category: str) -> str:
    """docs/variants/<category>.md: one line a family."""
    operators = registry.operators()
    lines = [
        f"# Variants: {category}",
        "",
        "What the operators do is told in [variants](../variants.md). A figure is a guess rate:",
        "how often one is right who goes by looks alone.",
        "",
        f"Made by `make docs`; `puzzlemill families {category} --variants` prints it.",
        "",
        f"| family | {' | '.join(operators)} |",
        f"|---|{'---|' * len(operators)}",
    ]
    for name in registry.names(category):
        own = set(registry.variants(name))
        marks = (_mark(f"{name}+{each}") if f"{name}+{each}" in own else "" for each in operators)
        lines.append(f"| `{name}` | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


def _mark(name: str) -> str:
    """That there is such a variant; if it shows answers, how often they are guessed."""
    variant = registry.family(name)
    shows = variant.origin is not None and variant.origin.shown is not None
    return f"{variant.guess_rate:.0%}" if shows else "✓"


_BAR = "\\|"


def item_texts(name: str, level: float, seed: int, count: int, pictures: Path) -> Iterator[str]:
    """Items as a policy sees them; their pictures are written to a folder."""
    for item in items_of(name, level, seed, count):
        yield item_text(item, pictures)


def item_text(item: Item, pictures: Path, named: bool = False) -> str:
    """An item as a policy sees it, with its answer; `named`: with its family and level."""
    files = []
    for place, image in enumerate(item.images):
        files.append(pictures / f"{item.uid}-{place}.png")
        with whole(files[-1]) as beside:
            beside.write_bytes(image)
    of = f"{item.family} at level {item.level:g}  " if named else ""
    lines = [f"── {of}{item.uid}  {item.knobs}", item.prompt, *(f"[{file}]" for file in files)]
    return "\n".join([*lines, f"── answer ({item.certificate})", item.answer, ""])


def items_of(
    name: str, level: float, seed: int, count: int, knobs: Mapping[str, Any] | None = None
) -> Iterator[Item]:
    """Items to look at; a family that fails on one is told of in a line."""
    items = generate(name, level=level, seed=seed, n=count, knobs=knobs)
    for place in range(count):
        item = guarded(_item, items, place)
        if isinstance(item, UserError):
            raise item
        if isinstance(item, Failure):
            reason = " ".join(item.reason.split())
            raise UserError(
                f"{name} makes no item at level {level:g}: {reason};"
                f" `puzzlemill audit {name}` says more"
            )
        yield item


def _item(items: Items, place: int) -> Item | UserError:
    try:
        return items[place]
    except UserError as error:
        return error
