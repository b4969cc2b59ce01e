"""Options of the test run, and which tests share a process."""

import gc
import os
from tempfile import TemporaryDirectory
from typing import Any

import pytest

# Before torch is imported: more threads make small models slower, on a busy machine many times; and
# what is compared is a CPU's, whatever else the machine has.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
if "PUZZLEMILL_CACHE" not in os.environ:  # all processes of this run remember together
    CACHE = TemporaryDirectory(prefix="puzzlemill-tests-")
    os.environ["PUZZLEMILL_CACHE"] = CACHE.name
# As in the workers of a build: of a million objects that stay, each look for cycles takes long.
gc.set_threshold(50_000, 20, 100)
FAMILIES = "test_families.py"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden pages anew")
    parser.addoption("--deep", action="store_true", help="run every test, on many items")


def piece_of(nodeid: str) -> str:
    """The tests that run in one process: a family's, which share items, or a file's, a build."""
    file, _, test = nodeid.partition("::")
    name = test.partition("[")[2].partition("]")[0].partition("-")[0]
    return name if file.endswith(FAMILIES) and name else file


@pytest.hookimpl(optionalhook=True)  # the environments of tests/real have no xdist
def pytest_xdist_auto_num_workers() -> int:
    """By itself xdist counts physical cores, of which two of a virtual machine are often one."""
    from puzzlemill.core.storage import pool

    return pool.cores()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False  # the order is that of the collection
    scheduler = LoadScopeScheduling(config, log)
    # Marks xdist_group would do, but xdist 3.8 and pytest 9.2 overlook them without a word.
    assert hasattr(scheduler, "_split_scope"), "xdist calls otherwise what tells tests apart"
    scheduler._split_scope = piece_of
    return scheduler


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--deep"):
        deep = [item for item in items if item.get_closest_marker("deep")]
        items[:] = [item for item in items if item not in deep]
        config.hook.pytest_deselected(items=deep)
    # Families are many small pieces: last, so that they fill whatever time a process has left.
    items.sort(key=lambda item: item.path.name == FAMILIES)
