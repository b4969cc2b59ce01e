"""docs/papers.md: what recipes/papers reproduces, read from those recipes and their comments.

A recipe's leading comment is its system's name and the paper's title in one line, then fields: a
`name: text` a line, and lines indented below it go on with it. `run` and `test` may come more than
once.
"""

import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
RECIPES = ROOT / "recipes" / "papers"
TOPICS = {
    "tasks": "Tasks",
    "verification": "Verification",
    "difficulty": "Difficulty and filters",
    "curricula": "Curricula",
    "regeneration": "Regeneration",
    "training": "Training",
}
STATES = ("works", "in part")
FIELDS = {"topic", "paper", "here", "state", "test", "run"}
# What every recipe has says nothing of a paper.
USUAL = {
    *("name", "seed", "shard", "make.families", "make.count", "make.levels", "policy.kind"),
    *("policy.model", "policy.max_tokens", "score.first", "score.most", "score.rounds"),
    *("score.signal", "train.steps", "train.prompts", "train.group", "train.learning_rate"),
    *("train.heldout", "train.save_every"),
}
HEAD = """# Papers

Each recipe of `recipes/papers` shows the idea of one paper, on the bundled policy or without a
model, in under a minute on one core. It shows that the mechanism works, not the paper's figures:
those take larger models. The comment at the head of a recipe says what the paper does.

```console
$ make papers    # runs all of them in a temporary folder
```

The state is that of the mechanism that the comment describes: *works*, or *in part* where a piece
of it is missing. The test holds its formula or claim.

Made from the recipes' comments by `make docs`.
"""


@dataclass(frozen=True)
class Paper:
    slug: str  # the recipe's file name
    title: str  # the system, and the paper's title
    topic: str
    paper: str  # what the paper does
    here: str  # what differs
    state: str
    tests: tuple[str, ...]  # as tests/test_x.py::test_name
    commands: tuple[str, ...]
    keys: tuple[str, ...]  # of the recipe, that the paper's idea needs
    families: tuple[str, ...]


def papers() -> list[Paper]:
    return [paper_of(path) for path in sorted(RECIPES.glob("*.toml"))]


def paper_of(path: Path) -> Paper:
    text = path.read_text(encoding="utf-8")
    title, told = _comment(path, text)
    for name in ("topic", "paper", "here", "state", "test"):
        if name not in told:
            raise UserError(f"{path.name}: its comment lacks `# {name}: …`")
    if told["topic"][0] not in TOPICS or told["state"][0] not in STATES:
        raise UserError(f"{path.name}: topic is one of {[*TOPICS]}, state of {STATES}")
    tables = tomllib.loads(text)
    families = [name for make in tables.get("make", ()) for name in make["families"]]
    build = f"puzzlemill build recipes/papers/{path.name} --plain"
    return Paper(
        slug=path.stem,
        title=title,
        topic=told["topic"][0],
        paper=told["paper"][0],
        here=told["here"][0],
        state=told["state"][0],
        tests=tuple(told["test"]),
        commands=tuple(told.get("run", [build])),
        keys=tuple(dict.fromkeys(_keys(tables, ""))),
        families=tuple(families),
    )


def page() -> str:
    parts, found = [HEAD], papers()
    for topic, heading in TOPICS.items():
        rows = [_row(paper) for paper in found if paper.topic == topic]
        if rows:
            parts.append(f"## {heading}\n\n{_COLUMNS}\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


_COLUMNS = """| system | state | recipe keys and commands, or families | what differs | test |
|---|---|---|---|---|"""
_FIELD = re.compile(r"# (\w+): (.+)")


def _comment(path: Path, text: str) -> tuple[str, dict[str, list[str]]]:
    """The first line, and the values of each field."""
    told: dict[str, list[str]] = {}
    title, *lines = [line for line in _leading(text) if line != "#"]
    name = ""
    for line in lines:
        if found := _FIELD.fullmatch(line):
            name = found[1]
            if name not in FIELDS:
                raise UserError(f"{path.name}: unknown field {name!r}; there are {sorted(FIELDS)}")
            told.setdefault(name, []).append(found[2].strip())
        elif line.startswith("#   ") and name:
            told[name][-1] += f" {line[1:].strip()}"
        else:
            raise UserError(f"{path.name}: no field of its comment: {line!r}")
    return title.removeprefix("# "), told


def _leading(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line.rstrip()


def _keys(value: Any, path: str) -> Iterator[str]:
    """The keys that are set, a short value with them, without those that all recipes have."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _keys(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value and isinstance(value[0], Mapping):
        for each in value:
            yield from _keys(each, path)
    elif path not in USUAL:
        short = isinstance(value, str) and len(value) < 20
        yield f'{path} = "{value}"' if short and value else path


def _row(paper: Paper) -> str:
    asked = [*paper.keys, *(words for each in paper.commands if (words := _said(each)))]
    uses = ", ".join(f"`{each}`" for each in asked or paper.families)
    tests = ", ".join(
        f"[`{each.rpartition(':')[2]}`](../{each.partition(':')[0]})" for each in paper.tests
    )
    cells = (
        f"[{paper.title}](../recipes/papers/{paper.slug}.toml)",
        paper.state,
        uses,
        paper.here,
        tests,
    )
    return f"| {' | '.join(each.replace('|', '&#124;') for each in cells)} |"


def _said(command: str) -> str:
    """A command without files, or nothing where it only builds or trains."""
    program, *words = shlex.split(command)
    words = [
        each
        for each in words
        if "/" not in each and each not in ("--plain", "--checkpoint", "--allow-empty")
    ]
    return "" if program != "puzzlemill" or words in (["build"], ["train"]) else " ".join(words)
