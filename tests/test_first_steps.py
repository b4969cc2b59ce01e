"""First steps: a recipe to begin with, the package's own, and the schema that editors check by."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.kinds import POLICIES
from puzzlemill.pipelines.packaged_recipes import packaged_names, packaged_recipe
from puzzlemill.pipelines.recipe import read_recipe
from puzzlemill.pipelines.recipe_schema import recipe_schema

tomllib = pytest.importorskip("tomllib")
ROOT = Path(__file__).resolve().parents[1]


def run(*command: str) -> str:
    said = CliRunner().invoke(app, [*command], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    return said.output


@pytest.fixture(scope="module")
def check() -> Any:
    """Faults of a table by the schema."""
    validator = pytest.importorskip("jsonschema").Draft7Validator
    validator.check_schema(recipe_schema())
    return lambda table: [error.message for error in validator(recipe_schema()).iter_errors(table)]


@pytest.mark.parametrize("kind", [name for name in POLICIES.names() if POLICIES.ours(name)])
def test_a_first_recipe_passes_the_check_of_recipes_and_that_of_editors(
    tmp_path: Path, check: Any, kind: str
) -> None:
    path = tmp_path / "mine.toml"
    run("init", str(path), "--policy", kind, "--schema")
    recipe = read_recipe(path)
    assert (recipe.name, recipe.policy.kind) == ("mine", kind)
    text = path.read_text()
    assert not check(tomllib.loads(text))
    assert text.startswith("#:schema ./recipe.schema.json\n")
    schema = (tmp_path / "recipe.schema.json").read_text()
    assert schema == run("schema")
    assert json.loads(schema) == recipe_schema()


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("mine")
    with pytest.raises(UserError, match="is there already; name another file"):
        run("init", str(tmp_path / "mine.toml"))
    assert (tmp_path / "mine.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x.toml", "--policy", "tinny"], "did you mean 'tiny'"),
        (["x.toml", "--from", "dmeo"], "no recipe 'dmeo' in the package"),
        (["x.toml", "--from", "demo", "--policy", "tiny"], "leave out --policy"),
        (["my build.toml"], "name 'my build' becomes a folder"),
    ],
)
def test_a_wrong_beginning_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=words):
        run("init", *arguments)
    assert not [*tmp_path.iterdir()]


def test_every_recipe_of_the_package_passes_the_schema(check: Any) -> None:
    for name in packaged_names():
        table = tomllib.loads((ROOT / "recipes" / f"{name}.toml").read_text())
        assert not check(table), name


@pytest.mark.parametrize(
    "text",
    [
        "sed = 1",
        "seed = 'x'",
        "policy = { kind = 'tinny' }",
        "make = [{ families = ['sums'], levels = [2] }]",
        "make = [{ families = 'sums' }]",
        "make = [{ count = 3 }]",
        "filters = { band = 'narrow' }",
        "filters = { band = [0.1] }",
        "score = { until = 'never' }",
        "train = { loss = { ratio = 'nope' } }",
    ],
)
def test_what_a_recipe_is_refused_for_an_editor_underlines(
    check: Any, tmp_path: Path, text: str
) -> None:
    made = "" if text.startswith("make") else "\n[[make]]\nfamilies = ['sums']\n"
    path = tmp_path / "x.toml"
    path.write_text(f"name = 'x'\n{text}{made}")
    with pytest.raises(UserError):
        read_recipe(path)
    assert check(tomllib.loads(path.read_text()))


def test_a_recipe_of_the_package_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("demo", "demo.toml", "recipes/demo.toml"):
        assert read_recipe(Path(name)).name == "demo"
    assert packaged_recipe(Path("elsewhere/demo.toml")) is None
    assert packaged_recipe(Path("../recipes/demo.toml")) is None
    (tmp_path / "demo").write_text("name = 'own'\nmake = [{ families = ['sums'] }]")
    assert read_recipe(Path("demo")).name == "own"
    said = run("build", "games", "--dry-run")
    assert "the package's own" in said


def test_the_packages_recipes_are_listed_and_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = run("recipes").splitlines()
    assert any(line.startswith("demo ") for line in lines)
    assert len(lines) == len(packaged_names())
    run("init", "--from", "demo")
    assert Path("recipe.toml").read_text() == (ROOT / "recipes" / "demo.toml").read_text()
    run("init", "--from", "prefect.yaml")
    assert Path("prefect.yaml").read_text() == (ROOT / "prefect.yaml").read_text()


@pytest.mark.parametrize(
    ("begun", "candidates"),
    [
        ("preview sudok", {"sudoku", "sudoku_picture"}),
        ("families geom", {"geometry"}),
        ("build de", {"demo"}),
        ("build mi", {"mine.toml"}),
        ("train bu", {"builds/", "builds/made"}),
        ("export builds/", {"builds/made", "builds/other/"}),
        ("export /nowhere/", set()),
    ],
)
def test_the_shell_completes_families_builds_and_recipes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: str, candidates: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("")
    for name in ("made", "other"):
        (tmp_path / "builds" / name).mkdir(parents=True)
    Path("builds/made/recipe.json").write_text("{}")
    words = f"puzzlemill {begun}"
    variables = {
        "_PUZZLEMILL_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    said = CliRunner().invoke(app, env=variables, prog_name="puzzlemill")
    assert set(said.output.split()) == candidates
