"""Documents say what is so: commands, examples, links and lists are held against the code."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import puzzlemill
from puzzlemill.__main__ import app
from puzzlemill.core import answers, registry
from puzzlemill.core.recipe import read_recipe, recipe_from

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
SUITES = (
    *("CLRS-Text", "Enigmata", "G1", "GEM", "InternBootcamp", "Jigsaw-R1", "KORGym", "RLVE"),
    *("SynLogic", "TextArena", "Visual-Jigsaw", "mathematics_dataset", "reasoning-core"),
    "reasoning-gym",
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


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


def test_the_list_of_families_is_the_registry_s() -> None:
    page = (ROOT / "docs" / "families.md").read_text()
    told = CliRunner().invoke(app, ["families", "--markdown"])
    assert page == told.stdout, "write it anew: puzzlemill families --markdown > docs/families.md"
    for name in registry.names():
        assert f"`{name}`" in page
        suites = {peer.partition("/")[0] for peer in registry.family(name).peers}
        assert suites <= set(SUITES), f"{name}: a suite is one of {SUITES}"


def test_the_list_of_variants_is_the_registry_s() -> None:
    page = (ROOT / "docs" / "variants.md").read_text()
    told = CliRunner().invoke(app, ["families", "--variants"])
    assert page == told.stdout, "write it anew: puzzlemill families --variants > docs/variants.md"


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("*.toml")), ids=lambda p: p.name)
def test_recipes_can_be_read(path: Path) -> None:
    recipe = read_recipe(path)
    assert recipe.make or recipe.train.play.games


def test_the_version_is_written_alike_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == puzzlemill.__version__
    assert f"## {puzzlemill.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_constraints_hold_no_address() -> None:
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text
    assert "+" not in text


def test_kinds_read_what_their_table_says() -> None:
    page = (ROOT / "docs" / "answers.md").read_text()
    rows = re.findall(r"^\| `(\w+\(.*?\))` \| (.*?) \|(.*) ?\|$", page, re.MULTILINE)
    assert {row[0].partition("(")[0] for row in rows} >= {
        name for name in answers.__all__ if hasattr(getattr(answers, name), "write")
    } - {"Kind"}
    for made, said, refused in rows:
        kind = eval(made, {name: getattr(answers, name) for name in answers.__all__})
        first, *others = re.findall(r"`([^`]+)`", said)
        assert kind.read(first) is not None, f"{made} does not read {first}"
        for other in others:
            assert kind.read(other) == kind.read(first), f"{made} reads {other} otherwise"
        for text in re.findall(r"`([^`]+)`", refused):
            assert kind.read(text) is None, f"{made} reads {text}"


def test_the_recipes_in_the_documents_can_be_read() -> None:
    for page in PAGES:
        for text in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
            if text.startswith("[["):
                table = tomllib.loads(f'name = "shown"\n{text}')
                for make in table["make"]:  # its files are the reader's own
                    make["knobs"] = {
                        key: each for key, each in make.get("knobs", {}).items() if key != "source"
                    }
                assert recipe_from(table).make
