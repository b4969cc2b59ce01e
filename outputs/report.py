"""The report: one self-contained HTML page for a build, or for a training run without one."""

from collections.abc import Callable
from pathlib import Path

from puzzlemill.core.storage.files import read_json, write_text
from puzzlemill.outputs.advice import advice, next_steps
from puzzlemill.outputs.fates import fate_bar
from puzzlemill.outputs.finished_build import FinishedBuild, read_build
from puzzlemill.outputs.sections import SECTIONS, Figures, Section, TrainingRun
from puzzlemill.outputs.templates import FOLDER, date_of, fill, fill_text

STYLES = ("look.css", "report.css")


def write_report(folder: Path, build: FinishedBuild | None = None) -> None:
    """Write report.html. The same build gives the same bytes."""
    if build or (folder / "manifest.json").is_file():
        text = page(build or read_build(folder))
    else:
        text = page_of_run(TrainingRun(folder, read_json(folder / "training.json")))
    write_text(folder / "report.html", text)


def page(build: FinishedBuild) -> str:
    """The whole page of a build."""
    return fill(
        "report.jinja",
        style=_style(),
        name=build.manifest["name"],
        manifest=build.manifest,
        nothing=advice(build),
        next_steps=next_steps(build),
        date=date_of(build.manifest["started"]),
        fates=fate_bar(build),
        sections=_sections(lambda section: section.of_build(build)),
    )


def page_of_run(run: TrainingRun) -> str:
    """Of a run that learned from endless items, or from games."""
    return fill(
        "run.jinja",
        style=_style(),
        name=run.folder.name,
        record=run.record,
        sections=_sections(lambda section: section.of_run(run)),
    )


def _sections(figures_of: Callable[[Section], Figures | None]) -> list[dict[str, str]]:
    """Each section that has figures, in order: its name, its link and its HTML."""
    sections: dict[str, Section] = {name: SECTIONS.load(name) for name in SECTIONS.names()}
    pieces = []
    for name, section in sorted(sections.items(), key=lambda each: each[1].place):
        figures = figures_of(section)
        if figures is not None:
            html = _html(name, section, figures)
            pieces.append({"name": name, "link": section.link, "html": html})
    return pieces


def _html(name: str, section: Section, figures: Figures) -> str:
    heading = f'<section id="{name}">\n  <h2>{section.heading}</h2>\n'
    return fill_text(f"{heading}{section.template}</section>\n", **figures)


def _style() -> str:
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in STYLES)
