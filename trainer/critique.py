"""Critiques: why a wrong reply has no answer, for the policy that tries again.

A critique is the reason of the verdict, as long as it is one of a family's few fixed texts on the
form of answers: then it cannot tell gold, whatever the puzzle.
"""

from collections.abc import Mapping
from typing import Any

from puzzlemill.core.registry import family
from puzzlemill.core.verdict import NO_ANSWER, SEVERAL, Verdict


def critique(row: Mapping[str, Any], verdict: Verdict) -> str:
    """Why a reply has no answer; empty where it has one, or where the reason is another."""
    return verdict.reason if verdict.reason in fixed_reasons(row["family"]) else ""


def fixed_reasons(name: str) -> tuple[str, ...]:
    """What may be told of a wrong reply to whatever puzzle of a family."""
    return (NO_ANSWER, SEVERAL, f"not {family(name).answer.form}")
