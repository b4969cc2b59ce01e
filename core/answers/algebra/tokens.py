"""The words and signs of an expression, in plain text and LaTeX alike.

Letters are cut into the names that the reader was told of, functions and constants, the longest
first; a letter that belongs to none of these makes the whole text unreadable.
"""

import re
from functools import lru_cache
from typing import NamedTuple

TOKENS, DIGITS = 400, 60  # a longer expression, or number in it, is not read

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip

# How each function may be spelled, with or without a backslash before it.
SPELLED = {
    "sin": "sin", "cos": "cos", "tan": "tan tg", "sec": "sec", "csc": "csc cosec", "cot": "cot ctg",
    "asin": "arcsin asin", "acos": "arccos acos", "atan": "arctan atan arctg",
    "asec": "arcsec asec", "acsc": "arccsc acsc", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "arsinh arcsinh asinh", "acosh": "arcosh arccosh acosh",
    "atanh": "artanh arctanh atanh", "ln": "ln", "log": "log", "exp": "exp", "abs": "abs Abs",
    "sqrt": "sqrt", "cbrt": "cbrt", "root": "root",
}  # fmt: skip

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.ASCII)
_GROUPED = re.compile(
    r"[1-9]\d{0,2}(?:,\d{3})+(?![\d,])(?:\.\d+)?|[1-9]\d{0,2}(?:\{,\}\d{3})+(?!\d)(?:\.\d+)?",
    re.ASCII,
)
_LIKE_A_POWER_OF_TEN = re.compile(r"[eE][+-]?\d", re.ASCII)  # is 2e-3 a number, or 2·e - 3?
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_FRACTIONS = {"frac", "dfrac", "tfrac", "cfrac", "sfrac", "nicefrac"}
_COMMANDS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "pm": "±", "mp": "∓", "lvert": "|",
    "rvert": "|", "vert": "|", "lbrack": "[", "rbrack": "]", "lbrace": "\\{", "rbrace": "\\}",
}  # fmt: skip
_SIGNS = "+-*/^!()[]{}|_,"
_ALONE = frozenset(_SIGNS) - {"*"}  # signs with which no longer one begins
_ROOTS = {"√": "2", "∛": "3", "∜": "4"}
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+|[ⁿˣ]")
_LOWERED = re.compile("[₀-₉]+")
_BASELINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿˣ₀₁₂₃₄₅₆₇₈₉", "0123456789+-nx0123456789")
VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5",
    "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
    "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip

# By the first letter: (spelling, kind, word).
Vocabulary = dict[str, list[tuple[str, str, str]]]


class Token(NamedTuple):  # made sooner than a frozen dataclass
    kind: str  # number, fraction, name, constant, function, frac, root, raised; else the sign
    text: str
    tight: bool  # no space, or only one that LaTeX needs, stands before it
    latex: bool = False


@lru_cache(maxsize=256)
def vocabulary(
    names: tuple[str, ...], functions: tuple[str, ...], constants: tuple[str, ...]
) -> Vocabulary:
    """All that letters may say, the longest spelling first."""
    words: dict[str, tuple[str, str]] = {}
    for function in functions:
        for spelling in SPELLED[function].split():
            words[spelling] = words["\\" + spelling] = ("function", function)
    for constant, spellings in (("pi", "pi Pi π \\pi"), ("e", "e"), ("i", "i I \\imath")):
        if constant in constants:
            words |= dict.fromkeys(spellings.split(), ("constant", constant))
    if "a" in names:  # then "asin x" may be a·sin x
        for inverse in ("asin", "acos", "atan", "asec", "acsc", "asinh", "acosh", "atanh"):
            words[inverse] = ("unclear", inverse)
    letters = {name.lower(): name for name in names}
    if len(letters) == len(names):  # no two names differ by case alone
        for name in names:
            if len(name) == 1 and name.swapcase() not in words:
                words[name.swapcase()] = ("name", name)
    for name in names:
        words |= dict.fromkeys(spelled_ways(name), ("name", name))
    found: Vocabulary = {}
    for spelling in sorted(words, key=len, reverse=True):
        found.setdefault(spelling[0], []).append((spelling, *words[spelling]))
    return found


