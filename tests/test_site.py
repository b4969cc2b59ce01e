"""The site's navigation and links, without MkDocs; `make site` holds the pages themselves."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import site_pages

DOCS = Path(__file__).parent.parent / "docs"


def test_each_page_is_in_the_navigation_once() -> None:
    pages = [page for found in site_pages.sections().values() for page in found]
    listed = Counter([page.source for page in pages])
    listed.update(inner for page in pages for inner in site_pages.under(page))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert set(listed) == there | set(site_pages.OUTSIDE.values())
    assert set(listed.values()) == {1}


def test_the_sections_are_those_of_the_index() -> None:
    assert [*site_pages.sections()] == [
        *("Start", "Tutorials", "How-to", "Reference"),
        *("Families", "Papers", "Explanation", "Contribute"),
    ]


def test_links_lead_to_pages_copies_or_nowhere() -> None:
    text = (
        "[a](docs/items.md#proof) ![b](docs/report.png) [c](CONTRIBUTING.md)"
        " [d](recipes/demo.toml) [e](docs/audit)"
    )
    assert site_pages.for_site(text, "README.md") == (
        "[a](items.md#proof) ![b](report.png) [c](contributing.md)"
        " [d](files/recipes/demo.toml.txt) e",
        {"recipes/demo.toml"},
    )
    text = "[`sums`](../../tests/golden/sums.txt) [b](basics.md)\n\n```text\n[c](../x.md)\n```\n"
    assert site_pages.for_site(text, "docs/families/basics.md") == (
        text.replace("../../tests", "../files/tests"),
        {"tests/golden/sums.txt"},
    )


def test_the_index_for_language_models_has_every_section_and_question() -> None:
    text = site_pages.llms()
    assert text.startswith("# Puzzlemill\n\n> ")
    for heading, pages in site_pages.sections().items():
        assert f"\n## {heading}\n" in text
        for page in pages:
            assert page.question in text


def test_a_page_of_families_leads_to_its_gallery_below_its_title() -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="families/basics.md"), meta={})
    text = site_pages.on_page_markdown("# Families: basics\n\nSmall tasks.\n", page=page)
    title, gallery, about = text.strip().split("\n\n")
    assert (title, about) == ("# Families: basics", "Small tasks.")
    assert gallery.endswith("](../gallery/basics.html)")
    assert page.meta["search"]["boost"] < 1  # searches lead to other pages first


def test_each_cell_of_a_table_names_its_column() -> None:
    table = "<table><tr><th>a <code>b</code></th><th>c</th></tr>{}</table>"
    rows = "<tr><td>1</td><td>2</td></tr>" * 2
    labelled = '<tr><td data-column="a b">1</td><td data-column="c">2</td></tr>' * 2
    assert site_pages.with_labels(table.format(rows)) == table.format(labelled)
