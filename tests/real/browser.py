"""The viewer and the report in a real browser: Chromium, driven by Playwright. `make browser`.

CHROMIUM names the browser to drive.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from puzzlemill import pipelines
from puzzlemill.core.rows import with_columns
from puzzlemill.core.storage.files import checksum, read_json, write_json
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.outputs.report import write_report
from puzzlemill.outputs.viewer.addresses import site_of
from puzzlemill.serving.listening import address, bound, http_server
from puzzlemill.serving.start import viewer_of

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
HOSTILE = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
RECIPE = """name = "seen"
seed = 5
shard = 40
[[make]]
families = ["sums", "sorting"]
count = 20
[[make]]
families = ["sudoku", "jigsaw_pair"]
count = 3
levels = [0.0]
[policy]
max_tokens = 64
[score]
most = 4
rounds = 3
keep_replies = true
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builds")
    (folder / "seen.toml").write_text(RECIPE)
    build = pipelines.build(folder / "seen.toml", folder)
    file = build / "dataset" / "data" / "train-00000-of-00001.parquet"
    rows = read_table(file)
    prompts = rows["prompt"].to_pylist()
    prompts[0] = [{"role": "user", "content": f"Hostile: {HOSTILE}"}]
    write_table(file, with_columns(rows, {"prompt": prompts}))
    manifest = read_json(build / "manifest.json")
    manifest["files"]["data/train-00000-of-00001.parquet"]["sha256"] = checksum(file)
    write_json(build / "manifest.json", manifest)
    write_report(build)
    return build


@pytest.fixture(scope="module")
def place(built: Path) -> Iterator[str]:
    sock = bound("127.0.0.1", 0)
    server = http_server(viewer_of(site_of(built, built)), "127.0.0.1")
    thread = Thread(target=server.run, args=([sock],))
    thread.start()
    yield address(sock)
    server.should_exit = True
    thread.join()


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
    """A page whose faults fail the test: errors, and whatever the policy on content forbids."""
    faults: list[str] = []
    context = browser.new_context()
    opened = context.new_page()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    # A download ends the navigation that began it.
    opened.on(
        "requestfailed",
        lambda request: None if "/rows." in request.url else faults.append(request.url),
    )
    yield opened
    context.close()
    assert not faults


def gold(built: Path, family: str) -> tuple[str, str]:
    """An item of a family and its answer."""
    for file in sorted((built / "dataset").rglob("*.parquet")):
        for row in read_table(file).to_pylist():
            if row["family"] == family:
                return row["uid"], row["answer"]
    raise AssertionError(f"no {family}")


def test_filters_narrow_the_list(page: Page, place: str) -> None:
    page.goto(place)
    assert page.locator(".list .entry").count() == 25
    page.get_by_label("Family").select_option("sudoku")
    page.wait_for_url("**family=sudoku*")
    assert page.locator(".list .entry").count() == 3
    assert "words=" not in page.url  # empty fields stay out of the address
    page.get_by_role("link", name="Clear").click()
    page.get_by_label("Search in prompts").fill("hostile")
    page.keyboard.press("Enter")
    page.wait_for_url("**words=hostile*")
    assert page.locator(".list .entry").count() == 1


def test_a_hostile_prompt_is_shown_and_not_run(page: Page, place: str) -> None:
    page.goto(f"{place}0/?words=hostile")
    page.locator(".list .entry").click()
    assert HOSTILE in page.locator(".sheet").inner_text()
    assert page.title() != "run"


def test_a_right_and_a_wrong_answer_are_checked(page: Page, place: str, built: Path) -> None:
    uid, answer = gold(built, "sudoku")
    page.goto(f"{place}0/item/{uid}")
    assert page.locator(".sheet pre").count() == 1  # the grid
    for text, status in ((answer, "correct"), (answer.translate({49: "2"}), "wrong")):
        page.get_by_label("answer", exact=True).fill(text)
        page.get_by_role("button", name="Check").click()
        page.wait_for_selector(f".verdict.{status}", timeout=60_000)
    page.get_by_role("link", name="Work it out").click()
    page.wait_for_selector(".worked li", timeout=60_000)


def test_everything_is_done_by_keys(page: Page, place: str) -> None:
    page.goto(place)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item/**")
    assert "2 of 46" in page.locator(".steps-bar").inner_text()
    page.keyboard.press("g")
    assert page.locator("[data-gold] pre").is_visible()
    page.keyboard.press("j")
    page.wait_for_function("document.querySelector('.steps-bar').innerText.includes('3 of')")
    assert page.locator("[data-gold] pre").is_visible()  # it stays open from item to item
    page.keyboard.press("a")
    page.keyboard.type("never j nor k")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".verdict", timeout=60_000)
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 2, "y": 300})
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.wait_for_url("**/0/")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "words"


def test_replies_are_shown_and_found_by_verdict(page: Page, place: str) -> None:
    page.goto(f"{place}0/?verdict=wrong")
    page.locator(".list .entry").first.click()
    page.locator(".reply summary", has_text="wrong").first.click()
    assert "<answer>" in page.locator(".reply[open] pre").first.inner_text()


