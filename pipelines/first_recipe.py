"""A first recipe, with comments: what `puzzlemill init` writes."""

import json
from pathlib import Path

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import write_text
from puzzlemill.difficulty.policies.kinds import POLICIES, Kind
from puzzlemill.pipelines.packaged_recipes import DEPLOYMENTS, packaged_recipe
from puzzlemill.pipelines.recipe_schema import recipe_schema

SCHEMA_FILE = "recipe.schema.json"

_HEAD = """{schema}# A recipe: what to build. `puzzlemill build {file}` builds it; with --dry-run
# it says what that takes, and with --sample 5 it shows items. Every key: docs/recipe.md.
name = "{name}"                         # of the folder, builds/{name}
seed = 0                                # another seed gives other items

[[make]]                                # one table or several
families = ["sums", "sorting"]          # `puzzlemill families` lists all
count = 40                              # items of each, spread over the levels
levels = [0.0, 0.25, 0.5, 0.75, 1.0]    # 0 is the easiest

[policy]
kind = "{kind}"  # {about}
{policy}"""
_SCORE = """
[score]
most = 8                                # replies to an item, at most

[filters]
band = "teaches"                        # pass rates that are kept: from 5% to 95%
"""
_TRAIN = """
[train]
steps = 20
prompts = 8                             # of a step
group = 8                               # replies to each

[regenerate]
band = "pass1"                          # pass rates that new items are made for: 25% to 75%
"""


def recipe_text(kind: str, path: Path, schema: bool = False) -> str:
    """A recipe for a kind of policy."""
    policy: Kind = POLICIES.load(kind, "--policy")
    head = _HEAD.format(
        schema=f"#:schema ./{SCHEMA_FILE}\n" if schema else "",
        file=path.name,
        name=path.stem,
        kind=kind,
        about=POLICIES.about(kind).removesuffix("."),
        policy=policy.first,
    )
    score = _SCORE if policy.samples else ""
    return head + score + (_TRAIN if policy.here else "")


def copied_text(name: str, schema: bool = False) -> str:
    """A recipe of the package, or the deployments for Prefect."""
    if name == DEPLOYMENTS.name:
        return DEPLOYMENTS.read_text(encoding="utf-8")
    found = packaged_recipe(Path(name))
    if found is None:
        raise UserError(f"no recipe {name!r} in the package; `puzzlemill recipes` lists them")
    line = f"#:schema ./{SCHEMA_FILE}\n" if schema else ""
    return line + found.read_text(encoding="utf-8")


def write_new(path: Path, text: str) -> None:
    if path.exists():
        raise UserError(f"{path}: is there already; name another file")
    write_text(path, text)


def write_schema(folder: Path) -> Path:
    path = folder / SCHEMA_FILE
    write_text(path, schema_text())
    return path


def schema_text() -> str:
    return json.dumps(recipe_schema(), indent=1, ensure_ascii=False) + "\n"
