"""Documents say what is so: commands, examples, links and lists are held against the code."""

import re
import tomllib
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Annotated, Literal

import make_docs
import pytest
import recipe_page
import schema_page
from typer.testing import CliRunner

import puzzlemill
from puzzlemill.__main__ import app
from puzzlemill.core import answers, registry
from puzzlemill.core.rows import SCHEMA
from puzzlemill.core.settings import Named, OneOf, Range
from puzzlemill.core.storage.files import read_json
from puzzlemill.difficulty.curricula import CURRICULA
from puzzlemill.pipelines.recipe import Recipe, read_recipe, recipe_from
from puzzlemill.trainer.settings import TrainGames

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
SUITES = (
    *("CLRS-Text", "Enigmata", "G1", "GEM", "Guru", "IFEval", "InternBootcamp", "Jigsaw-R1"),
    *("KORGym", "Light-IF", "RLVE", "RuleReasoner", "SynLogic", "TextArena", "Visual-Jigsaw"),
    *("mathematics_dataset", "reasoning-core", "reasoning-gym"),
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def _anchors(page: Path) -> set[str]:
    """The names that links may go to, as GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", each) for each in headings]
    return {re.sub(r"[^\w\- ]", "", each).lower().replace(" ", "-") for each in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_a_heading_find_it(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text()):
        found = page.parent / target if target else page
        assert anchor in _anchors(found), f"{page.name} links to {target}#{anchor}"


def test_the_index_leads_to_every_page_and_each_page_is_short() -> None:
    links = set(re.findall(r"\]\((\w[\w-]*\.md)", _page("how-it-works.md")))
    pages = {page.name for page in DOCS.glob("*.md")} - {"how-it-works.md", "release.md"}
    assert not pages - links, "how-it-works.md lists all pages, by question"
    made = make_docs.pages()
    pages |= {f"tutorials/{page.name}" for page in DOCS.glob("tutorials/*.md")}
    for name in pages - {*made, "glossary.md"}:
        assert len(_page(name).splitlines()) <= 200, f"{name} answers more than one question"


def test_every_command_has_a_help_and_stands_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    for name in commands:
        command = name.replace("_", "-")
        told = CliRunner().invoke(app, [command, "--help"])
        assert told.exit_code == 0
        assert f"`puzzlemill {command}" in readme, f"the README does not tell of {command}"
    for named in re.findall(r"`puzzlemill ([a-z-]+)", readme):
        assert named.replace("-", "_") in commands


def test_the_readme_s_example_runs() -> None:
    readme = (ROOT / "README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) <= 15
    shown = code.partition("folder = pm.build")[0]  # the build has tests of its own
    exec(compile(shown, "README.md", "exec"), {})


@pytest.mark.parametrize("name", ["python.md", "datasets.md"])
def test_the_examples_of_a_page_run_one_after_the_other(name: str) -> None:
    page = (ROOT / "docs" / name).read_text()
    names: dict[str, object] = {"__name__": "page"}
    for code in re.findall(
        r"^(?<!run: minutes -->\n)```python\n(.*?)```", page, re.DOTALL | re.MULTILINE
    ):
        exec(compile(code, name, "exec"), names)


def test_the_python_page_tells_of_every_name_with_its_parameters_and_defaults() -> None:
    page = " ".join((ROOT / "docs" / "python.md").read_text().split())
    for name in puzzlemill.__all__:
        assert f"`pm.{name}" in page or name == "UserError", name
        if name.islower():
            told = re.search(rf"`pm\.{name}\(([^`]*)\) -> ", page)
            assert told, f"no signature of pm.{name}"
            given = signature(getattr(puzzlemill, name)).parameters.values()
            meant = [
                each.name if each.default is each.empty else f"{each.name}={each.default!r}"
                for each in given
            ]
            said = [each for each in re.split(r", (?![^(]*\))", told[1]) if each not in ("", "*")]
            assert [each.replace('"', "'") for each in said] == meant


def test_pages_that_follow_from_the_code_are_not_stale() -> None:
    wanted = make_docs.pages()
    there = {name: DOCS / name for name in wanted}
    stale = [
        name
        for name, path in there.items()
        if not path.is_file() or path.read_text() != wanted[name]
    ]
    stale += [path.name for path in make_docs.strays(wanted)]
    assert not stale, f"stale: {', '.join(stale)}; `make docs` writes them anew"


def test_every_family_has_a_line_of_its_own_and_names_suites_that_are_known() -> None:
    for name in registry.names():
        family = registry.family(name)
        page = (DOCS / "families" / f"{family.category}.md").read_text()
        assert page.count(f"| [`{name}`]") == 1
        suites = {peer.partition("/")[0] for peer in family.peers}
        assert suites <= set(SUITES), f"{name}: a suite is one of {SUITES}"


def test_pages_of_families_hold_no_count_that_every_new_family_changes() -> None:
    for name in ("families.md", "variants.md"):
        assert not re.search(r"\d+ (families|pairs)", (DOCS / name).read_text())


def test_every_key_of_a_recipe_stands_in_its_page() -> None:
    page = (DOCS / "recipe.md").read_text()
    for heading, kind in recipe_page.tables(Recipe, ()):
        section = page.partition(f"\n## {heading or 'At the top'}\n")[2].partition("\n## ")[0]
        for each in recipe_page.own_keys(kind):
            assert f"\n| `{each.name}` |" in section


def test_the_page_of_recipe_keys_reads_ranges_names_choices_and_comments() -> None:
    (rows,) = (part.splitlines()[6:] for part in recipe_page.page_of(Wine).split("\n## ")[1:])
    names = CURRICULA.names()
    assert rows[4:] == [
        "",
        "| `how` | what it is |",
        "|---|---|",
        *(f'| `"{name}"` | {CURRICULA.about(name)} |' for name in names),
    ]
    assert rows[:4] == [
        '| `colour` | text | `"red"` | `"red"`, `"white"` | of the bottle. What is poured |',
        "| `share` | number | `0.5` | 0 to 1 | of the glass; above 1 it runs over |",
        '| `band` | list of 2 numbers | `[0, 1]` | `"dry"` = `[0, 0.1]` | of sugar |',
        '| `how` | text | `"uniform"` | `"adcl"`, `"adr"`'
        + "".join(f', `"{name}"`' for name in names[2:])
        + " |  |",
    ]


def _page(name: str) -> str:
    return (DOCS / name).read_text()


# What is poured
Colour = Literal["red", "white"]


@dataclass(frozen=True)
class Wine:
    """What is drunk."""

    colour: Colour = "red"  # of the bottle
    # of the glass;
    share: Annotated[float, Range(0, 1)] = 0.5  # above 1 it runs over
    band: Annotated[tuple[float, float], Named("wine", {"dry": (0, 0.1)})] = (0, 1)  # of sugar
    how: Annotated[str, OneOf(CURRICULA)] = "uniform"


def test_every_kind_of_policy_is_told_of_among_the_engines() -> None:
    row = _page("recipe.md").partition("\n| `kind` |")[2].partition("\n")[0]
    kinds = re.findall(r'`"(\w+)"`', row.split(" | ")[2])
    assert len(kinds) > 5
    for kind in kinds:
        assert f"\n| `{kind}` |" in _page("engines.md")
        assert f"`{kind}`" in (ROOT / "README.md").read_text()


def test_every_key_of_the_replication_checklist_is_there() -> None:
    keys = _page("recipe.md") + _page("filters.md") + _page("losses.md") + _page("cli.md")
    named = re.findall(r"`([a-z_]+)`", _page("replication.md"))
    said = {"solve", "verify", "surprise", "discarded", "guess_rate", "unsolvable"}
    assert len(named) > 25
    for name in set(named) - said:
        assert f"`{name}`" in keys, f"replication.md tells of {name}, which no page has"


def test_a_word_of_the_glossary_has_one_line() -> None:
    for part in _page("glossary.md").split("\n## ")[1:]:
        terms = re.findall(r"^\| ([^|]+) \|", part, re.MULTILINE)[2:]
        assert len(terms) == len(set(terms)) > 5


def test_the_glossary_has_every_column_and_every_recipe_key_with_its_tables() -> None:
    columns, keys = _page("glossary.md").partition("\n## Columns\n")[2].split("\n## Recipe keys\n")
    assert re.findall(r"^\| `(\w+)` \|", columns, re.MULTILINE) == SCHEMA.names
    told = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", keys, re.MULTILINE))
    wanted: dict[str, dict[str, None]] = {}
    for heading, kind in recipe_page.tables(Recipe, ()):
        table = f"`{heading.partition(' ')[0]}`" if heading else "top"
        for each in recipe_page.own_keys(kind):
            wanted.setdefault(each.name, {})[table] = None
    assert told == {name: ", ".join(tables) for name, tables in wanted.items()}


def test_the_audit_has_every_family_in_its_category_and_no_other() -> None:
    for category in registry.categories():
        path = DOCS / "audit" / f"{category}.json"
        held = set(read_json(path)["families"]) if path.is_file() else set()
        for name in held ^ set(registry.names(category)):
            raise AssertionError(
                f"{path.name} and the families differ in {name}: `puzzlemill audit"
                f" {name if name not in held else category} --json docs/audit` writes it anew"
            )


def test_the_audit_is_of_the_versions_that_families_have() -> None:
    held = {
        name: each["version"]
        for path in (DOCS / "audit").glob("*.json")
        for name, each in read_json(path)["families"].items()
    }
    stale = [name for name in held if registry.family(name).version != held[name]]
    assert not stale, f"`puzzlemill audit {' '.join(stale)} --json docs/audit` audits them anew"


def test_no_registry_and_no_address_is_promised_before_the_release() -> None:
    pages = [page for page in PAGES if page.name != "release.md"]
    texts = [*pages, ROOT / "pyproject.toml", *(ROOT / "outputs").rglob("*.jinja")]
    texts += [*(ROOT / "outputs" / "exports").glob("*.py"), ROOT / "prefect.yaml"]
    texts += [*(ROOT / ".github").rglob("*.*"), ROOT / "CITATION.cff"]
    for path in texts:
        text = path.read_text()
        assert "github.com/puzzlemill" not in text, f"{path.name} names a repository"
        assert not re.search(r"pip install -?U? ?['\"]?puzzlemill['\"`\s]", text), path.name


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.toml")), ids=lambda p: p.name)
def test_recipes_can_be_read(path: Path) -> None:
    recipe = read_recipe(path)
    assert recipe.make or isinstance(recipe.train, TrainGames)


def test_the_version_is_written_alike_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == puzzlemill.__version__
    assert f"\nversion: {puzzlemill.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## [{puzzlemill.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_a_family_s_version_that_rises_has_a_line_in_the_changelog() -> None:
    said: dict[str, int] = {}
    for name, version in re.findall(
        r"^- `(\w+)` (?:\d+ → )?(\d+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    ):
        said[name] = max(int(version), said.get(name, 1))
    for name in registry.names():
        old, new = said.get(name, 1), registry.family(name).version
        assert old == new, (
            f"CHANGELOG.md, under Unreleased, Family versions, wants: - `{name}` {old} → {new}"
        )


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert versions[0] == "[Unreleased]"
    for version in versions[1:]:
        assert re.fullmatch(r"\[\d+\.\d+\.\d+\]( - \d{4}-\d\d-\d\d)?", version)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Family versions"}
    assert {*re.findall(r"^### (.*)$", text, re.MULTILINE)} <= kinds


def test_constraints_hold_no_address() -> None:
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text
    assert "+" not in text


def test_kinds_read_what_their_table_says() -> None:
    assert {made.partition("(")[0] for made, *_ in schema_page.EXAMPLES} == {
        name for name in answers.__all__ if hasattr(getattr(answers, name), "write")
    } - {"Kind"}
    for made, (first, *others), refused in schema_page.EXAMPLES:
        kind = eval(made, {name: getattr(answers, name) for name in answers.__all__})
        assert kind.read(first) is not None, f"{made} does not read {first}"
        for other in others:
            assert kind.read(other) == kind.read(first), f"{made} reads {other} otherwise"
        for text in refused:
            assert kind.read(text) is None, f"{made} reads {text}"


def test_the_recipes_in_the_documents_can_be_read() -> None:
    # Those of the pages for contributors are read beside the parts that they name.
    for page in (page for page in PAGES if page.parent.name != "contributing"):
        for text in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
            if "entry-points" in text:
                continue
            table = {"name": "shown", "make": [{"families": ["sums"]}]} | tomllib.loads(text)
            for make in table["make"]:  # its files are the reader's own
                make["knobs"] = {
                    key: each for key, each in make.get("knobs", {}).items() if key != "source"
                }
            assert recipe_from(table).make
