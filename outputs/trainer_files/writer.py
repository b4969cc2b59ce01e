"""The writer of exports: data files, the hook and a page that says how it is used."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa

import puzzlemill
from puzzlemill.core.errors import UserError
from puzzlemill.core.guard import Failure
from puzzlemill.core.rows import schema_of
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.files import whole_folder, write_json, write_text
from puzzlemill.core.storage.parquet import in_groups
from puzzlemill.difficulty.prompt_styles import PLAIN, in_style, reasons
from puzzlemill.outputs.exports import EXPORTS, Export, Format
from puzzlemill.outputs.manifest import read_manifest
from puzzlemill.outputs.reply_files import reply_shards
from puzzlemill.outputs.trainer_files.ablations import informativeness
from puzzlemill.outputs.trainer_files.curriculum import arrange, read_curriculum
from puzzlemill.outputs.trainer_files.domain_costs import domain_costs, table
from puzzlemill.outputs.trainer_files.keys import Key, whole_rows
from puzzlemill.outputs.trainer_files.replies import NAME as REPLIES
from puzzlemill.outputs.trainer_files.replies import shards_of, write_replies

RECORD = "export.json"  # by which a folder is known as an export of ours
PICTURES = "-pictures"  # of the names of files whose rows have some
SECONDS = 60.0  # to work out one solution
HINTED = "puzzlemill.outputs.trainer_files.solutions:with_hint"

_JUDGED = [
    "Replies are judged by Puzzlemill's own verifiers, so `puzzlemill` has to be installed where",
    "the trainer runs: `pip install .` in a clone of it.",
]

Write = Callable[[Sequence[dict[str, Any]]], None]


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    folder: Path
    files: dict[str, int]  # rows by file
    left_out: dict[str, int]  # rows by reason


@dataclass(frozen=True, slots=True)
class PromptForm:
    """How the policy of a build was prompted, and its pass rates hold."""

    style: str
    system: str

    def of(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return in_style(row, self.style, self.system)


def export(
    build: Path,
    to: str,
    out: Path | None = None,
    curriculum: str = "ranked",
    stages: bool = False,
    unscored: bool = False,
    replies: bool = False,
) -> ExportedFiles:
    """Write a finished build for a trainer: whole or not at all."""
    exporter, settings = read_export(to)
    order = read_curriculum(curriculum)
    if order.name == "hints" and exporter.prepare:
        raise UserError(
            f"--curriculum hints: the worked replies of {to} need no hints; leave it out"
        )
    if unscored and not order.of_kept:
        raise UserError("--unscored goes with the kept items, not with those of the frontier")
    manifest = read_manifest(build)
    prompts = prompts_of(manifest, to)
    reply_files = shards_of(build, manifest) if replies else ()
    folder = out or build / "exports" / _name(to, curriculum, stages)
    _may_replace(folder)
    keys = arrange(build, manifest, order, unscored)
    if not keys:
        raise UserError(f"{build}: no item to export as {curriculum!r}: {_elsewhere(manifest)}")
    package = "puzzlemill_" + (re.sub(r"\W+", "_", manifest["name"].lower()) or "build")
    unscored_count = manifest["counts"].get("unscored", 0) if order.of_kept and not unscored else 0
    with whole_folder(folder) as beside:
        inside = beside / Template(exporter.inside).substitute(package=package)
        prepare = HINTED if order.name == "hints" else exporter.prepare
        files, left_out = _write_data(inside, exporter, keys, stages, prepare, settings, prompts)
        if unscored_count:
            left_out["they were not scored (--unscored adds them)"] = unscored_count
        if not files:
            raise UserError(f"{build}: nothing that {to} takes is left: {_counted(left_out)}")
        prefix = f"{inside.relative_to(beside)}/" if exporter.inside else ""
        files = {f"{prefix}{name}": rows for name, rows in files.items()}
        if reply_files:
            uids = {key["uid"] for split_keys in keys.values() for key in split_keys}
            files[REPLIES] = write_replies(beside / REPLIES, reply_files, uids, manifest["policy"])
        texts = _texts(exporter, package)
        followed = exporter.finish(beside, package, list(files)) if exporter.finish else []
        record = {
            "export": to,
            "puzzlemill": puzzlemill.__version__,
            "build": manifest["name"],
            "policy": manifest["policy"],
            "curriculum": curriculum,
            "style": prompts.style,
            "files": files,
            "left_out": left_out,
            "texts": sorted([*texts, *followed, "README.md", RECORD]),
        }
        for name, text in texts.items():
            write_text(beside / name, text)
        costs = _costs(build, manifest, keys, order.name)
        write_text(beside / "README.md", _page(exporter, folder, package, record, costs))
        write_json(beside / RECORD, record)
    return ExportedFiles(folder, files, left_out)


def prompts_of(manifest: Mapping[str, Any], to: str) -> PromptForm:
    """How the build's policy was prompted, if that goes with an export."""
    exporter, _ = read_export(to)
    policy = manifest["recipe"].get("policy", {})
    prompts = PromptForm(policy.get("style", PLAIN), policy.get("system", ""))
    if exporter.prepare and not reasons(prompts.style):
        raise UserError(
            f'{to}: its worked replies reason, and [policy] style = "{prompts.style}" asks for'
            " none; export a build of another style"
        )
    return prompts


