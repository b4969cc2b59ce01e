"""The gallery: static pages whose links lead somewhere and that hold all that they show."""

import re
from pathlib import Path

import make_gallery
import pytest

from puzzlemill.core import registry

CATEGORY = "basics"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    make_gallery.write(folder, [CATEGORY])
    return folder


def test_every_link_of_the_gallery_leads_somewhere(folder: Path) -> None:
    pages = {path.name: path.read_text() for path in folder.iterdir()}
    assert {*pages} == {"index.html", f"{CATEGORY}.html"}
    site = {"../index.html", f"../families/{CATEGORY}.html"}  # tests/real/documents.py opens them
    for name, page in pages.items():
        for target, anchor in re.findall(r'href="([^"#]*)#?([^"]*)"', page):
            if target in site:
                continue
            assert (target or name) in pages
            assert not anchor or f'id="{anchor}"' in pages[target or name]
        assert not re.findall(r'(?:src|href)="(?:https?:|/)', page), "it works from disk"


def test_a_category_s_page_shows_every_family_at_three_levels(folder: Path) -> None:
    page = (folder / f"{CATEGORY}.html").read_text()
    for name in registry.names(CATEGORY):
        (part,) = re.findall(rf'<article class="family" id="{name}".*?</article>', page, re.DOTALL)
        assert part.count("<h3>level ") == len(make_gallery.LEVELS)
        assert "<summary>knobs</summary>" in part
        assert f"<dt>version</dt><dd>{registry.family(name).version}</dd>" in part
    assert "<svg" in page
    assert "<answer>" not in page  # what a prompt says is escaped


def test_the_index_can_be_searched_by_name_and_by_rule(folder: Path) -> None:
    page = (folder / "index.html").read_text()
    words = re.findall(r'data-words="([^"]*)"', page)
    assert len(words) == len(registry.names(CATEGORY))
    assert any("running_sums" in each and "remainder" in each for each in words)
