"""Right answers in the words and notation of the prompt, and wrong ones in the same words."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from puzzlemill.core import registry
from puzzlemill.core.item import Item, address_of, make
from puzzlemill.core.proof.batteries import tagged
from puzzlemill.core.verdict import check

Written = str | Callable[[Any], str]


@cache
def item(name: str, level: float, seed: int) -> Item:
    family = registry.family(name)
    return make(family, address_of(family, family.at(level), seed=seed), level)


def such(name: str, level: float, fits: Callable[[Item], bool]) -> Item:
    """The first item of a kind, whatever the generator draws."""
    return next(each for seed in range(60) if fits(each := item(name, level, seed)))


def answerable(each: Item) -> bool:
    return each.answer not in ("impossible", "none", "all real numbers", "no solution")


def parts(each: Item) -> list[Any]:
    """The numbers or names of gold, as they are written."""
    return re.findall(r"[^\s,()]+", each.answer)


def asked(joint: str, between: str) -> Written:
    """The same with the names that the family gives for this puzzle."""

    def write(each: Item) -> str:
        family = registry.family(each.family)
        names = family.kind(each.puzzle).names
        assert len(names) == len(parts(each))
        return between.join(f"{name}{joint}{part}" for name, part in zip(names, parts(each)))

    return write


def shared(each: Item) -> str:
    """(1/3) [[13, -12], [3, -3]]."""
    kind = registry.family("matrix_inverse").answer
    ways = [way for way in kind.ways(kind.read(each.answer)) if way.startswith("(1/")]
    return ways[0] if ways else "[" + "; ".join(each.answer.split("\n")) + "]"


def mixed(each: Item, label: str = "") -> str:
    """101 1/3 for 304/3, wherever gold is such a fraction."""

    def one(match: re.Match[str]) -> str:
        above, below = int(match[2]), int(match[3])
        if above < below:
            return match[0]
        return f"{match[1]}{above // below} {above % below}/{below}"

    return label + re.sub(r"(-?)(\d+)/(\d+)", one, each.answer)


def improper(each: Item) -> bool:
    fractions = re.findall(r"(\d+)/(\d+)", each.answer)
    return any(int(above) > int(below) for above, below in fractions)


def holes(each: Item) -> bool:
    """Whether gold is all but one interval."""
    return re.fullmatch(r"\(-∞, ([^)\]]+)[)\]] ∪ [(\[]([^,]+), ∞\)", each.answer) is not None


def outside(opening: str) -> Written:
    def write(each: Item) -> str:
        match = re.fullmatch(r"\(-∞, ([^)\]]+)([)\]]) ∪ ([(\[])([^,]+), ∞\)", each.answer)
        assert match
        left, right = "[("[match[2] == "]"], "])"[match[3] == "["]
        return f"{opening}{left}{match[1]}, {match[4]}{right}"

    return write


def chain(sign: str) -> Written:
    return lambda each: sign.join(parts(each))


def congruent(template: str) -> Written:
    return lambda each: template.format(", ".join(parts(each)), modulus=each_modulus(each))


def each_modulus(each: Item) -> int:
    return int(getattr(registry.family(each.family).kind(each.puzzle), "modulus", 0)) or int(
        registry.family(each.family).kind(each.puzzle).kind.modulus
    )


def laid_out(sizes: tuple[int, ...], sign: str) -> Written:
    """The printed numbers, so many in the first lines."""

    def write(each: Item) -> str:
        left, lines = parts(each), []
        for size in sizes:
            lines.append(sign.join(left[:size]))
            left = left[size:]
        return "\n".join([*lines, sign.join(left)])

    return write


def claimed(template: str) -> Written:
    """The claim's number, and what makes it false."""

    def write(each: Item) -> str:
        values = [value for value in each.answer.split(", ") if not value.startswith("claim")]
        number = re.search(r"claim = (\d+)", each.answer)
        assert number
        return template.format(number[1], ", ".join(values))

    return write


def reply_of(each: Item, written: Written) -> str:
    if isinstance(written, str):
        return written.format(*parts(each), all=each.answer)
    return written(each)


