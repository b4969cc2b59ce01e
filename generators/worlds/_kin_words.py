"""Words for people, their families and their kin."""

from collections.abc import Collection, Sequence

from puzzlemill.core.prose import listed
from puzzlemill.generators.worlds._kin_steps import NOUNS, SEVERAL, Couple, Step

# Where the people are.
SKINS = {
    "village": "in a village",
    "court": "at an old court",
    "crew": "on a ship that has long been afloat",
}
USUAL = (
    "Everybody marries at most once and has children only with the spouse. Brothers and sisters are"
    " those with the same parents; nobody is their own brother or sister. m is male, f is female."
)


def families_told(names: Sequence[str], sexes: str, couples: Sequence[Couple]) -> str:
    """The couples with their children, a line each."""
    lines = []
    for man, woman, children in couples:
        born = ", ".join(f"{names[child]} ({sexes[child]})" for child in children)
        said = f"children, from the oldest to the youngest: {born}" if born else "no children"
        lines.append(f"- {names[man]} (m) and {names[woman]} (f); {said}")
    return "\n".join(lines)


def people_told(names: Sequence[str], people: Collection[int]) -> str:
    return listed(names[each] for each in sorted(people)) or "nobody"


def called(step: Step, terms: Sequence[str] = ()) -> str:
    noun, sex, rank = step
    if noun == "term":
        return terms[int(rank)]
    return f"{rank} {NOUNS[noun][sex]}".strip()


def worded(definition: Sequence[Step], terms: Sequence[str] = ()) -> str:
    """A definition from its last step back to P."""
    words = []
    for step in reversed(definition):
        name = called(step, terms)
        single = step[0] == "spouse" or (step[0] != "term" and step[2] not in SEVERAL)
        if single or (step[0] == "parent" and step[1]):
            article = "the"
        else:
            article = "an" if name[0] in "aeiou" else "a"
        words.append(f"{article} {name} of")
    return f"{' '.join(words)} P"
