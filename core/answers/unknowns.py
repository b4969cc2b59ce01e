"""Values of unknowns: x = 3, y = -1/2."""

import re
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from puzzlemill.core.answers.algebra.tokens import GREEK
from puzzlemill.core.answers.form import plain
from puzzlemill.core.answers.rational import Number
from puzzlemill.core.fraction import Fraction

MOST = 1000  # unknowns
# What a lead-in says, and so no unknown is called.
SAID = {f"{word}{plural}" for word in ("answer", "result", "solution") for plural in ("", "s")}

Values = tuple[tuple[str, Fraction], ...]

_LETTERS = {sign: f"\\{name} " for name, sign in GREEK.items()}
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT = re.compile(r"(?<=[A-Za-z])(?:_\{(\w{1,8})\}|([₀-₉]{1,4}))", re.ASCII)
_COMMAND = re.compile(rf"\\({'|'.join(GREEK)})(?![A-Za-z])\s?")
_FRAME = re.compile(r"\\(?:begin|end)\{[a-z]{1,16}\*?\}(?:\{[lcr|]{1,9}\})?|[\"'`$&]|\*\*|\\[()]")
_BULLET = re.compile(
    r"^[ \t]*(?:[-*•+]|\(?\d{1,3}[.)])[ \t]+(?=[A-Za-z(])", re.MULTILINE | re.ASCII
)
_HEAD = re.compile(
    r"(?<![\w\\.])([A-Za-z]\w{0,15})\s{0,9}(?:=|:|\bis\b(?:\s{1,9}equal\s{1,9}to\b)?|\bequals\b)(?!=)",
    re.ASCII,
)
_TUPLE = re.compile(r"\(?([^()=]{1,2000})\)?\s{0,9}=\s{0,9}\(?([^=]{1,20000}?)\)?", re.ASCII)
_UNSAID = re.compile(r"\.\.|\u2026|\\[lcdv]?dots(?![A-Za-z])")  # "x = 3, ..."
_BARE = re.compile(r"[(\[<]([^()=\[\]<>]{1,2000})[)\]>]")


