"""The house keeps its shape: layers, light imports, and a wheel that holds what git holds."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAY_IMPORT = {
    "core": set(),
    "generators": {"core"},
    "filters": {"core"},
    "difficulty": {"core", "filters"},
    "outputs": {"core", "filters", "difficulty"},
    "trainer": {"core", "difficulty", "outputs"},
    "pipelines": {"core", "generators", "filters", "difficulty", "outputs"},
    "flows": {"core", "generators", "filters", "difficulty", "outputs", "trainer", "pipelines"},
    "serving": {"core", "difficulty", "outputs"},
}
# Settings are read with the recipe, above the room that they are for; and a run in a build's folder
# reads the recipe that the folder was made by. A record of the trainer's own would repeat what that
# says of items, seed and policy, and every caller would have to make it.
BESIDES = {"pipelines": {"trainer.settings"}, "trainer": {"pipelines.recipe"}}
HEAVY = {"torch", "transformers", "vllm", "prefect", "datasets", "ray", "ortools", "matplotlib"}


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    for file in sorted((ROOT / room).rglob("*.py")):
        for module, line in imports(file):
            parts = module.split(".")
            if parts[0] == "puzzlemill" and len(parts) > 1:
                allowed = parts[1] in MAY_IMPORT[room] | {room}
                named = ".".join(parts[1:3]) in BESIDES.get(room, ())
                assert allowed or named, f"{file}:{line} imports {module}"


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_no_room_is_imported_under_its_bare_name(room: str) -> None:
    for folder in [*MAY_IMPORT, "tests", "benchmarks"]:
        for file in sorted((ROOT / folder).rglob("*.py")):
            for module, line in imports(file):
                assert module.split(".")[0] != room, f"{file}:{line}: say puzzlemill.{module}"


def test_no_modules_import_one_another_in_a_circle() -> None:
    files = {module_of(file): file for room in MAY_IMPORT for file in (ROOT / room).rglob("*.py")}
    graph = {module: modules_imported(file, files) - {module} for module, file in files.items()}
    assert circle_in(graph) == []


def test_families_import_nothing_heavy() -> None:
    for file in sorted((ROOT / "generators").rglob("*.py")):
        for module, line in imports(file):
            top = module.split(".")[0]
            assert top not in HEAVY | {"pyarrow"}, f"{file}:{line} imports {module}"


def test_the_package_imports_fast_and_light() -> None:
    code = (
        "import sys, time; start = time.process_time(); import puzzlemill;"
        "print(time.process_time() - start);"
        f"print(*sorted({HEAVY | {'pyarrow', 'numpy', 'networkx', 'sympy'}} & set(sys.modules)))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    seconds = min(float(run.stdout.splitlines()[0]) for run in runs)
    assert seconds < 0.2
    assert runs[0].stdout.splitlines()[1:] in ([], [""])


@pytest.mark.parametrize("room", ["filters", "difficulty", "trainer"])
def test_the_settings_of_a_room_are_imported_light(room: str) -> None:
    heavy = HEAVY | {"pyarrow", "numpy", "networkx", "sympy"}
    code = f"import puzzlemill.{room}.settings, sys; print(*sorted({heavy} & set(sys.modules)))"
    assert run(sys.executable, "-c", code).strip() == ""


def test_every_folder_of_modules_is_a_package() -> None:
    for room in MAY_IMPORT:
        for file in (ROOT / room).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), f"{file.parent} has no __init__.py"


def test_no_standard_module_is_shadowed() -> None:
    for room in MAY_IMPORT:
        for path in (ROOT / room).rglob("*"):
            if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__"):
                assert path.stem not in sys.stdlib_module_names, f"{path} hides {path.stem}"


def test_the_wheel_holds_what_git_holds_and_works_elsewhere(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    tracked = [name for name in listed if (ROOT / name).exists()]
    for name in tracked:
        source, copy = ROOT / name, checkout / name
        if source.is_symlink() or source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy, follow_symlinks=False)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path)]
    if find_spec("setuptools"):  # else pip fetches it
        command.append("--no-build-isolation")
    run(*command, str(checkout))
    (wheel,) = tmp_path.glob("*.whl")
    held = {
        name.removeprefix("puzzlemill/")
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name
    }
    wanted = {
        name.removeprefix("puzzlemill/")
        for name in tracked
        if name.split("/")[0] in {*MAY_IMPORT, "puzzlemill", "recipes"}
        and not (ROOT / name).is_symlink()
    }
    assert held == wanted

    fresh = tmp_path / "venv"
    venv.create(fresh, with_pip=False)
    python = fresh / "bin" / "python"
    site = next(fresh.glob("lib/*/site-packages"))
    install(python, wheel)
    ours = {path.name for path in site.iterdir() if path.name.split("-")[0] == "puzzlemill"}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert ours == {"puzzlemill", f"puzzlemill-{version}.dist-info"}
    assert not {path.name for path in site.iterdir()} & set(MAY_IMPORT)

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    names = ["sorting", "sudoku", "shortest_path", "linear_system", "jigsaw_pair"]
    calls = [(name, 0.5, "{}", "train", 0, 0) for name in names]
    code = (
        "from puzzlemill.core.storage import pool\n"
        "from puzzlemill.core.plain_data import freeze\n"
        f"items = pool.run('puzzlemill.core.proof.jobs:draw', {calls})\n"
        f"puzzles = [(name, freeze(item.puzzle)) for name, item in zip({names}, items)]\n"
        "golds = pool.run('puzzlemill.core.proof.jobs:gold', puzzles)\n"
        "print(all(answer and proof for answer, proof, _ in golds))\n"
    )
    assert run(str(python), "-c", code, cwd=elsewhere) == "True\n"
    assert "jigsaw_pair" in run(
        str(python), "-m", "puzzlemill", "families", "visual", cwd=elsewhere
    )


MADE = """import os
import pytest