def swap(*changes: tuple[str, str]) -> Written:
    """Gold, with what each pattern matches exchanged."""

    def write(each: Item) -> str:
        said = each.answer
        for pattern, other in changes:
            said = re.sub(pattern, other, said)
        return said

    return write


def behind(each: Item) -> str:
    """53 heads, 306 legs."""
    names = registry.family(each.family).kind(each.puzzle).names
    return ", ".join(f"{part} {name}" for name, part in zip(names, parts(each)))


def hidden(each: Item) -> str:
    """radio: (6, 1), (6, 5)."""
    rows = [parts(each)[at : at + 4] for at in range(0, len(parts(each)), 4)]
    pairs = [f"({row[0]}, {row[1]}), ({row[2]}, {row[3]})" for row in rows]
    return "\n".join(f"{word}: {pair}" for word, pair in zip(each.puzzle.words, pairs))


def played(each: Item) -> str:
    """Qxb1#."""
    names = registry.family(each.family).kind(each.puzzle).names
    return next(name for name, move in names if move == each.answer and "x" in name) + "#"


def tabled(bar: str) -> Written:
    """A table in Markdown, whose cells may be bars."""

    def write(each: Item) -> str:
        rows = [list(row.replace("|", "/")) for row in each.answer.split("\n")]
        lines = [f"| {' | '.join(row)} |".replace("/", bar) for row in rows]
        return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])

    return write


def placed(each: Item) -> str:
    """drum: (1, 3), vase: (5, 1)."""
    names = registry.family(each.family).kind(each.puzzle).names
    pairs = re.findall(r"\(.*?\)", each.answer)
    return ", ".join(f"{name}: {pair}" for name, pair in zip(names, pairs))


def any_item(each: Item) -> bool:
    return True


def count(*sizes: int) -> Callable[[Item], bool]:
    """Whether gold has so many parts."""
    return lambda each: len(parts(each)) in sizes


def says(text: str, where: str = "answer") -> Callable[[Item], bool]:
    return lambda each: text in getattr(each, where)


SEVERAL = count(*range(2, 9))
FIRST_COMMA, FIRST_BLANK = r"\A([^,]*), ", r"\A(\S+) "