def test_builds_are_compared(page: Page, place: str) -> None:
    page.goto(place)
    page.get_by_role("link", name="Compare").click()
    assert page.locator(".kinds a").first.inner_text().split()[0] == "46"
    page.locator(".kinds a", has_text="gone").click()
    assert "None." in page.locator(".list").inner_text()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_its_screen(
    browser: Browser, place: str, built: Path, width: int, scheme: str
) -> None:
    uid, _ = gold(built, "jigsaw_pair")
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    addresses = [f"{place}0/", f"{place}0/?family=jigsaw_pair", f"{place}0/item/{uid}?steps=1"]
    addresses += [
        f"{place}compare/item/{uid}",
        f"{place}compare",
        f"{place}0/report",
        (built / "report.html").as_uri(),
    ]
    for each in addresses:
        page.goto(each)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{each} is {wide} wide"
        ink, paper = page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).background]"
        )
        assert ink not in paper
    hidden = page.locator(".wide:has(table.reasons)").evaluate_all(
        """all => all.map(each => {
            each.querySelector("td:last-child").textContent = "name_".repeat(80);
            return each.scrollWidth - each.clientWidth;
        })"""
    )
    assert hidden == [0], "the names of families wrap"
    context.close()


def test_it_works_where_no_script_is_run(browser: Browser, place: str, built: Path) -> None:
    uid, answer = gold(built, "sums")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(place)
    page.get_by_label("Family").select_option("sums")
    page.get_by_role("button", name="Show").click()
    assert "20 items" in page.locator(".count").inner_text()
    page.goto(f"{place}0/item/{uid}")
    page.get_by_label("answer", exact=True).fill(answer)
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector(".verdict.correct", timeout=60_000)
    context.close()


def test_another_site_can_neither_read_nor_post(browser: Browser, place: str, built: Path) -> None:
    uid, _ = gold(built, "sums")
    context = browser.new_context()
    page = context.new_page()
    page.goto("data:text/html,<p>another site")
    for how in ("{mode: 'cors'}", "{method: 'POST', mode: 'cors', body: 'text=1'}"):
        target = json.dumps(f"{place}0/item/{uid}")
        read = f"fetch({target}, {how}).then(() => 'read', () => 'refused')"
        assert page.evaluate(read) == "refused"
    with page.expect_navigation() as posted:
        page.evaluate(
            "to => { document.body.innerHTML = `<form method=post action=${to}>"
            "<input name=text value=1></form>`; document.forms[0].submit() }",
            f"{place}0/item/{uid}",
        )
    assert posted.value.status == 403
    context.close()


def test_the_report_runs_nothing_and_asks_for_nothing(page: Page, place: str, built: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((built / "report.html").as_uri())
    assert "just hard enough" in page.locator("h1").inner_text()
    assert HOSTILE.split(">")[0] not in page.content().split("<body>")[0]
    assert page.title() != "run"
    assert [each for each in asked if not each.startswith("data:")] == [page.url]
    page.goto(f"{place}0/report")
    assert "just hard enough" in page.locator("h1").inner_text()


def test_a_note_is_kept_and_two_tabs_lose_nothing(page: Page, place: str, built: Path) -> None:
    uid, _ = gold(built, "sums")
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{place}0/item/{uid}")
    for tab, text in ((page, "of the first tab"), (other, "of the second tab")):
        tab.get_by_label("note", exact=True).fill(text)
        tab.get_by_role("button", name="Keep").click()
        tab.wait_for_selector(f".note:has-text('{text}')")
    assert other.locator(".note").count() == 2
    other.close()


def test_what_is_filtered_is_drawn_and_downloaded(page: Page, place: str) -> None:
    page.goto(f"{place}0/?family=sums")
    assert page.locator(".charts svg").count() == 2
    with page.expect_download() as begun:
        page.get_by_role("link", name="JSONL").click()
    lines = begun.value.path().read_text().splitlines()
    assert {json.loads(line)["family"] for line in lines} == {"sums"}
    assert len(lines) == 20


def test_an_item_is_copied_as_python(page: Page, place: str, built: Path) -> None:
    uid, _ = gold(built, "sums")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{place}0/item/{uid}")
    page.get_by_text("As Python").click()
    page.get_by_role("button", name="Copy").click()
    page.wait_for_selector("text=Copied")
    assert "pm.item(" in page.evaluate("navigator.clipboard.readText()")


def test_replies_of_two_builds_stand_side_by_side(page: Page, place: str) -> None:
    page.goto(f"{place}compare")
    page.locator(".list .entry").first.click()
    page.wait_for_url("**/compare/item/**")
    assert page.locator(".sides section").count() == 2
    assert page.locator(".sides .reply[open]").count() == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_the_contents_of_the_report_stay_in_view(page: Page, built: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((built / "report.html").as_uri())
    names = page.locator("nav a").evaluate_all("all => all.map(each => each.hash)")
    for name in names:
        page.locator(f"section{name}").evaluate(
            "each => each.scrollIntoView({behavior: 'instant'})"
        )
        box = page.locator("nav").bounding_box()
        assert box
        assert 0 <= box["y"] < 2
    assert len(names) > 3
