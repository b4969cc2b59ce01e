"""Families are found by where they lie, in this package and in others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError

ROOT = Path(__file__).parent.parent


def run(code: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, paths), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )


def package(folder: Path, family: str) -> Path:
    """Another distribution, with one family behind the entry point."""
    families = folder / "guests" / "families"
    families.mkdir(parents=True)
    (folder / "guests" / "__init__.py").write_text("")
    (families / "__init__.py").write_text("")
    sorting = (ROOT / "generators" / "basics" / "sorting.py").read_text()
    (families / f"{family}.py").write_text(sorting)
    metadata = folder / "guests-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: guests\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[puzzlemill.families]\nvisitors = guests.families\n"
    )
    return folder


def test_a_family_of_another_package_is_found_and_held_to_the_contract(
    tmp_path: Path,
) -> None:
    package(tmp_path, "guest_sorting")
    told = run(
        "import puzzlemill as pm; from puzzlemill.core.proof.audit import audit;"
        "print(pm.family('guest_sorting').category, pm.generate('guest_sorting')[0].answer != '',"
        "audit(pm.family('guest_sorting')).faults)",
        tmp_path,
    )
    assert told.stdout == "visitors True ()\n", told.stderr


BROKEN = {
    "torn": ("def oops(:\n", "SyntaxError"),
    "lacking": ("import a_package_that_is_not_there\n", "ModuleNotFoundError"),
    "failing": ("FAMILY = 1 / 0\n", "ZeroDivisionError"),
    "helper": ("X = 1\n", "sets no FAMILY; a helper's name begins with _"),
    "sorting": ("", "puzzlemill.generators.basics.sorting has the name too"),
}
TELL = """
import warnings
import puzzlemill as pm
from puzzlemill.core import registry
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(pm.families("visitors"), len(registry.matching("like:G1")) > 20, pm.categories().count(
        "visitors"), pm.family("sorting").category, pm.generate("guest_sorting")[0].answer != "")
    pm.families()
for each in told:
    print(each.category.__name__, each.message)
"""


def test_what_is_broken_in_another_package_is_left_out_and_named(tmp_path: Path) -> None:
    package(tmp_path, "guest_sorting")
    for name, (code, _) in BROKEN.items():
        (tmp_path / "guests" / "families" / f"{name}.py").write_text(code)
    told = run(TELL, tmp_path)
    first, *warned = told.stdout.splitlines()
    assert first == "['guest_sorting'] True 1 basics True", told.stderr
    assert len(warned) == len(BROKEN)
    for line, (name, (_, cause)) in zip(warned, sorted(BROKEN.items()), strict=True):
        said = f"FamilyWarning guests.families.{name} of the package guests is left out: "
        assert line.startswith(said), line
        assert cause in line


@pytest.mark.parametrize("place", ["nowhere.families", "guests.families.guest_sorting"])
def test_an_entry_point_that_leads_nowhere_takes_nothing_with_it(
    tmp_path: Path, place: str
) -> None:
    package(tmp_path, "guest_sorting")
    points = tmp_path / "guests-1.0.dist-info" / "entry_points.txt"
    points.write_text(f"[puzzlemill.families]\nvisitors = {place}\n")
    told = run("import puzzlemill as pm; print(len(pm.families()) > 400)", tmp_path)
    assert told.stdout == "True\n", told.stderr
    assert f"{place} of the package guests is left out: " in told.stderr


RAISING = """
from dataclasses import replace
from puzzlemill.generators.basics import sorting

def generate(rng, knobs):
    return {}

FAMILY = replace(sorting.FAMILY, generate=generate)
"""


def test_families_that_generate_rubbish_are_named_in_a_line(tmp_path: Path) -> None:
    package(tmp_path, "guest_sorting")
    folder = tmp_path / "guests" / "families"
    rubbish = {"number": "42", "fraction": "1 / 0", "module": "sorting", "knob": "knobs.what\n"}
    for name, result in rubbish.items():
        (folder / f"{name}.py").write_text(RAISING.format(result))
    (folder / "torn.py").write_text("def oops(:\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}

    def puzzlemill(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "puzzlemill", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    left_out = "puzzlemill: guests.families.torn of the package guests is left out: SyntaxError"
    for arguments in *([name] for name in rubbish), ["number", "--overview", "x.png"]:
        first, second = puzzlemill("preview", *arguments).stderr.splitlines()
        assert first.startswith(left_out)
        assert second.startswith(f"puzzlemill: {arguments[0]} makes no item at level 0")
    names = json.dumps([*rubbish, "guest_sorting"])
    make = f"[[make]]\nfamilies = {names}\ncount = 9\nlevels = [0.5]\n"
    (tmp_path / "x.toml").write_text(f'name = "x"\n{make}[policy]\nkind = "none"\n')
    built = puzzlemill("build", "x.toml", "--plain")
    assert built.returncode == 0, built.stderr
    assert built.stderr.count("guests.families.torn") == 1, "workers are silent"
    assert "turned away: no puzzle" in built.stdout


def test_listing_names_imports_no_family() -> None:
    code = (
        "import sys, puzzlemill as pm; pm.families();"
        "print([name for name in sys.modules if name.startswith('puzzlemill.generators.')"
        " and name.count('.') > 2])"
    )
    assert run(code).stdout == "[]\n"


def test_every_category_has_families() -> None:
    assert {"basics", "grids", "logic", "graphs", "arithmetic", "algebra", "visual"} <= set(
        registry.categories()
    )
    for category in registry.categories():
        assert registry.names(category)


def test_a_suite_stands_for_all_that_is_like_its_tasks() -> None:
    found = registry.matching("like:G1")
    assert "shortest_path" in found
    assert "sudoku" not in found
    with pytest.raises(UserError, match="unknown suite 'Enigmatta'; did you mean 'Enigmata'"):
        registry.matching("like:Enigmatta")
