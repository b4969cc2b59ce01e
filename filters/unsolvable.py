"""Turns away what is not certified: `solve` found no answer, or `verify` did not agree with it."""

from puzzlemill.filters import Row, Rule


def reason(row: Row, settings: None) -> str | None:
    return None if row["certificate"] else "unsolvable: no certificate"


FILTER = Rule("before", reason, ("certificate",))
