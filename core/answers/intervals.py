"""Sets of real numbers as answers: intervals, inequalities, single points."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.algebra.printer import latex_name
from puzzlemill.core.answers.algebra.tokens import spelled_ways
from puzzlemill.core.answers.extents import extent, unled
from puzzlemill.core.answers.interval_notation import read_set
from puzzlemill.core.answers.number_sets import ALL, Piece, Union, points_of, spans, union, without
from puzzlemill.core.fraction import Fraction


@dataclass(frozen=True, slots=True)
class Intervals:
    """A union of intervals whose ends are fractions or infinite: (low, closed, high, closed)."""

    name: str = "x"

    @property
    def form(self) -> str:
        return (
            f"the set of all {self.name} as a union of intervals, such as"
            ' (-∞, 2] ∪ [3, 7/2) ∪ {5}; or "no solution"; or "all real numbers"'
        )

    def read(self, text: str) -> Union | None:
        text = unled(text)
        if said := extent(text):
            return None if said == "all complex" else ALL if said.startswith("all") else ()
        ways = sorted({*spelled_ways(self.name), self.name.upper()}, key=len, reverse=True)
        found = read_set(text, f"(?:{'|'.join(map(re.escape, ways))})")
        return union(found) if found else None

    def write(self, answer: Union) -> str:
        if not answer or answer == ALL:
            return "all real numbers" if answer else "no solution"
        return " ∪ ".join(_interval(piece) for piece in answer)

    def ways(self, answer: Union) -> list[str]:
        letter = latex_name(self.name)
        if not answer:
            return [
                "∅",
                "\\emptyset",
                "\\{\\}",
                "no real solutions",
                "There is no solution",
                "none",
            ]
        if answer == ALL:
            ways = [
                "\\mathbb{R}",
                "ℝ",
                "(-∞, ∞)",
                "(-\\infty, \\infty)",
                f"{letter} \\in \\mathbb{{R}}",
            ]
            return [*ways, "all reals", f"-∞ < {self.name} < ∞"]
        text = self.write(answer)
        latex = " \\cup ".join(_latex_interval(piece) for piece in answer)
        plain = " or ".join(_inequality(piece, self.name) for piece in answer)
        ways = [latex, f"{letter} \\in {latex}", f"{self.name} ∈ {text}"]
        ways += [text.replace("∪", "U").replace("∞", "inf"), text.replace(", ", ",")]
        ways += [latex.replace("(", "\\left(").replace("[", "\\left[").replace(")", "\\right)")]
        ways += [plain, plain.replace("≤", "<=").replace("≥", ">=")]
        ways += [
            plain.replace("≤", "\\leq").replace("≥", "\\geq").replace(" or ", " \\text{ or } ")
        ]
        ways += [f"\\{{{letter} \\mid {plain}\\}}", f"{{{self.name} : {plain}}}"]
        if (holes := points_of(union(without(spans(answer))))) is not None:
            listed = ", ".join(map(str, holes))
            ways += [f"ℝ ∖ {{{listed}}}", f"\\mathbb{{R}} \\setminus \\{{{listed}\\}}"]
            ways += [" and ".join(f"{self.name} ≠ {hole}" for hole in holes)]
            ways += [", ".join(f"{letter} \\neq {hole}" for hole in holes)]
        return [way for way in dict.fromkeys(ways) if way != text]

    def near(self, answer: Union, rng: Random) -> Union:
        if not answer or answer == ALL:
            end = Fraction(rng.randint(-9, 9))
            return ((None, False, end, rng.random() < 0.5),)
        pieces = list(answer)
        place = rng.randrange(len(pieces))
        low, low_in, high, high_in = pieces[place]
        step = rng.choice([-1, 1])
        match rng.randrange(4):
            case 0 if len(pieces) > 1:
                del pieces[place]
            case 1 if low is not None and low != high:
                pieces[place] = (low, not low_in, high, high_in)
            case 2 if high is not None and low != high:
                pieces[place] = (low, low_in, high, not high_in)
            case _:
                pieces[place] = (
                    None if low is None else low + step,
                    low_in,
                    None if high is None else high + step,
                    high_in,
                )
        return union(spans(tuple(pieces)))

    def guess(self, answer: Union, rng: Random) -> Union:
        if not answer or answer == ALL:
            return answer
        ends = [end for low, _, high, _ in answer for end in (low, high) if end is not None]
        top = 10 + 2 * int(max(abs(end) for end in ends))
        drawn = sorted(rng.sample(range(-top, top + 1), len(ends)))
        made: list[Piece] = []
        for low, _, high, _ in answer:
            start = None if low is None else Fraction(drawn.pop(0))
            end = start if low is not None and low == high else None
            if high is not None and low != high:
                end = Fraction(drawn.pop(0))
            closed = rng.random() < 0.5 or (low is not None and low == high)
            made.append((start, closed and start is not None, end, closed and end is not None))
        return union(spans(tuple(made)))


def _interval(piece: Piece) -> str:
    low, low_in, high, high_in = piece
    if low is not None and low == high:
        return f"{{{low}}}"
    start = "-∞" if low is None else str(low)
    end = "∞" if high is None else str(high)
    return f"{'[' if low_in else '('}{start}, {end}{']' if high_in else ')'}"


def _latex_interval(piece: Piece) -> str:
    found = _interval(piece).replace("∞", "\\infty")
    found = re.sub(r"(\d+)/(\d+)", r"\\frac{\1}{\2}", found)
    single = piece[0] is not None and piece[0] == piece[2]
    return f"\\{{{found[1:-1]}\\}}" if single else found


def _inequality(piece: Piece, name: str) -> str:
    low, low_in, high, high_in = piece
    if low is not None and low == high:
        return f"{name} = {low}"
    if low is None:
        return f"{name} {'≤' if high_in else '<'} {high}"
    if high is None:
        return f"{name} {'≥' if low_in else '>'} {low}"
    return f"{low} {'≤' if low_in else '<'} {name} {'≤' if high_in else '<'} {high}"
