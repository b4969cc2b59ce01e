"""Writes the pages that follow from the code: `make docs`.

Families, variants, commands and recipe keys are told by the code alone, and papers by the recipes
that reproduce them, so their pages are made of these. A line is a family's or a recipe's own:
whoever adds one changes nothing else of a page.
"""

from pathlib import Path

import cli_page
import papers_page
import recipe_page
import schema_page

from puzzlemill.core import registry
from puzzlemill.outputs import listing

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDERS = ("families", "variants")  # a page for each category


def pages() -> dict[str, str]:
    """Every page by its path in docs/."""
    found = {
        "cli.md": cli_page.page(),
        "families.md": listing.families_index(),
        "kinds.md": schema_page.kinds_page(),
        "papers.md": papers_page.page(),
        "recipe.md": recipe_page.page(),
        "rows.md": schema_page.rows_page(),
        "variants.md": listing.variants_index(),
    }
    for category in registry.categories():
        found[f"families/{category}.md"] = listing.families_page(category)
        found[f"variants/{category}.md"] = listing.variants_page(category)
    return found


def strays(wanted: dict[str, str]) -> list[Path]:
    """Pages of categories that there are no more."""
    there = [path for folder in FOLDERS for path in (DOCS / folder).glob("*.md")]
    return [path for path in there if path.relative_to(DOCS).as_posix() not in wanted]


def write() -> None:
    wanted = pages()
    for name, text in wanted.items():
        path = DOCS / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in strays(wanted):
        path.unlink()


if __name__ == "__main__":
    write()
