"""The package by which verifiers, prime-rl and their hub find the taskset and its environment.

python -m puzzlemill.serving.adapters.hub_package FOLDER
"""

import sys
from importlib.metadata import version
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import whole_folder

ID = "puzzlemill-tasks"  # of the taskset; verifiers imports the module of that name
MODULE = ID.replace("-", "_")

PROJECT = f"""[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{ID}"
version = "{version("puzzlemill")}"
description = "Certified reasoning problems and games, endless, at chosen levels"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["puzzlemill", "verifiers>=0.4"]
tags = ["reasoning", "puzzles", "games", "single-turn", "multi-turn", "train", "eval"]

[tool.hatch.build]
include = ["{MODULE}/*", "pyproject.toml", "README.md"]
"""

INIT = '''"""Puzzlemill's families and games."""

from puzzlemill.serving.adapters.verifiers import Play, Puzzles

__all__ = ["Play", "Puzzles"]
'''

README = f"""# {ID}

Reasoning problems and games of Puzzlemill: made from a seed, certified, at levels from 0 to 1.

```toml
[env.taskset]
id = "{ID}"
what = ["sudoku", "logic", "play_nim"]  # families, categories, games; all families by default
levels = [0.0, 0.25, 0.5]
split = "train"  # or validation, test: no puzzle is in two of them
seed = 0
tries = 1  # replies to a problem, until one is right
opponent = "random"  # in games; minimax-2, or agents: the environment's `opponent`
count = 0  # tasks; 0: without end
```

The reward of a problem is the score of the last reply, 0 to 1; that of a game the result, -1 to 1.
"""


def write_package(folder: Path) -> None:
    """Write the package into a folder that is new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is there already: name a new folder")
    files = {"pyproject.toml": PROJECT, "README.md": README, f"{MODULE}/__init__.py": INIT}
    with whole_folder(folder) as made:
        (made / MODULE).mkdir()
        for name, text in files.items():
            (made / name).write_text(text, encoding="utf-8")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(f"say where: python -m {__spec__.name} FOLDER", file=sys.stderr)
        return 2
    try:
        write_package(Path(arguments[0]))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"pip install {arguments[0]}; the taskset's id is {ID}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
