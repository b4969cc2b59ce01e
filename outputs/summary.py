"""Summaries of what a command did: short tables on the terminal."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from puzzlemill.outputs.hub_upload import Parcel, Published
from puzzlemill.outputs.manifest import read_manifest
from puzzlemill.outputs.sections.games import game_rows


def summary(folder: Path) -> dict[str, Any]:
    """What became of a build's items and where everything is, for scripts."""
    manifest = read_manifest(folder)
    told = {name: manifest[name] for name in ("name", "counts", "unscored", "rejected", "notes")}
    return told | {name: str(path) for name, path in _places(folder)} | {"folder": str(folder)}


def say_build(folder: Path) -> None:
    """Kept and turned away, and where everything is."""
    say_counts(folder)
    say_places(folder)


def say_counts(folder: Path) -> None:
    manifest = read_manifest(folder)
    counts = manifest["counts"]
    table = Table("what became of it", "items", title=f"{manifest['name']}", title_justify="left")
    for fate in ("kept", "frontier", "unscored"):
        table.add_row(fate, str(counts.get(fate, 0)))
    for reason, count in sorted(manifest.get("unscored", {}).items()):
        table.add_row(f"  {reason}", str(count))
    for reason, count in sorted(manifest["rejected"].items()):
        table.add_row(f"turned away: {reason}", str(count))
    table.add_section()
    table.add_row("made", str(counts["made"]))
    console = Console()
    console.print(table)
    for note in manifest["notes"]:
        console.print(f"note: {note}", highlight=False)


def say_places(folder: Path) -> None:
    console = Console()
    for name, path in _places(folder):
        console.print(f"{name:>8}: {path}", highlight=False, soft_wrap=True)


def _places(folder: Path) -> tuple[tuple[str, Path], ...]:
    return (
        ("dataset", folder / "dataset"),
        ("card", folder / "dataset" / "README.md"),
        ("report", folder / "report.html"),
    )


def say_training(folder: Path) -> None:
    """Held-out pass rate before and after, per family and level; or games won, per seat."""
    record = _read(folder / "training.json")
    if record.get("games"):
        say_games(record)
        return
    levels = sorted({cell["level"] for cell in record["cells"]})
    table = Table(
        "family",
        *(f"{level:g}" for level in levels),
        "all",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title=f"held-out pass rate by level, before→after {record['steps']} steps",
        title_justify="left",
    )
    cells: dict[str, dict[float, Any]] = {}
    for cell in record["cells"]:
        cells.setdefault(cell["family"], {})[cell["level"]] = cell
    for family, row in cells.items():
        rates = [_change([row[level]]) if level in row else "" for level in levels]
        table.add_row(family, *rates, _change(list(row.values())))
    table.add_section()
    columns = [[c for c in record["cells"] if c["level"] == level] for level in levels]
    table.add_row("all", *(_change(column) for column in columns), _change(record["cells"]))
    Console().print(table)
    within = [
        f"{each['tries']}: {each['before']:.2f}→{each['after']:.2f}"
        for each in record.get("within", [])
    ]
    if within:
        Console().print(f"right within so many tries: {', '.join(within)}", highlight=False)


def say_games(record: Mapping[str, Any]) -> None:
    """What the policy won, lost by an illegal move, and got on average, before and after."""
    table = Table(
        *("game", "level", "against", "seat", "won", "illegal", "result"),
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title=f"games on starts that were not played, before→after {record['steps']} steps",
        title_justify="left",
    )
    for row in game_rows(record["games"]):
        table.add_row(*row.values())
    Console().print(table)


def say_regeneration(folder: Path) -> None:
    record = _read(folder / "regeneration.json")
    Console().print(
        f"regeneration aimed at {record['low']:.0%} to {record['high']:.0%} solved:"
        f" {record['share_before']:.0%} of the items were in that band,"
        f" {record['share_after']:.0%} of the {record['made']} new ones are",
        highlight=False,
    )


def say_export(folder: Path, files: Mapping[str, int], left_out: Mapping[str, int]) -> None:
    """Rows by file, what was left out, and where it says how to use them."""
    table = Table("file", "rows", title="exported", title_justify="left")
    for name, rows in files.items():
        table.add_row(name, f"{rows:,}")
    console = Console()
    console.print(table)
    for reason, rows in sorted(left_out.items()):
        console.print(f"left out: {rows:,} rows, as {reason}", highlight=False, soft_wrap=True)
    console.print(f"how to use it: {folder / 'README.md'}", highlight=False, soft_wrap=True)


def say_parcel(parcel: Parcel) -> None:
    """What would be published."""
    console = Console()
    for name, each in sorted(parcel.files.items()):
        size = len(each) if isinstance(each, bytes) else each.stat().st_size
        console.print(f"{size:>12,} {name}", highlight=False, soft_wrap=True)
    line = f"{len(parcel.files)} files would go to {parcel.repo}, tagged {parcel.tag}"
    console.print(line, highlight=False, soft_wrap=True)


def say_published(done: Published) -> None:
    console = Console()
    if not done.sent and not done.removed:
        console.print(f"{done.url} holds this build already; nothing was changed", soft_wrap=True)
        return
    if done.replaced:
        console.print(f"replaces {done.replaced}", highlight=False, soft_wrap=True)
    gone = f", {done.removed} of an earlier build removed" if done.removed else ""
    console.print(f"{done.sent} files sent{gone}", highlight=False)
    line = f"published: {done.url} (tag {done.tag})" if done.tag else f"offered: {done.url}"
    console.print(line, highlight=False, soft_wrap=True)


def say_loop(folders: Sequence[Path]) -> None:
    """What was kept and turned away, what training did, what regeneration did, and where it is."""
    for folder in folders:
        say_counts(folder)
        if (folder / "training.json").is_file():
            say_training(folder)
        if (folder / "regeneration.json").is_file():
            say_regeneration(folder)
    for folder in folders:
        say_places(folder)


def _change(cells: Sequence[dict[str, Any]]) -> str:
    def rate(when: str) -> float:
        trials = sum(cell[when]["trials"] for cell in cells)
        return sum(cell[when]["successes"] for cell in cells) / trials if trials else 0.0

    return f"{rate('before'):.2f}→{rate('after'):.2f}"


def _read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text())
    return record