# family, level, what its item must have, and how a right reply was written that was refused.
RIGHT: list[tuple[str, float, Callable[[Item], bool], Written]] = [
    ("life_halting", 0.15, any_item, "a = {0}, b = {1}"),
    ("life_halting", 0.15, any_item, "a = {0}; b = {1}"),
    ("life_halting", 0.15, any_item, "(a, b) = ({0}, {1})"),
    ("life_halting", 0.15, any_item, "b = {1}, a = {0}"),
    ("vectors", 0.15, any_item, "w = ({all})"),
    ("vectors", 0.15, any_item, "u × v = ({all})"),
    ("vectors", 0.9, says("c1", "prompt"), asked(" = ", ", ")),
    ("vectors", 0.9, says("c1", "prompt"), asked(" = ", "\n")),
    ("transformations", 0.15, any_item, "x = {0}, y = {1}"),
    ("transformations", 0.15, any_item, "x = {0}; y = {1}"),
    ("transformations", 0.15, any_item, "(x, y) = ({all})"),
    ("transformations", 0.15, any_item, "P({all})"),
    ("transformations", 0.15, any_item, "P = ({all})"),
    ("triangle_centres", 0.15, any_item, "X({all})"),
    ("triangle_centres", 0.15, any_item, "x = {0}\ny = {1}"),
    ("leg_counting", 0.15, any_item, behind),
    ("nim", 0.15, answerable, "heap {0}, {1} objects"),
    ("chomp", 0.15, answerable, "row {0}, column {1}"),
    ("nonlinear_system", 0.15, count(4), "(x, y) = ({0}, {1}) or (x, y) = ({2}, {3})"),
    ("nonlinear_system", 0.15, count(4), "x = {0}, y = {1}; x = {2}, y = {3}"),
    ("lowest_terms", 0.15, count(2), "{0}/{1}"),
    ("lowest_terms", 0.15, count(2), "\\frac{{{0}}}{{{1}}}"),
    ("lowest_terms", 0.15, count(2), "{0} : {1}"),
    ("lowest_terms", 0.7, count(3), "{0} : {1} : {2}"),
    ("modular_arithmetic", 0.15, any_item, congruent("{} (mod {modulus})")),
    ("modular_arithmetic", 0.15, any_item, congruent("r ≡ {} (mod {modulus})")),
    ("modular_arithmetic", 0.15, any_item, congruent("{} mod {modulus}")),
    ("modular_arithmetic", 0.15, any_item, congruent("{} \\pmod{{{modulus}}}")),
    ("congruences", 0.15, answerable, congruent("{} (mod {modulus})")),
    ("function_composition", 0.15, any_item, "f(g(-7)) = {all}"),
    ("quest", 0.15, any_item, swap(("take ", "take the "), ("drop ", "drop the "))),
    ("quest", 0.15, any_item, swap((", ", "\n"))),
    ("linear_programming", 0.15, improper, mixed),
    ("absolute_value_equation", 0.5, improper, mixed),
    ("limit", 0.3, improper, mixed),
    ("coordinates_3d", 0.5, improper, mixed),
    ("matrix_inverse", 0.15, answerable, shared),
    ("parameter", 0.4, holes, outside("R \\ ")),
    ("inequality", 0.15, holes, outside("R \\ ")),
    ("inequality", 0.15, holes, outside("\\mathbb{R} \\setminus ")),
    ("exponent_rules", 0.15, count(3), "{2}"),
    ("mate_in_one", 0.15, any_item, swap((r"\A(..)", r"\1 to "))),
    ("mate_in_one", 0.15, any_item, swap((r"\A(..)", r"\1x"))),
    ("mate_in_one", 0.15, any_item, swap((r"\Z", "#"))),
    ("mate_in_one", 0.15, any_item, played),
    ("distances", 0.15, any_item, swap((" ", ""))),
    ("rotation", 0.0, any_item, swap((" ", ""))),
    ("survo", 0.0, any_item, swap((" ", ""))),
    ("grid_rules", 0.15, any_item, swap((" ", ""))),
    ("bridges", 0.15, any_item, tabled("|")),
    ("bridges", 0.15, any_item, tabled("\\|")),
    ("move_values", 0.15, any_item, swap(("loss", "lose"), (" ", ", "))),
    ("move_values", 0.15, any_item, asked(": ", ", ")),
    ("move_values", 0.15, any_item, swap(("loss", "loses"), ("win", "wins"))),
    ("knapsack", 0.15, any_item, "items {all}"),
    ("intervals", 0.15, any_item, "Entries: {all}"),
    ("connect_four", 0.15, any_item, "the columns {all}"),
    ("river_crossing", 0.15, any_item, swap((r"(\w+)", r"the \1"), (r"(?<=\w) the", " and the"))),
    ("locations+claim", 0.3, says("no"), "No, it is false."),
    ("running_parity", 0.15, any_item, swap((" ", ""))),
    ("arc_1d", 0.15, any_item, swap((" ", ""))),
    ("number_sequence", 0.15, any_item, "{all}, ..."),
    ("long_division", 0.15, any_item, "{0} / {1}"),
    ("long_division", 0.15, any_item, "dividend {0}, divisor {1}"),
    ("take_away", 0.3, says("impossible"), "There is no winning move"),
    ("code_output", 0.15, SEVERAL, laid_out((3,), " ")),
    ("code_output", 0.15, SEVERAL, laid_out((1,), ", ")),
    ("continued_fraction", 0.15, SEVERAL, swap((FIRST_COMMA, r"\1; "), (r"\A(.*)\Z", r"[\1]"))),
    ("continued_fraction", 0.15, SEVERAL, swap((FIRST_COMMA, r"\1; "))),
    ("bezout", 0.15, any_item, asked(" = ", ", ")),
    ("bezout", 0.15, any_item, asked(" = ", "\n")),
    ("code_input", 0.7, SEVERAL, asked(" = ", ", ")),
    ("code_input", 0.7, SEVERAL, asked(" = ", "\n")),
    ("repeating_decimal", 0.15, any_item, asked(" = ", ", ")),
    ("repeating_decimal", 0.15, any_item, asked(" = ", "; ")),
    ("mode_switching", 0.15, any_item, asked(" = ", ", ")),
    ("mode_switching", 0.15, any_item, asked(" = ", "\n")),
    ("letter_machines", 0.15, any_item, asked(" = ", ", ")),
    ("letter_machines", 0.15, any_item, asked(": ", "\n")),
    ("letter_count", 0.15, SEVERAL, asked(": ", ", ")),
    ("letter_count", 0.15, SEVERAL, asked(" = ", "\n")),
    ("symbol_sums", 0.15, SEVERAL, asked(" = ", ", ")),
    ("quadratic_congruence", 0.15, count(2), "x = {0} or x = {1}"),
    ("quadratic_congruence", 0.15, count(2), congruent("x ≡ {} (mod {modulus})")),
    ("linear_congruence", 0.7, count(2, 3, 4), chain(" or ")),
    ("interval_relations", 0.15, SEVERAL, chain(" / ")),
    ("interval_relations", 0.15, SEVERAL, chain(" or ")),
    ("beliefs", 0.15, any_item, swap((" = ", ". "))),
    ("beliefs", 0.15, any_item, swap((" = ", ": "))),
    ("divisibility_claim", 0.3, answerable, claimed("Claim {}, {}")),
    ("identity", 0.3, answerable, claimed("Claim {}, {}")),
    ("identity", 0.3, answerable, claimed("claim {}: {}")),
    ("inequality_claim", 0.3, answerable, claimed("claim {}: {}")),
    ("sorting_mistake", 0.15, any_item, swap((FIRST_BLANK, r"\1: "))),
    ("sorting_mistake", 0.15, any_item, swap((FIRST_BLANK, r"Step \1: "))),
    ("exceptions_raised", 0.3, says("Error"), swap((r"Error (\d)", r"Error at line \1"))),
    ("jigsaw_hole", 0.0, any_item, "Part {0}"),
    ("jigsaw_hole", 0.0, any_item, "#{0}"),
    ("jigsaw_stranger", 0.0, any_item, "tile {0}"),
    ("jigsaw_whole", 0.0, any_item, "Panel {0}"),
    ("rotation_match", 0.0, any_item, "Figure {0}"),
    ("self_reference", 0.15, any_item,
     swap((" = ", ": "), ("true", "T"), ("false", "F"), ("\n", ", "))),
    ("word_search", 0.15, count(8), "({0}, {1})-({2}, {3}), ({4}, {5})-({6}, {7})"),
    ("word_search", 0.15, count(8), hidden),
    ("grid_relations", 0.15, count(4), placed),
    ("cube_rotation", 0.15, any_item, asked(": ", ", ")),
    ("cube_rotation", 0.15, any_item, asked(": ", "\n")),
    ("ordering", 0.15, any_item, chain(" < ")),
    ("sentence_order", 0.15, any_item, chain(" -> ")),
    ("depth_order", 0.0, any_item, chain(" > ")),
    ("river_crossing", 0.15, any_item, swap((r"(?<=\w) (?=\w)", " and "))),
    ("diameter", 0.15, answerable, "The diameter is {0}."),
    ("ages", 0.15, any_item, "Vera will be {0} years old"),
    ("gcd+claim", 0.15, says("yes"), "Yes, it holds."),
    ("gcd+claim", 0.15, says("no"), "No, it does not hold."),
]  # fmt: skip

