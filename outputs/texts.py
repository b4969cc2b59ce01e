"""Texts for reading: names of families, proofs in words, and long texts cut."""

PROOFS = {
    "constructed": "sound by construction",
    "solved": "solved independently",
    "unique": "proved to have one answer only",
}


def words(name: str) -> str:
    """A family's name for reading: `max_flow` as `max flow`."""
    return name.replace("_", " ")


def clip(text: str, longest: int) -> str:
    """The text, or its first characters and how many more there are."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]} … and {len(text) - longest:,} characters more"
