"""The site of the documents: MkDocs' navigation, pages and links, from Markdown that GitHub shows.

The navigation is the index of `docs/how-it-works.md`: a heading is a section, a row is a page. A
page `families.md` is followed by the pages of the folder `families/`.
"""

import re
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GALLERY = ROOT / "builds" / "gallery"
INDEX = "how-it-works.md"
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
}  # pages that docs/ has not
FAMILIES = "families.md"  # the page that the gallery belongs to
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(```.*?^```)$", re.DOTALL | re.MULTILINE)
LISTS = ("families/", "variants/")  # pages that have nearly every word: found after all others
READABLE = {".txt", ".json", ".png", ".svg"}  # what a browser shows, and does not offer to save


@dataclass(frozen=True)
class Page:
    """A row of the index: its question, its title, and its file in docs/ or in the site."""

    question: str
    title: str
    source: str


def sections() -> dict[str, list[Page]]:
    """The index, by section, with the two pages that no row names: the README and the index."""
    index = (DOCS / INDEX).read_text().partition("\n## Where to look\n")[2]
    found: dict[str, list[Page]] = {}
    for part in index.split("\n### ")[1:]:
        heading, _, rows = part.partition("\n")
        linked = re.findall(r"^\| (.+?) \| \[(.+?)\]\((.+?)\) \|$", rows, re.MULTILINE)
        found[heading] = [
            Page(question, title[0].upper() + title[1:], _source(target))
            for question, title, target in linked
        ]
    first, *_ = found
    found[first].insert(
        0, Page("What is Puzzlemill, and how is it installed?", "Puzzlemill", "index.md")
    )
    found[first].append(
        Page("How does it work, and which page answers what?", "How it works", INDEX)
    )
    return found


def _source(target: str) -> str:
    return OUTSIDE.get(target.removeprefix("../"), target)


def under(page: Page) -> list[str]:
    """The pages of the folder that bears a page's name."""
    folder = DOCS / page.source.removesuffix(".md")
    return sorted(path.relative_to(DOCS).as_posix() for path in folder.glob("*.md"))


def navigation() -> list[dict[str, Any]]:
    """What `nav` of mkdocs.yml would say. MkDocs takes for its home only what is in no section."""
    home = {"Home": "index.md"}
    return [home] + [
        {heading: [_entry(page) for page in pages if page.source not in home.values()]}
        for heading, pages in sections().items()
    ]


def _entry(page: Page) -> dict[str, Any]:
    inner: list[Any] = list(under(page))
    if page.source == FAMILIES:
        inner.insert(0, {"Gallery": "gallery/index.html"})
    return {page.title: [page.source, *inner] if inner else page.source}


def for_site(text: str, place: str) -> tuple[str, set[str]]:
    """A page of the repository's file `place` as the site has it, and the files that it links to.

    A file outside docs/ is copied into the site. A folder has no page: its link's text stays.
    """
    copied: set[str] = set()
    page = OUTSIDE.get(place, place.removeprefix("docs/"))

    def link(found: re.Match[str]) -> str:
        image, label, target, anchor = found.groups()
        aim = normpath(f"{Path(place).parent}/{target}")
        if (ROOT / aim).is_dir():
            return label
        if aim in OUTSIDE:
            aim = f"docs/{OUTSIDE[aim]}"
        elif not aim.startswith("docs/"):
            copied.add(aim)
            aim = f"docs/{copy_of(aim)}"
        to = relpath(aim.removeprefix("docs/"), Path(page).parent.as_posix())
        return f"{image}[{label}]({to}{anchor or ''})"

    parts = FENCE.split(text)  # code is left as it is
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts), copied


def to_gallery(source: str) -> str:
    """The line of a page of families that leads to its samples in the gallery."""
    if source == FAMILIES:
        return "[Gallery: a drawn sample of each at three levels](gallery/index.html)"
    category = source.removeprefix("families/").removesuffix(".md")
    return f"[Gallery: a drawn sample of each at three levels](../gallery/{category}.html)"


def with_labels(html: str) -> str:
    """Each cell of a table names its column, for phones, which show rows as cards."""

    def table(found: re.Match[str]) -> str:
        heads = re.findall(r"<th[^>]*>(.*?)</th>", found[0], re.DOTALL)
        plain = [re.sub("<[^>]+>", "", head).replace('"', "&quot;") for head in heads]
        columns = cycle(plain)
        return re.sub("<td", lambda _: f'<td data-column="{next(columns)}"', found[0])

    return re.sub("<table>.*?</table>", table, html, flags=re.DOTALL)


def copy_of(file: str) -> str:
    """Where the site has a file of the repository, under a name that browsers show as text."""
    return f"files/{file}" if Path(file).suffix in READABLE else f"files/{file}.txt"


def repository_file(source: str) -> str:
    """The file in the repository that a page of the site is made from."""
    return {page: file for file, page in OUTSIDE.items()}.get(source, f"docs/{source}")


def llms() -> str:
    """The index for language models, in the form of llmstxt.org."""
    summary = (ROOT / "mkdocs.yml").read_text().partition("site_description: ")[2].splitlines()[0]
    lines = ["# Puzzlemill", "", f"> {summary}", "", "[All pages as one text](llms-full.txt)"]
    for heading, pages in sections().items():
        lines += ["", f"## {heading}", ""]
        lines += [f"- [{page.title}]({_html(page.source)}): {page.question}" for page in pages]
    return "\n".join(lines) + "\n"


def _html(source: str) -> str:
    return source.removesuffix(".md") + ".html"


def llms_full() -> str:
    """The pages of the index one after another; lists of families and variants stay apart."""
    files = [repository_file(page.source) for pages in sections().values() for page in pages]
    return "\n\n".join(f"<!-- {file} -->\n\n{(ROOT / file).read_text()}" for file in files)


def on_config(config: Any) -> Any:
    """MkDocs asks for this before it reads any page."""
    config.nav = navigation()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages that lie outside docs/, the files that pages link to, and the gallery."""
    from mkdocs.structure.files import File

    wanted = set[str]()
    for path in [*DOCS.rglob("*.md"), *(ROOT / file for file in OUTSIDE)]:
        wanted |= for_site(path.read_text(), path.relative_to(ROOT).as_posix())[1]
    for file in sorted(wanted):
        files.append(File.generated(config, copy_of(file), abs_src_path=str(ROOT / file)))
    for file, source in OUTSIDE.items():
        files.append(File.generated(config, source, abs_src_path=str(ROOT / file)))
    for path in sorted(GALLERY.glob("*.html")):
        files.append(File.generated(config, f"gallery/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads each link to where the site has its target, and pages of families to the gallery.

    The search finds lists of families after other pages.
    """
    source = page.file.src_uri
    text = for_site(markdown, repository_file(source))[0]
    if source.startswith(LISTS):
        page.meta["search"] = {"boost": 0.02}
    if source == FAMILIES or source.startswith("families/"):
        title, rest = text.split("\n\n", 1)
        text = f"{title}\n\n{to_gallery(source)}\n\n{rest}"
    return text


def on_page_content(html: str, **_: Any) -> str:
    return with_labels(html)


def on_post_build(config: Any) -> None:
    """Writes the pages for language models beside the others."""
    site = Path(config.site_dir)
    (site / "llms.txt").write_text(llms())
    (site / "llms-full.txt").write_text(llms_full())