# The same with a reply that is not right, or that says two things.
NOT_RIGHT: list[tuple[str, float, Callable[[Item], bool], Written]] = [
    ("life_halting", 0.15, any_item, "a = {1}, b = {0}"),
    ("life_halting", 0.15, any_item, "a = {0}, b = {1} or a = {1}, b = {0}"),
    ("life_halting", 0.15, any_item, "a = {0}, b = {1}, b = {0}"),
    ("life_halting", 0.15, any_item, "c = {0}, d = {1}"),
    ("life_halting", 0.15, any_item, "a = {0}"),
    ("transformations", 0.15, any_item, "(y, x) = ({all})"),
    ("transformations", 0.15, any_item, "not P({all})"),
    ("nim", 0.15, answerable, "{0} objects, heap {1}1"),
    ("nonlinear_system", 0.15, count(4), "x = {0}, y = {1}"),
    ("nonlinear_system", 0.15, count(4), "x = {0}, y = 99; x = {2}, y = {3}"),
    ("nonlinear_system", 0.15, count(4), "({0}, {1}) or ({2}, {3}) or ({3}1, {2})"),
    ("lowest_terms", 0.15, count(2), "{1}/{0}"),
    ("lowest_terms", 0.15, count(2), "2{0}/2{1}"),
    ("modular_arithmetic", 0.15, any_item, "{0} (mod 9999)"),
    ("matrix_inverse", 0.15, answerable, "2 [[{0}, {1}], [{2}, {3}]]"),
    ("exponent_rules", 0.15, count(3), "{2} or 1{2}"),
    ("move_values", 0.15, any_item, "1: win, 2: draw, 3: loss"),
    ("mate_in_one", 0.15, any_item, swap((r"\A(..)(..)", r"\2\1#"))),
    ("distances", 0.15, any_item, swap((" ", ""), (r".\Z", ""))),
    ("bridges", 0.15, any_item, swap((r"(.)", r"| \1 "))),
    ("number_sequence", 0.15, any_item, "{0} ..."),
    ("code_output", 0.15, SEVERAL, "{all}\n{all}"),
    ("code_output", 0.15, SEVERAL, "{all}\nor\n{all}, 1"),
    ("bezout", 0.15, count(2), "x = {1}, y = {0}"),
    ("quadratic_congruence", 0.15, count(2), "x = {0} or x = {0}"),
    ("quadratic_congruence", 0.15, count(2), "x = {0}, x = {1}, x = 1{1}"),
    ("quadratic_congruence", 0.15, count(2), "x ≡ {0} {1} (mod 3)"),
    ("quadratic_congruence", 0.15, count(2), "either {0} or {1}"),
    ("interval_relations", 0.15, SEVERAL, "{all} or not {0}"),
    ("divisibility_claim", 0.3, answerable, claimed("Claim {}1, {}")),
    ("sorting_mistake", 0.15, any_item, swap((FIRST_BLANK, r"Step \g<1>1: "))),
    ("exceptions_raised", 0.3, says("Error"), swap((r"Error (\d)", r"Error at line 9\1"))),
    ("jigsaw_hole", 0.0, any_item, "Panel {0}, or 9"),
    ("ordering", 0.15, any_item,
     swap((r"\A(\w+) (\w+) ", r"\2 < \1 < "), (r"(?<=\w) (?=\w)", " < "))),
    ("diameter", 0.15, answerable, "The diameter is not {0}."),
    ("polynomial_factoring", 0.15, says("(3x + 1)"), swap((r"\(3x \+ 1\)", "(6x + 2)/2"))),
    ("polynomial_factoring", 0.15, says("(3x + 1)"), swap((r"\(3x \+ 1\)", "*3*(x + 1/3)"))),
    ("polynomial_division", 0.15, any_item, "1 ({all})"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "level", "fits", "written"), RIGHT)