@dataclass(frozen=True, slots=True)
class Unknowns:
    """Each unknown with its exact value, sorted by name: pairs in any order, or (x, y) = (3, 4).

    With the names given, nothing else is a name, and (3, 4) alone gives the values in their order.
    """

    form: str = "the value of each unknown, such as x = 3, y = -1/2"
    names: tuple[str, ...] = ()
    numbered: str = ""  # an unknown that is called by its number: "Claim 1, n = 2"

    def read(self, text: str) -> Values | None:
        text = _BULLET.sub("", _FRAME.sub(" ", plain(text))).strip()
        text = text.replace("\\{", "{").replace("\\}", "}")
        for sign, name in _LETTERS.items():
            text = text.replace(sign, name)
        text = _SUBSCRIPT.sub(lambda mark: "_" + (mark[1] or mark[2].translate(_LOWERED)), text)
        text = _COMMAND.sub(r"\1 ", text)
        if _UNSAID.search(text):
            return None
        if text.startswith("{"):
            text = text[1:-1] if text.endswith("}") else text[1:]
        if self.numbered:
            text = _calling(self.numbered).sub(rf"{self.numbered} = \1, ", text)
        if len(self.names) == 1 and not _HEAD.search(text):
            text = f"{self.names[0]} = {text}"
        pairs = self._side_by_side(text) or _one_by_one(text)
        if not pairs or len(pairs) > MOST:
            return None
        return self._settled(pairs)

    def _settled(self, pairs: list[tuple[str, str]]) -> Values | None:
        """The pairs as values; None where one is no number, or is said twice: in two answers."""
        known = {_folded(name): name for name in self.names}
        found: dict[str, Fraction] = {}
        for said, written in pairs:
            name = known.get(_folded(said), "") if known else said.lower()
            value = Number(units=False).read(written)
            if value is None or not name or name in found or name in SAID:
                return None
            found[name] = value
        return tuple(sorted(found.items()))

    def _side_by_side(self, text: str) -> list[tuple[str, str]] | None:
        """(x, y) = (3, 4), or only (3, 4) where the names are known."""
        if match := _TUPLE.fullmatch(text):
            left = [part.strip() for part in match[1].split(",")]
            values = match[2].strip()
        elif (match := _BARE.fullmatch(text)) and len(self.names) > 1:
            left, values = list(self.names), match[1].strip()
        else:
            return None
        right = [part.strip() for part in re.split(";" if ";" in values else ",", values)]
        named = all(re.fullmatch(r"[A-Za-z]\w{0,15}", name, re.ASCII) for name in left)
        if len(left) < 2 or len(left) != len(right) or not named or len(set(left)) < len(left):
            return None
        return list(zip(left, right, strict=True))

    def write(self, answer: Values) -> str:
        return ", ".join(f"{name} = {value}" for name, value in answer)

    def ways(self, answer: Values) -> list[str]:
        pairs = [(name, str(value)) for name, value in answer]
        latex = [(_latex_name(name), _latex(value)) for name, value in answer]
        quoted = (
            f'"{name}": {value if "/" not in value else repr(value)}' for name, value in pairs
        )
        ways = [
            "\n".join(f"{name} = {value}" for name, value in pairs),
            ", ".join(f"{name}={value}" for name, value in reversed(pairs)),
            ", ".join(f"{name} = {value}" for name, value in latex),
            " \\\\ ".join(f"{name} = {value}" for name, value in latex),
            " and ".join(f"{name} = {value}" for name, value in pairs),
            "\n".join(f"- {name}: {value}" for name, value in pairs),
            "\n".join(f"{place}. {name} = {value}" for place, (name, value) in enumerate(pairs, 1)),
            "{" + ", ".join(quoted).replace("'", '"') + "}",
            "; ".join(f"${name} = {value}$" for name, value in latex),
        ]
        rows = " \\\\ ".join(f"{name} &= {value}" for name, value in latex)
        ways += [f"\\begin{{aligned}} {rows} \\end{{aligned}}"]
        ways += [f"\\begin{{cases}} {rows.replace('&', '')} \\end{{cases}}"]
        if len(self.names) == len(pairs) == 1:
            ways += [pairs[0][1], latex[0][1]]
        if self.numbered and pairs[0][0] == self.numbered:
            rest = ", ".join(f"{name} = {value}" for name, value in pairs[1:])
            ways += [f"{self.numbered.title()} {pairs[0][1]}, {rest}"]
            ways += [f"{self.numbered} {pairs[0][1]}: {rest}"]
        if len(pairs) > 1:
            names, values = (", ".join(side) for side in zip(*pairs, strict=True))
            ways += [f"({names}) = ({values})"]
            if tuple(name for name, _ in pairs) == self.names:
                ways += [f"({values})"]
        return [way for way in dict.fromkeys(ways) if way != self.write(answer)]

    def near(self, answer: Values, rng: Random) -> Values:
        changed = dict(answer)
        name, value = rng.choice(answer)
        other, swapped = rng.choice(answer)
        match rng.randrange(4):
            case 0:
                changed[name], changed[other] = swapped, value
            case 1 if len(changed) > 1:
                del changed[name]
            case _:
                changed[name] = Number().near(value, rng)
        return tuple(sorted(changed.items()))

    def guess(self, answer: Values, rng: Random) -> Values:
        return tuple((name, Number().guess(value, rng)) for name, value in answer)


@lru_cache(maxsize=200)
def _calling(noun: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b{noun}\s(?:no\.?\s?|number\s|#)?(\d{{1,4}})(?:\sis\sfalse)?(?:\s?[,:;]|\s(?:for|at|with|when)\b|(?=\s)|$)\s?",
        re.IGNORECASE | re.ASCII,
    )


def _one_by_one(text: str) -> list[tuple[str, str]] | None:
    """x = 3, y = 4; "x = y = 3" gives both."""
    heads = list(_HEAD.finditer(text))
    if not heads or text[: heads[0].start()].strip() or len(heads) > MOST:
        return None
    pairs: list[tuple[str, str]] = []
    waiting: list[str] = []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        waiting.append(head[1])
        value = _ended(text[head.end() : end])
        if value.startswith("="):
            return None
        if value:
            pairs += [(name, value) for name in waiting]
            waiting = []
        elif text[head.end() : end].strip() or not text[head.start() : head.end()].endswith("="):
            return None
    return None if waiting else pairs


def _ended(text: str) -> str:
    """A value without what stands between it and the next pair."""
    text = text.strip()
    for _ in range(4):
        text = text.rstrip(",;. \t\n").removesuffix("\\\\").rstrip(",;. \t\n")
        if text.endswith((" and", ",and", "\nand")) or text == "and":
            text = text.removesuffix("and")
    return text


def _folded(name: str) -> str:
    return name.lower().replace("_", "").replace("\\", "")


def _latex_name(name: str) -> str:
    stem, line, index = name.partition("_")
    return ("\\" if stem in GREEK else "") + stem + (f"_{{{index}}}" if line else "")


def _latex(value: Fraction) -> str:
    minus = "-" if value < 0 else ""
    if value.denominator == 1:
        return str(value)
    return f"{minus}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