def read_export(to: str) -> tuple[Export, tuple[Any, ...]]:
    """What `--to` names, and the settings that stand behind a colon, if there are any."""
    name, colon, text = to.partition(":")
    exporter: Export = EXPORTS.load(name, "--to")
    if not colon:
        return exporter, ()
    if exporter.read is None:
        raise UserError(f"--to {to}: {name} has no settings; leave out what follows the colon")
    return exporter, (exporter.read(text),)


def _elsewhere(manifest: Mapping[str, Any]) -> str:
    """Where the items are that a curriculum does not find, and what exports them."""
    ways = {
        "kept": "--curriculum ranked",
        "frontier": "--curriculum frontier or hints",
        "unscored": "--unscored",
        "rejected": "no export takes them",
    }
    counts = manifest["counts"]
    listed = [f"{counts[fate]} {fate} ({way})" for fate, way in ways.items() if counts.get(fate)]
    return f"it has {', '.join(listed)}"


def _name(to: str, curriculum: str, stages: bool) -> str:
    """The folder's name where none is given: one for each way to export."""
    named = [
        to.replace(":", "-"),
        *([] if curriculum == "ranked" else re.split(r"[:,\s]+", curriculum)),
    ]
    return "-".join([*named, *(["stages"] if stages else [])])


def _may_replace(folder: Path) -> None:
    """An export of ours may be replaced, if nobody has put anything else into it."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    record = _record_of(folder)
    if record is None:
        raise UserError(f"{folder}: there already, and no export; name another folder with --out")
    ours = {*record["files"], *record["texts"]}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        generated = any(part == "__pycache__" or part.endswith(".egg-info") for part in name.parts)
        if path.is_file() and str(name) not in ours and not generated:
            raise UserError(
                f"{folder}: holds {name}, which no export wrote; move it, or name another --out"
            )


def _record_of(folder: Path) -> dict[str, Any] | None:
    """The record of an export of ours; None where there is none."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    keys = {"export", "puzzlemill", "files", "texts"}
    return record if isinstance(record, dict) and keys <= record.keys() else None


def _write_data(
    folder: Path,
    exporter: Export,
    keys: Mapping[str, Sequence[Key]],
    stages: bool,
    prepare: str,
    settings: tuple[Any, ...],
    prompts: PromptForm,
) -> tuple[dict[str, int], dict[str, int]]:
    """The data files: rows of each, and what was left out and why."""
    files: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for split, split_keys in keys.items():
        with ExitStack() as open_files:
            writers: dict[str, Write] = {}
            for rows in whole_rows(_takeable(split_keys, exporter, left_out)):
                sorted_out: dict[str, list[dict[str, Any]]] = {}
                for row in _prepared(rows, prepare, settings, left_out):
                    band = f"-{row['stage']}" if stages else ""
                    pictured = PICTURES if row["images"] else ""
                    sorted_out.setdefault(f"{split}{band}{pictured}", []).append(row)
                for stem, some in sorted_out.items():
                    form = exporter.pictures if stem.endswith(PICTURES) else exporter.texts
                    assert form is not None
                    name = f"{stem}.{exporter.suffix}"
                    if name not in writers:
                        writers[name] = open_files.enter_context(_data_file(folder / name, form))
                    writers[name]([form.row(prompts.of(row)) for row in some])
                    files[name] += len(some)
    return dict(files), dict(left_out)


