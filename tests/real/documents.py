"""The built site in Chromium, from the disk: links, search, width, light and dark, and the
gallery in it. `make site`.

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
LOOKED_AT += ["variants/grids", "python"]
GALLERY = ["index", "grids", "graphs", "visual"]
WIDTHS, SCHEMES = (390, 1280), ("light", "dark")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).is_file():
        pytest.skip(f"no browser {CHROMIUM}: CHROMIUM names another")
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


# What newcomers ask, and the page or heading that answers it.
QUESTIONS = {
    "where do I set the learning rate?": "questions.html#where-is-the-learning-rate-set",
    "how do I add a family": "questions.html#how-do-i-add-a-family",
    "how do I use vLLM": "questions.html#how-do-i-use-vllm",
    "how do I train on my own model": "models.html",
    "download from Hugging Face": "questions.html#how-do-i-download-a-model-from-hugging-face",
    "how do I push to the hub": "questions.html#how-do-i-push-a-dataset-to-the-hugging-face-hub",
    "resume an interrupted build": "questions.html#how-do-i-resume-after-an-interruption",
    "how is a reply graded?": "questions.html#how-is-a-reply-graded",
    "KL penalty": "questions.html#where-is-the-kl-penalty-set",
    "nothing kept": "filters.html#nothing-kept",
    "remove duplicates": "filters.html#duplicates",
    "LoRA": "models.html#lora",
    "run on several machines": "scale.html",
    "print sudokus": "questions.html#how-do-i-print-sudokus-and-other-puzzles-for-children",
    "nightly": "scheduling.html",
    "evaluate a model": "tutorials/evaluate-a-model.html",
    "what do the columns mean": "glossary.html#columns",
}
FIRST = 3  # results that a reader looks at


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_newcomer_s_question_is_answered_within_two_clicks(page: Page, question: str) -> None:
    page.goto(HOME)
    box, link = page.locator("input[name=query]"), page.locator(".md-search-result__link")
    box.click()
    page.keyboard.type("zebra")
    link.first.wait_for(timeout=60_000)
    box.fill("")
    page.keyboard.type(question)
    found = page.locator(".md-search-result__item")
    target, _, heading = QUESTIONS[question].partition("#")
    ends = f"[href$='#{heading}']" if heading else ""
    wanted = f".md-search-result__link[href*='{target}']{ends}"
    page.locator(wanted).first.wait_for(state="attached", timeout=10_000)
    places = [item.locator(wanted).count() for item in found.all()[:FIRST]]
    assert any(places), f"{question}: not among the first"


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def screen(browser: Browser, width: int, scheme: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    yield context.new_page()
    context.close()


def _open(screen: Page, name: str, width: int, scheme: str) -> None:
    """A page, which is no wider than the screen; a picture of it, where one asks for them."""
    screen.goto((SITE / f"{name}.html").as_uri())
    wide = screen.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{name} is {wide} wide"
    if folder := os.environ.get("PICTURES"):
        screen.screenshot(path=f"{folder}/{name.replace('/', '-')}-{width}-{scheme}.png")


def test_no_page_is_wider_than_its_screen(screen: Page, width: int, scheme: str) -> None:
    for name in LOOKED_AT:
        _open(screen, name, width, scheme)
        used = screen.evaluate("document.body.getAttribute('data-md-color-scheme')")
        assert used == {"light": "default", "dark": "slate"}[scheme]


def test_the_gallery_fits_its_screen_in_light_and_dark(
    screen: Page, width: int, scheme: str
) -> None:
    for name in GALLERY:
        _open(screen, f"gallery/{name}", width, scheme)
        colour = screen.evaluate("getComputedStyle(document.body).backgroundColor")
        red = int(re.findall(r"\d+", colour)[0])
        assert (red < 60) == (scheme == "dark"), f"{name} is {colour}"


def test_a_phone_reads_a_family_without_scrolling_sideways(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((SITE / "families" / "grids.html").as_uri())
    row = page.locator("tr", has=page.get_by_text("sudoku", exact=True))
    boxes = [cell.bounding_box() for cell in row.locator("td:visible").all()]
    assert len(boxes) > 5
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    label = "getComputedStyle(document.querySelectorAll('tbody td')[1], '::before').content"
    assert page.evaluate(label) == '"version: "'
    page.close()


def test_no_table_is_cut_off_on_a_phone(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    for name in ("adapters", "difficulty", "python", "scheduling", "serving"):
        page.goto((SITE / f"{name}.html").as_uri())
        wrapped = page.locator(".md-typeset__scrollwrap")
        wrapped.first.wait_for(state="attached")
        hidden = wrapped.evaluate_all("all => all.map(each => each.scrollWidth - each.clientWidth)")
        assert max(hidden) <= 0, f"{name}: a table is wider than its page"
    page.close()


def test_the_gallery_is_reached_searched_and_left_again(page: Page) -> None:
    page.goto((SITE / "families.html").as_uri())
    page.locator("article").get_by_role("link", name="Gallery").click()
    page.wait_for_url("**/gallery/index.html")
    box, shown = page.locator("input[type=search]"), page.locator("[data-words]:visible")
    everything = shown.count()
    box.fill("knights knaves")
    assert 0 < shown.count() < everything / 10
    page.get_by_role("link", name="knights_knaves", exact=True).click()
    page.wait_for_url("**/gallery/logic.html#knights_knaves")
    page.get_by_role("link", name="as a table").click()
    page.wait_for_url("**/families/logic.html")
    page.locator("article").get_by_role("link", name="Gallery").click()
    page.wait_for_url("**/gallery/logic.html")
    page.locator("input[type=search]").fill("nothing has these words")
    assert page.locator("[data-words]:visible").count() == 0
    assert page.get_by_text("No family has these words.").is_visible()


def test_language_models_get_an_index_and_all_pages() -> None:
    index = (SITE / "llms.txt").read_text()
    for target in re.findall(r"\]\(([^)]+)\)", index):
        assert (SITE / target).is_file(), target
    assert len((SITE / "llms-full.txt").read_text()) > 200_000
