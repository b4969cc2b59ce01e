"""Chemical formulas: reading, writing, counting atoms, and molar masses."""

import re
from collections import Counter
from functools import cache

_PART = re.compile(r"([A-Z][a-z]?|\(|\))(\d*)")

# Molar masses in g/mol, rounded as in school tables, in tenths.
TENTHS = {
    "H": 10, "C": 120, "N": 140, "O": 160, "F": 190, "Na": 230, "Mg": 240, "Al": 270, "Si": 280,
    "P": 310, "S": 320, "Cl": 355, "K": 390, "Ca": 400, "Fe": 560, "Cu": 640, "Zn": 650,
    "Br": 800, "Ag": 1080, "Ba": 1370, "Pb": 2070, "Li": 70, "Cr": 520, "Mn": 550, "Ti": 480,
}  # fmt: skip


@cache
def atoms(formula: str) -> dict[str, int]:
    """How many atoms of each element there are: Ca(OH)2 has 1 Ca, 2 O, 2 H."""
    open_: list[Counter[str]] = [Counter()]
    closing = False
    for sign, count in _PART.findall(formula):
        number = int(count or 1)
        if sign == "(":
            open_.append(Counter())
        elif sign == ")":
            closing = True
            inner = open_.pop()
            for element, many in inner.items():
                open_[-1][element] += many * number
        else:
            open_[-1][sign] += number
    assert len(open_) == 1 or closing, f"no formula: {formula}"
    return dict(open_[0])


def tenths(formula: str) -> int:
    """The molar mass, in tenths of g/mol."""
    return sum(TENTHS[element] * count for element, count in atoms(formula).items())


def salt(metal: str, charge: int, rest: str, negative: int) -> str:
    """The neutral compound of two ions: Ca, 2, OH, 1 is Ca(OH)2."""
    low = next(n for n in range(1, charge * negative + 1) if n * charge % negative == 0)
    other = low * charge // negative
    return _times(metal, low) + _times(rest, other)


def _times(ion: str, count: int) -> str:
    if count == 1:
        return ion
    single = len(atoms(ion)) == 1 and not any(map(str.isdigit, ion)) and ion != "NH4"
    return f"{ion}{count}" if single else f"({ion}){count}"


def counts(**elements: int) -> str:
    """C6H12O6, without the elements that are not there."""
    return "".join(
        element + (str(count) if count > 1 else "") for element, count in elements.items() if count
    )