def _takeable(keys: Sequence[Key], exporter: Export, left_out: Counter[str]) -> list[Key]:
    """What the trainer can take; the rest is counted."""
    if exporter.pictures:
        return list(keys)
    texts_only = [key for key in keys if not key["pictures"]]
    if len(texts_only) < len(keys):
        left_out["this trainer takes no pictures"] += len(keys) - len(texts_only)
    return texts_only


def _prepared(
    rows: list[dict[str, Any]], prepare: str, settings: tuple[Any, ...], left_out: Counter[str]
) -> Iterator[dict[str, Any]]:
    """The rows, each turned into what is to be written, in worker processes."""
    if not prepare:
        yield from rows
        return
    jobs = [(row, *settings) for row in rows]
    for row, prepared in zip(rows, pool.run(prepare, jobs, seconds=SECONDS)):
        if isinstance(prepared, str):
            left_out[prepared] += 1
        elif isinstance(prepared, Failure):
            left_out[f"{row['family']} failed: {prepared.reason}"] += 1
        else:
            yield prepared


@contextmanager
def _data_file(path: Path, form: Format) -> Iterator[Write]:
    """The function that writes some more rows."""
    if path.suffix == ".jsonl":
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            yield lambda rows: file.writelines(json.dumps(row) + "\n" for row in rows)
    else:
        schema = schema_of(form.columns)
        with in_groups(path, schema) as write:
            yield lambda rows: write(pa.Table.from_pylist(list(rows), schema=schema))


def _texts(exporter: Export, package: str) -> dict[str, str]:
    """The small files beside the data."""
    texts = {
        Template(name).substitute(package=package): Template(text).substitute(package=package)
        for name, text in exporter.beside.items()
    }
    if exporter.hook:
        module, _, name = exporter.hook.partition(":")
        texts["reward.py"] = (
            f'"""The reward of these rows; the code is Puzzlemill\'s."""\n\n'
            f'from {module} import {name}\n\n__all__ = ["{name}"]\n'
        )
    return texts


def _costs(
    build: Path, manifest: Mapping[str, Any], keys: Mapping[str, Sequence[Key]], order: str
) -> list[str]:
    """What each domain costs to train on, where they come one after another; what an ablation's set
    holds."""
    if "train" not in keys or order not in ("domains", "ablation"):
        return []
    if order == "ablation":
        return informativeness(keys["train"])
    kept = reply_shards(build, manifest)
    return table(domain_costs(keys["train"], kept.rounds if kept else ()))


def _page(
    exporter: Export, folder: Path, package: str, record: Mapping[str, Any], costs: Sequence[str]
) -> str:
    files = record["files"]
    train = next((name for name in files if "train" in Path(name).stem), next(iter(files)))
    usage = Template(exporter.usage).substitute(
        folder=folder,
        train=folder / train,
        file=Path(train).stem,
        package=package,
        name=package.replace("_", "-"),
    )
    lines = [
        *(_front_matter(files) if not exporter.inside else []),
        f"# {record['build']} for {record['export']}",
        "",
        f"Written by Puzzlemill {record['puzzlemill']}. The rows are in the order of training:",
        f"{read_curriculum(record['curriculum']).meaning}.",
        *(
            [f"Prompts are in the style {record['style']!r}, in which pass rates were measured."]
            if record["style"] != PLAIN
            else []
        ),
        "Every gold answer is certified.",
        *(_JUDGED if exporter.hook or exporter.beside else []),
        "",
        "| file | rows |",
        "|---|---|",
        *(f"| `{name}` | {rows:,} |" for name, rows in files.items()),
        "",
        *costs,
        *([f"Left out: {_counted(record['left_out'])}.", ""] if record["left_out"] else []),
        usage.strip(),
        "",
    ]
    return "\n".join(lines)


def _front_matter(files: Mapping[str, int]) -> list[str]:
    """The configs of load_dataset: one for each stage, and for rows with pictures."""
    configs: dict[str, dict[str, str]] = {}
    for name in files:
        split, _, rest = Path(name).stem.partition("-")
        if name == REPLIES:
            split, rest = "train", split
        configs.setdefault(rest or "default", {})[split] = name
    lines = ["---", "configs:"]
    for config, splits in configs.items():
        lines += [f"- config_name: {config}", "  data_files:"]
        for split, name in splits.items():
            lines += [f"  - split: {split}", f"    path: {name}"]
    return [*lines, "---", ""]


def _counted(left_out: Mapping[str, int]) -> str:
    return "; ".join(f"{count:,} rows, as {reason}" for reason, count in sorted(left_out.items()))