def test_a_right_answer_in_the_prompts_own_notation_is_right(
    name: str, level: float, fits: Callable[[Item], bool], written: Written
) -> None:
    each = such(name, level, fits)
    said = reply_of(each, written)
    for reply in (tagged(said), f"\\boxed{{{said}}}"):
        verdict = check(each, reply)
        assert verdict.correct, f"{verdict.reason or verdict.status}: {said!r}, not {each.answer!r}"


@pytest.mark.parametrize(("name", "level", "fits", "written"), NOT_RIGHT)
def test_a_wrong_answer_in_the_prompts_own_notation_is_not_right(
    name: str, level: float, fits: Callable[[Item], bool], written: Written
) -> None:
    each = such(name, level, fits)
    said = reply_of(each, written)
    assert check(each, tagged(said)).score < 1, f"pays {said!r} where gold is {each.answer!r}"


def test_only_answers_that_differ_are_several() -> None:
    for name, said in (("life_halting", "p = 7; q = 8"), ("sums", "x = 7; y = 8")):
        assert check(item(name, 0.15, 0), tagged(said)).status == "unparsed"
    for said in ("x = 7 or x = 8", "7 or 8", "x = 7; x = 8"):
        assert check(item("sums", 0.15, 0), tagged(said)).reason == "several different answers"
