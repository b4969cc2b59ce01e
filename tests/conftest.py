"""Options of the test run."""

import os

import pytest

# Before torch is imported: more threads make small models slower, on a busy machine many times.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden pages anew")
    parser.addoption("--deep", action="store_true", help="look at many more items of each family")
