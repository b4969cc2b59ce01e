"""The built site in Chromium, from the disk: links, search, width, light and dark. `make site`.

CHROMIUM names the browser to drive.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SITE = Path(__file__).parents[2] / "builds" / "site"
PAGES = sorted(SITE.rglob("*.html"))
HOME = (SITE / "index.html").as_uri()
LOOKED_AT = ["index", "papers", "recipe", "glossary", "families/logic", "tutorials/train-with-trl"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    texts = {path: path.read_text() for path in PAGES if path.name != "404.html"}
    anchors = {path: set(re.findall(r'\bid="?([^"\s>]+)', text)) for path, text in texts.items()}
    checked = 0
    for path, text in texts.items():
        for link in re.findall(r'\b(?:href|src)="([^"]+)"', text):
            url, anchor = urldefrag(urljoin(path.as_uri(), link))
            if urlsplit(url).scheme != "file":
                continue
            aim = Path(unquote(urlsplit(url).path))
            assert aim.is_file(), f"{path.name} leads to {link}"
            if anchor and aim in anchors and aim.name != "404.html":
                assert unquote(anchor) in anchors[aim], f"{path.name} leads to {link}"
            checked += 1
    assert checked > 1000


def test_search_works_from_the_disk_and_asks_nobody(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(HOME)
    page.locator("input[name=query]").click()
    page.keyboard.type("decontamination")
    page.wait_for_selector(".md-search-result__link[href*='filters.html']", timeout=60_000)
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url("**/*.html?h=**")
    elsewhere = [each for each in asked if not each.startswith(("file:", "data:", "blob:"))]
    assert elsewhere == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_screen(browser: Browser, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    for name in LOOKED_AT:
        page.goto((SITE / f"{name}.html").as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} wide"
        used = page.evaluate("document.body.getAttribute('data-md-color-scheme')")
        assert used == {"light": "default", "dark": "slate"}[scheme]
        if folder := os.environ.get("PICTURES"):  # to look at them
            page.screenshot(path=f"{folder}/{name.replace('/', '-')}-{width}-{scheme}.png")
    context.close()


def test_language_models_get_an_index_and_all_pages() -> None:
    index = (SITE / "llms.txt").read_text()
    for target in re.findall(r"\]\(([^)]+)\)", index):
        assert (SITE / target).is_file(), target
    assert len((SITE / "llms-full.txt").read_text()) > 200_000
