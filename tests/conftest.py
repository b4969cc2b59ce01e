"""Options of the test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden pages anew")
    parser.addoption("--deep", action="store_true", help="look at many more items of each family")