@pytest.fixture(scope="module", params={params})
def made(request):
    with open({told!r}, "a") as told:
        told.write(f"{{request.module.__name__}} {{request.param}}\\n")

@pytest.mark.parametrize("rule", "abcdef")
def test_it(made, rule):
    pass
"""


def test_what_several_tests_share_is_made_in_one_process_only(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    told = str(tmp_path / "told")
    for name, params in (("test_one", ["-"]), ("test_two", ["-"]), ("test_families", ["u", "v"])):
        (tmp_path / f"{name}.py").write_text(MADE.format(params=params, told=told))
    run(sys.executable, "-m", "pytest", "-q", "-n", "2", str(tmp_path), cwd=tmp_path)
    lines = Path(told).read_text().splitlines()
    assert sorted(lines) == ["test_families u", "test_families v", "test_one -", "test_two -"]


def install(python: Path, wheel: Path) -> None:
    """Install a wheel and the light dependencies, by uv where there is one."""
    uv = Path(sys.executable).with_name("uv")
    if uv.is_file():
        command = [str(uv), "pip", "install", "-q", "--python", str(python)]
    else:
        target = next(python.parent.parent.glob("lib/*/site-packages"))
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", str(target)]
    run(*command, "-c", str(ROOT / "constraints.txt"), str(wheel))


@dataclass(frozen=True)
class Import:
    """A module that a file imports, and what it takes from it."""

    module: str
    line: int
    members: tuple[str, ...] = ()
    for_types: bool = False  # alone


@cache  # the same files are looked at for every room, and for circles
def import_statements(file: Path) -> tuple[Import, ...]:
    return tuple(imports_in(ast.parse(file.read_text(encoding="utf-8")).body))


def imports_in(body: Sequence[ast.AST], for_types: bool = False) -> Iterator[Import]:
    """At the top or inside a function. Expressions hold none: to walk over them all takes long."""
    for node in body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, (), for_types)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            members = tuple(alias.name for alias in node.names)
            yield Import(node.module, node.lineno, members, for_types)
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            guarded = part == "body" and getattr(getattr(node, "test", 0), "id", "") == TYPES
            yield from imports_in(getattr(node, part, ()), for_types or guarded)


TYPES = "TYPE_CHECKING"


def imports(file: Path) -> Iterator[tuple[str, int]]:
    for each in import_statements(file):
        if each.module == "puzzlemill" and each.members:
            yield from ((f"{each.module}.{member}", each.line) for member in each.members)
        else:
            yield each.module, each.line


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(("puzzlemill", *(part for part in parts if part != "__init__")))


def modules_imported(file: Path, modules: Collection[str]) -> set[str]:
    """The modules of ours that a file imports, at its top or inside a function, and not for types
    alone."""
    imported = set()
    for each in import_statements(file):
        if not each.for_types:
            members = {f"{each.module}.{member}" for member in each.members}
            imported |= members & {*modules} or {each.module}
    return imported & {*modules}


def circle_in(graph: Mapping[str, Collection[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def git(*arguments: str) -> str:
    return run("git", "-C", str(ROOT), *arguments)


def run(*command: str, cwd: Path | None = None) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
