"""Error rates of verifiers: an audit's figures, as JSON and as a table."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.proof.audit import Audit
from puzzlemill.core.proof.probes import Count, Probes
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.difficulty.posterior import jeffreys


def figures(probes: Probes) -> dict[str, Any]:
    """The two rates at which a verifier errs, with what they were counted from.

    rho0: wrong replies that are paid; rho1: right replies that are refused.
    """
    wrong, right, hacks = probes.wrong, probes.right, probes.hacks
    return {
        "rho0": rate(wrong.tried + hacks.tried, wrong.failed + hacks.failed),
        "rho1": rate(right.tried, right.failed),
        "right": {"tried": right.tried, "refused": right.failed},
        "wrong": {"tried": wrong.tried, "taken": wrong.failed, "unconfirmed": probes.unconfirmed},
        "hacks": {"tried": hacks.tried, "paid": hacks.failed},
        "batteries": {"tried": probes.batteries.tried, "refused": _refused(probes.batteries)},
        "crashes": probes.crashes.failed,
    }


def _refused(count: Count) -> int:
    return count.tried - count.failed


def detection_rate(records: Iterable[Mapping[str, Any]]) -> float | None:
    """SAGA: the share of replies known to be wrong that are refused; None where none was tried."""
    counts = [(each["wrong"], each["hacks"]) for each in records]
    tried = sum(wrong["tried"] + hacks["tried"] for wrong, hacks in counts)
    paid = sum(wrong["taken"] + hacks["paid"] for wrong, hacks in counts)
    return 1 - paid / tried if tried else None


def verifier_accuracy(records: Iterable[Mapping[str, Any]]) -> float | None:
    """SAGA: the share of items of which every reply known to be wrong is refused; None where it was
    not counted."""
    counts = [each["batteries"] for each in records if "batteries" in each]
    tried = sum(each["tried"] for each in counts)
    return sum(each["refused"] for each in counts) / tried if tried else None


def rate(tried: int, failed: int) -> dict[str, float]:
    """An observed rate and its 90% interval."""
    low, high = jeffreys(tried, failed)
    return {
        "rate": failed / tried if tried else 0.0,
        "low": round(low, 8) if failed else 0.0,
        "high": round(high, 8) if tried else 1.0,
    }


def record(audit: Audit) -> dict[str, Any]:
    """One family's audit as JSON."""
    guesses = audit.guesses
    return {
        "version": audit.version,
        "items": audit.items,
        **(figures(audit.probes) if audit.probes else {}),
        "guess": guesses
        and {
            "declared": audit.guess_rate,
            "constant": round(guesses.constant_right, 4),
            "random": round(guesses.random_right, 4),
            "pays": round(max(guesses.constant_pays, guesses.random_pays), 4),
        },
        "faults": list(audit.faults),
    }


# Of every family, a file a category: a checkout has it, an installed package does not.
AUDIT = Path(__file__).resolve().parents[1] / "docs" / "audit"


def write_audit(folder: Path, records: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the records of families into their categories' files.

    What a file holds of other families stays, unless there is no such family any more.
    """
    if folder.is_file() or folder.suffix:
        raise UserError(f"{folder}: name a folder: the figures are a file a category")
    categories: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, each in records.items():
        categories.setdefault(registry.family(name).category, {})[name] = each
    for category, new in categories.items():
        path = folder / f"{category}.json"
        old = read_json(path)["families"] if path.is_file() else {}
        others = {name: each for name, each in old.items() if name in registry.names()}
        write_json(path, {"families": {**others, **new}})


def audited(folder: Path, names: Iterable[str], items: int) -> dict[str, Mapping[str, Any]]:
    """The records that need no new audit: of this version of a family, with as many items a rung
    as are asked for or more, and without a fault."""
    enough = {}
    files = {path.stem: read_json(path)["families"] for path in sorted(folder.glob("*.json"))}
    for name in names:
        family = registry.family(name)
        each = files.get(family.category, {}).get(name, {})
        sound = each.get("version") == family.version and not each["faults"]
        if sound and each["items"] >= items * len(family.ladder):
            enough[name] = each
    return enough


def trust(
    truth: Mapping[str, Mapping[str, Any]],
    versions: Mapping[str, int] | None = None,
    audit: Path = AUDIT,
) -> dict[str, Any] | None:
    """The errors of a build's verifiers, for the report; None where they were not tried."""
    if not truth:
        return None
    audited = _audited(audit, versions or {})
    rows = [
        {"family": family, "failed": each["failed"]}
        if "failed" in each
        else {
            "family": family,
            "right": each["right"]["tried"],
            "refused": each["right"]["refused"],
            "wrong": each["wrong"]["tried"] + each["hacks"]["tried"],
            "paid": each["wrong"]["taken"] + each["hacks"]["paid"],
            "rho0": _at_most(each["rho0"]),
            "rho1": _at_most(each["rho1"]),
            "audit": audited.get(family),
        }
        for family, each in sorted(truth.items())
    ]
    rows.sort(key=lambda row: not ("failed" in row or row["refused"] or row["paid"]))
    sound = [row for row in rows if "failed" not in row]
    records = [each for each in truth.values() if "failed" not in each]
    return {
        "detection": detection_rate(records),
        "accuracy": verifier_accuracy(records),
        "rows": rows,
        "faulty": sum("failed" in row or bool(row["refused"] or row["paid"]) for row in rows),
        "tried": sum(row["right"] + row["wrong"] for row in sound),
        "errors": sum(row["refused"] + row["paid"] for row in sound),
        "audited": any(row["audit"] for row in sound),
    }


def _audited(audit: Path, versions: Mapping[str, int]) -> dict[str, str]:
    """Of families of these versions, how often the audit of all families found an error."""
    files = sorted(audit.glob("*.json"))
    errors = {}
    for family, each in [pair for file in files for pair in read_json(file)["families"].items()]:
        if versions.get(family) == each["version"] and "right" in each:
            tried = each["right"]["tried"] + each["wrong"]["tried"] + each["hacks"]["tried"]
            erred = each["right"]["refused"] + each["wrong"]["taken"] + each["hacks"]["paid"]
            errors[family] = f"{erred:,} of {tried:,}"
    return errors


def _at_most(rate: Mapping[str, float]) -> str:
    return f"{rate['rate']:.2%}, at most {rate['high']:.2%}"


def table(records: Mapping[str, Mapping[str, Any]]) -> Table:
    """One line a family: what was refused, taken and paid of how many."""
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    table.add_column("family", no_wrap=True)
    for name in (
        "right refused",
        "wrong taken",
        "hacks paid",
        "items sound",
        "crashes",
        "guess",
        "faults",
    ):
        table.add_column(name, justify="right", overflow="fold")
    for family, each in records.items():
        table.add_row(family, *_cells(each))
    return table


def _cells(each: Mapping[str, Any]) -> Iterable[str]:
    if "right" in each:
        yield f"{each['right']['refused']}/{each['right']['tried']:,}"
        yield f"{each['wrong']['taken']}/{each['wrong']['tried']:,}"
        yield f"{each['hacks']['paid']}/{each['hacks']['tried']:,}"
        batteries = each["batteries"]
        yield f"{batteries['refused']}/{batteries['tried']}"
        yield str(each["crashes"])
    else:
        yield from "-----"
    guess = each["guess"]
    yield f"{max(guess['constant'], guess['random']):.0%}" if guess else "-"
    yield str(len(each["faults"]))
