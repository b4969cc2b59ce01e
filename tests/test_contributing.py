"""The pages of docs/contributing are tried as they are written: by a package of another."""

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from puzzlemill.core import choices, registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.proof.audit import audit
from puzzlemill.core.proof.contract import Depth
from puzzlemill.pipelines.recipe import recipe_from

PAGES = Path(__file__).parent.parent / "docs" / "contributing"
_FILE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_TABLES = re.compile(r"```toml\n(.*?)```", re.DOTALL)
_POINT = re.compile(r'entry-points\."(puzzlemill\.\w+)"\]\n(\w+) = "my_package\.(\w+)"')


def examples() -> Iterator[tuple[str, str, str, str]]:
    """The group, the name, the module and the code of each example."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text()
        for code, (group, name, module) in zip(
            _FILE.findall(text), _POINT.findall(text), strict=True
        ):
            yield group, name, module, code


EXAMPLES = [each for each in examples() if each[0] != "puzzlemill.families"]
IDS = [name for _, name, _, _ in EXAMPLES]


def try_curriculum(curriculum: Any) -> None:
    from puzzlemill.difficulty.curricula import Pool

    pool = Pool([("sums", 0.0), ("sums", 1.0), ("gcd", 0.5)], [0.5, 0.1, 0.9])
    places, state = curriculum.pick(pool, {}, 4, 0.0, Random(1))
    assert places == [1, 0, 2, 1]
    assert curriculum.pick(pool, state, 1, 0.0, Random(1))[0] == [0]


def try_filter(rule: Any) -> None:
    row = {"prompt": [{"role": "user", "content": "1 + 1?"}]}
    assert rule.reason(row, rule.settings()) == "under 20 characters"
    assert rule.reason(row, rule.settings(shortest=6)) is None


def try_advantage(advantage: Any) -> None:
    import torch

    rewards_PG = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, torch.nan]])
    found_PG = advantage.formula(rewards_PG, None)
    assert found_PG.nan_to_num(9).tolist() == [[0, 1, 0], [1, 0, 9]]


def try_ratio(ratio: Any) -> None:
    import torch

    from puzzlemill.trainer.ratios import Tokens

    logp_N = torch.tensor([-1.0, -1.0], requires_grad=True)
    tokens = Tokens(logp_N, torch.tensor([-1.0, -9.0]), torch.tensor([1.0, 1.0]), torch.zeros(2))
    ratio.loss(tokens, None).sum().backward()
    assert logp_N.grad is not None
    assert logp_N.grad.tolist() == [-1, -2]


def try_shaping(shaping: Any) -> None:
    import torch

    shaped_PG = shaping.change(torch.tensor([[0.0, 1.0]]), None)
    assert shaped_PG[0].tolist() == pytest.approx([0.05, 0.95])


def try_policy(kind: Any) -> None:
    from puzzlemill.difficulty.policies.policy import Question

    policy = kind.open(None)
    question = Question(({"role": "user", "content": "Say yes."},), seed=1)
    assert policy.takes(question)
    assert [[reply.text for reply in group] for group in policy.sample([question], 2)] == [
        ["Say yes.", "Say yes."]
    ]


def try_export(export: Any) -> None:
    row = {"prompt": [{"role": "user", "content": "1 + 1?"}], "answer": "2"}
    assert export.texts.row(row) == {"question": "1 + 1?", "answer": "2"}


def try_section(section: Any) -> None:
    from puzzlemill.outputs.templates import fill_text

    assert section.place == 45
    html = fill_text(section.template, rows=[("max_flow", 1200)])
    assert "<li>max_flow: 1,200</li>" in html


# The folder that each group adds to, and what is tried of what it adds.
TRIED: dict[str, tuple[str, Callable[[Any], None]]] = {
    "puzzlemill.advantages": ("puzzlemill.trainer.advantages:ADVANTAGES", try_advantage),
    "puzzlemill.curricula": ("puzzlemill.difficulty.curricula:CURRICULA", try_curriculum),
    "puzzlemill.exports": ("puzzlemill.outputs.exports:EXPORTS", try_export),
    "puzzlemill.filters": ("puzzlemill.filters:FILTERS", try_filter),
    "puzzlemill.policies": ("puzzlemill.difficulty.policies.kinds:POLICIES", try_policy),
    "puzzlemill.ratios": ("puzzlemill.trainer.ratios:RATIOS", try_ratio),
    "puzzlemill.sections": ("puzzlemill.outputs.sections:SECTIONS", try_section),
    "puzzlemill.shapings": ("puzzlemill.trainer.shapings:SHAPINGS", try_shaping),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that pip has installed, but for what it holds."""
    folder = tmp_path / "my_package"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    _forget()
    yield folder
    _forget()
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


def _forget() -> None:
    for each in (choices._modules, registry._modules, registry._points, registry._family):
        each.cache_clear()


def _add(package: Path, *points: tuple[str, str, str]) -> None:
    folder = package.with_name("my_package-1.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
    lines = [f"[{group}]\n{name} = my_package.{module}\n" for group, name, module in points]
    (folder / "entry_points.txt").write_text("".join(lines))


@pytest.mark.parametrize(("group", "name", "module", "code"), EXAMPLES, ids=IDS)
def test_an_example_works_as_it_is_written(
    package: Path, group: str, name: str, module: str, code: str
) -> None:
    home, what = TRIED[group][0].split(":")
    (package / f"{module}.py").write_text(code)
    _add(package, (group, name, module))
    found = getattr(import_module(home), what)
    assert name in found.names()
    TRIED[group][1](found.load(name))


@pytest.mark.parametrize("page", ["filter", "loss", "policy"])
def test_a_recipe_names_the_examples_of_a_page(package: Path, page: str) -> None:
    text = (PAGES / f"{page}.md").read_text()
    points = _POINT.findall(text)
    for code, (_, _, module) in zip(_FILE.findall(text), points, strict=True):
        (package / f"{module}.py").write_text(code)
    _add(package, *points)
    (tables,) = (block for block in _TABLES.findall(text) if "entry-points" not in block)
    recipe_from({"name": "guests", "parent": "builds/x", **tomllib.loads(tables)})
    for _, name, _ in points:
        assert f'"{name}"' in tables or f".{name}]" in tables
        misspelt = tomllib.loads(tables.replace(name, name[:-1]))
        with pytest.raises(UserError, match=f"unknown .* {name[:-1]!r}; did you mean {name!r}"):
            recipe_from({"name": "guests", "parent": "builds/x", **misspelt})


def test_the_example_of_a_family_keeps_the_contract(package: Path) -> None:
    ((group, category, module, code),) = (each for each in examples() if "families" in each[0])
    (package / module).mkdir()
    (package / module / "__init__.py").touch()
    (package / module / "digit_sum.py").write_text(code)
    _add(package, (group, category, module))
    assert audit(registry.family("digit_sum"), Depth(items=3, draws=60, probed=2)).faults == ()
    assert registry.family("digit_sum").category == category
    assert registry.family("digit_sum").rule.startswith("Digit sum: ")


def test_there_is_a_page_for_each_kind_of_part() -> None:
    contributing = (PAGES.parents[1] / "CONTRIBUTING.md").read_text()
    for page in PAGES.glob("*.md"):
        assert f"(docs/contributing/{page.name})" in contributing
    assert set(TRIED) == {group for group, _, _, _ in EXAMPLES}
