"""Sections of the report, one a file, each with its figures and its piece of the page.

A file here is a section, and its name is its anchor, with hyphens for underscores. Another package
adds one by an entry point of the group puzzlemill.sections, whose module sets SECTION.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from puzzlemill.core.choices import Choices
from puzzlemill.outputs.finished_build import FinishedBuild

Figures: TypeAlias = Mapping[str, Any]  # what a template shows, by the names that it uses


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """A training run in a folder, with a build or without one."""

    folder: Path
    record: Mapping[str, Any]  # training.json


def _of_no_build(build: FinishedBuild) -> Figures | None:
    return None


def _of_no_run(run: TrainingRun) -> Figures | None:
    return None


@dataclass(frozen=True, slots=True)
class Section:
    """What a section's file sets. Where its figures are None, the page is without it."""

    place: int  # sections come in the order of their places; ours are ten apart
    heading: str  # a Jinja template, as is the one below
    template: str  # HTML below the heading; it sees the figures and the macros of pieces.jinja
    link: str = ""  # its name in the links at the top; "": there is none to it
    of_build: Callable[[FinishedBuild], Figures | None] = _of_no_build
    of_run: Callable[[TrainingRun], Figures | None] = _of_no_run  # of a run without a build


SECTIONS = Choices("section", __name__, "SECTION", "puzzlemill.sections", hyphens=True)
