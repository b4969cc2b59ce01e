"""Starting a server: what is served, from what a command was told."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.core.tables import settings_of
from puzzlemill.outputs.viewer.addresses import HEAVIEST
from puzzlemill.outputs.viewer.page_parts import Site
from puzzlemill.serving.episodes import Server
from puzzlemill.serving.judging import Run
from puzzlemill.serving.live_band import NAME, LiveBand
from puzzlemill.serving.settings import Serve
from puzzlemill.serving.tasks import ALL, Environment, FamilyTasks, build_tasks, environments
from puzzlemill.serving.workers import run_in_a_worker

PLACE = "puzzlemill serve"
_BAND = re.compile(r"(0?\.[0-9]+|0|1|1\.0+):(0?\.[0-9]+|0|1|1\.0+)")


def server_of(
    what: Sequence[str],
    options: Mapping[str, Any] | None = None,
    band: str = "",
    curriculum: str = "ranked",
    run: Run = run_in_a_worker,
) -> Server:
    """The server of families, games and builds' folders, with settings by name."""
    options_given = dict(options or {}) | ({"band": _band(band)} if band else {})
    folders = [Path(word) for word in what if _is_build(word)]
    words = [word for word in what if not _is_build(word)]
    if curriculum != "ranked" and not folders:
        raise UserError("--curriculum is the order of a build's items: name a build's folder")
    builds = [build_tasks(folder, curriculum) for folder in folders]
    styles = {style for _, style in builds}
    if "style" not in options_given and len(styles) > 1:
        raise UserError(f"the builds' styles differ ({', '.join(sorted(styles))}): say --style")
    if "style" not in options_given and styles:
        options_given["style"] = styles.pop()
    settings = settings_of(options_given, Serve, PLACE)
    by_name = environments(words, settings, [tasks for tasks, _ in builds])
    if not settings.band:
        return Server(settings, by_name, run=run)
    live = LiveBand(_families(by_name), settings)
    return Server(settings, {NAME: live, **by_name}, live, run)


def viewer_of(site: Site) -> Server:
    """The server of a build's pages, to look at it."""
    settings = Serve(body=HEAVIEST)
    return Server(settings, {}, site=site)


def _is_build(word: str) -> bool:
    """Whether it is a path. A folder may have a family's name: it is meant if it is a build."""
    return os.sep in word or (Path(word) / "manifest.json").is_file()


def _band(text: str) -> tuple[float, float]:
    match = _BAND.fullmatch(text)
    low, high = (float(match[1]), float(match[2])) if match else (1.0, 0.0)
    if not low < high:
        raise UserError(f"--band {text}: two pass rates from 0 to 1, such as 0.2:0.8")
    return low, high


def _families(by_name: Mapping[str, Environment]) -> tuple[str, ...]:
    mixture = by_name.get(ALL)
    if not isinstance(mixture, FamilyTasks):
        raise UserError("--band aims fresh items: name families too, or nothing else")
    return mixture.families
