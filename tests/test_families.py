"""Every family keeps the contract, at every rung. `pytest --deep` looks at more items."""

import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.proof import contract
from puzzlemill.core.proof.audit import probed

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module", params=registry.names())
def drawn(request: pytest.FixtureRequest) -> contract.Sample:
    family = registry.family(request.param)
    if request.config.getoption("--deep"):
        return contract.sample(family, contract.DEEP)
    # Variants that show answers read dozens of puzzles first: of an eighth of the families.
    shown = contract.LIGHT.shown if int(digest(family.name)[:8], 16) % 8 == 0 else 0
    return contract.sample(family, replace(contract.LIGHT, shown=shown))


def test_family_keeps_every_rule(drawn: contract.Sample) -> None:
    """In one test: nine thousand of them cost more in messages between processes than in rules."""
    faults = {}
    for rule in contract.RULES:
        try:
            rule(drawn)
        except AssertionError as fault:
            faults[rule.__name__] = str(fault)
    assert not faults


def test_family_takes_what_is_right_and_nothing_else(drawn: contract.Sample) -> None:
    assert probed(drawn).faults == []


def test_a_seed_keeps_its_meaning(drawn: contract.Sample, request: pytest.FixtureRequest) -> None:
    name = drawn.family.name
    page, now = GOLDEN / f"{name}.txt", gallery(drawn)
    if request.config.getoption("--golden"):
        page.write_text(now)
    assert page.is_file(), f"{page.name} is missing: write it with `pytest --golden`"
    assert page.read_text() == now, (
        f"{name} makes other items than its golden page says: raise its version and write the page"
        " anew with `pytest --golden`, or undo the change"
    )


def test_items_are_the_same_in_another_process_and_hash_seed(
    drawn: contract.Sample, other_process: Callable[[str], str], request: pytest.FixtureRequest
) -> None:
    """Of each rung, since the sets that a hash seed turns round are often only those of large
    puzzles; and in depth of many items, since it may matter for one in ten."""
    items = [item for rung in drawn.rungs for item in rung[: compared(request.config)]]
    assert other_process(drawn.family.name) == contract.fingerprint(drawn.family, items)


def compared(config: pytest.Config) -> int:
    """Items a rung."""
    return 8 if config.getoption("--deep") else 1


@pytest.fixture(scope="module")
def other_process(request: pytest.FixtureRequest) -> Iterator[Callable[[str], str]]:
    """What a family's fingerprint is in a process of another hash seed: one for all families."""
    code = (
        "import sys; from puzzlemill.core import registry; from puzzlemill.core.proof import"
        " contract\n"
        "for line in sys.stdin:\n"
        "    family = registry.family(line.strip())\n"
        f"    drafts = contract.drafts(family, {compared(request.config)})\n"
        "    print(contract.fingerprint(family, drafts), flush=True)\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONIOENCODING": "utf-8"}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, **pipes) as there:
        assert there.stdin
        assert there.stdout
        requests, replies = there.stdin, there.stdout

        def asked(name: str) -> str:
            print(name, file=requests, flush=True)
            return replies.readline().rstrip()

        yield asked


def gallery(drawn: contract.Sample) -> str:
    """A page to look at: one item a rung, as a policy sees it, and its gold answer."""
    family = drawn.family
    blocks = []
    for item, *_ in drawn.rungs:
        pictures = "".join(f"\n[picture {picture_of(image)}]" for image in item.images)
        steps = family.steps(item.puzzle) if family.steps else []
        worked = "".join(f"\n  {line}" for line in steps)
        blocks.append(
            f"=== level {item.level:g}  {item.knobs}\n{item.prompt}{pictures}\n"
            f"--- answer\n{item.answer}\n" + (f"--- steps{worked}\n" if steps else "")
        )
    return f"{family.category}/{family.name} version {family.version}\n\n" + "\n".join(blocks)


def picture_of(image: bytes) -> str:
    """Of the pixels: the bytes of a PNG depend on the version of the library that packs them."""
    picture = Image.open(io.BytesIO(image)).convert("RGB")
    width, height = picture.size
    return f"{width}x{height} {hashlib.sha256(picture.tobytes()).hexdigest()[:16]}"
