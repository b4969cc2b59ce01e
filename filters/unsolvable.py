"""Turns away what is not certified: `solve` found no answer, or `verify` did not agree with it."""

from puzzlemill.core.stage import Filter


def unsolvable() -> Filter:
    return Filter(
        "unsolvable",
        version=1,
        settings={},
        columns=("certificate",),
        reason=lambda row: None if row["certificate"] else "unsolvable: no certificate",
    )