def spelled_ways(name: str) -> list[str]:
    """x_1 may stand as x_{1}, x₁ or x1, and theta as \\theta or θ."""
    stem, line, index = name.partition("_")
    stems = [stem]
    if stem.lower() in GREEK:
        letter = GREEK[stem.lower()]
        stems += ["\\" + stem, letter.upper() if stem[0].isupper() else letter, "\\var" + stem]
    if not line:
        return stems
    found = [f"{start}{mark}" for start in stems for mark in (f"_{index}", f"_{{{index}}}")]
    if index.isascii() and index.isdigit():
        low = index.translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
        found += [f"{start}{mark}" for start in stems for mark in (index, low)]
    return found


def tokens(text: str, words: Vocabulary) -> list[Token] | None:
    """The tokens of a text, or None where something is none, or there are too many."""
    found: list[Token] = []
    place, tight, depth = 0, False, 0
    while place < len(text):
        char = text[place]
        if char in " \t":
            place, tight = place + 1, False
            continue
        if len(found) >= TOKENS:
            return None
        if char in _ALONE:
            depth += (char in "([{") - (char in ")]}")
            found.append(Token(char, char, tight))
            place, tight = place + 1, True
            continue
        read = _token(text, place, tight, depth, words)
        if read is None:
            return None
        more, place = read
        found += more
        depth += more[0].kind in ("(", "[", "{", "\\{")
        depth -= more[0].kind in (")", "]", "}", "\\}")
        tight = True
        if text[place - 1].isalpha() and more[0].latex:
            while place < len(text) and text[place] == " ":
                place += 1  # the space that ends a LaTeX command
    return found


def _token(
    text: str, place: int, tight: bool, depth: int, words: Vocabulary
) -> tuple[list[Token], int] | None:
    char = text[place]
    if char.isascii() and (char.isdigit() or char == "."):
        return _number(text, place, tight, depth)
    if char in VULGAR:
        return [Token("fraction", VULGAR[char], tight)], place + 1
    for spelling, kind, word in words.get(char, ()):
        if text.startswith(spelling, place) and _ends(text, place, spelling, kind):
            return [Token(kind, word, tight, spelling[0] == "\\")], place + len(spelling)
    if char == "\\":
        return _command(text, place, tight)
    if char == "*" and text.startswith("**", place):
        return [Token("^", "**", tight)], place + 2
    if char in _SIGNS:
        return [Token(char, char, tight)], place + 1
    if char in "±∓":
        return [Token(char, char, tight)], place + 1
    if char in _ROOTS:
        return [Token("root", _ROOTS[char], tight)], place + 1
    if raised := _RAISED.match(text, place):
        return [Token("raised", raised[0].translate(_BASELINE), tight)], raised.end()
    if lowered := _LOWERED.match(text, place):
        number = Token("number", lowered[0].translate(_BASELINE), True)
        return [Token("_", "_", tight), number], lowered.end()
    return None


def _number(text: str, place: int, tight: bool, depth: int) -> tuple[list[Token], int] | None:
    """A number; thousands are set off by commas only where no comma can part two things."""
    found = (_GROUPED.match(text, place) if not depth else None) or _NUMBER.match(text, place)
    if found is None or len(found[0]) > DIGITS or _LIKE_A_POWER_OF_TEN.match(text, found.end()):
        return None
    digits = re.sub(r"[{,}]", "", found[0])
    end = found.end()
    if text[end : end + 1] in VULGAR and text[end : end + 1]:
        if "." in digits:
            return None
        above, _, below = VULGAR[text[end]].partition("/")
        mixed = f"{int(digits) * int(below) + int(above)}/{below}"
        return [Token("fraction", mixed, tight)], end + 1
    return [Token("number", digits, tight)], end


def _command(text: str, place: int, tight: bool) -> tuple[list[Token], int] | None:
    if text[place + 1 : place + 2] in ("{", "}", "|"):
        sign = text[place : place + 2]
        return None if sign == "\\|" else ([Token(sign, sign, tight)], place + 2)
    match = _COMMAND.match(text, place)
    if not match:
        return None
    name = match[1]
    if name in _FRACTIONS:
        return [Token("frac", name, tight, True)], match.end()
    if name in _COMMANDS:
        sign = _COMMANDS[name]
        return [Token(sign, sign, tight and sign not in "*/", True)], match.end()
    return None


def _ends(text: str, place: int, spelling: str, kind: str) -> bool:
    """Whether a spelling is whole: a command ends with its letters, and "sine" is no sin(e)."""
    after = text[place + len(spelling) : place + len(spelling) + 1]
    if spelling[0] == "\\":
        return not (after.isascii() and after.isalpha())
    return kind != "function" or after != "e"
