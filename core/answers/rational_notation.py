"""Reading one rational number, exactly as it is written."""

import re

from puzzlemill.core.answers.algebra.tokens import VULGAR
from puzzlemill.core.answers.form import HEDGES, said_of
from puzzlemill.core.answers.units import only_units
from puzzlemill.core.fraction import Fraction

LONGEST = 3000  # characters of a number
EXPONENT = 300  # of ten

_COUNT = r"(?:[1-9]\d{0,2}(?:(?:,|\{,\})\d{3}){1,40}|\d{1,1000})(?!\d|,\d|\.\d|\{,\})"
_SIGNED = rf"[+-]?\s{{0,9}}{_COUNT}"
_TEX = rf"(?:\{{\s{{0,9}}({_SIGNED})\s{{0,9}}\}}|\s{{0,9}}(\d))"
_FRAC = re.compile(
    rf"({_COUNT})?\s{{0,9}}\\(?:[dtc]?frac|sfrac|nicefrac)(?![A-Za-z]){_TEX}{_TEX}", re.ASCII
)
_OVER = re.compile(
    rf"\{{\s{{0,9}}({_SIGNED})\s{{0,9}}\\over\s{{0,9}}({_SIGNED})\s{{0,9}}\}}", re.ASCII
)
_SLASHED = re.compile(
    rf"(\({_SIGNED}\)|{_COUNT})(\s{{0,9}})/(\s{{0,9}})(\({_SIGNED}\)|{_COUNT})", re.ASCII
)
_MIXED = re.compile(
    rf"({_COUNT})(?:\s{{1,9}}(?:and\s{{1,9}}|&\s{{1,9}})?(\d{{1,40}})/(\d{{1,40}})(?!\d)"
    rf"|([⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,9}})/([₀₁₂₃₄₅₆₇₈₉]{{1,9}}))",
    re.ASCII,
)
_SMALL = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,9})/([₀₁₂₃₄₅₆₇₈₉]{1,9})")
_VULGAR = re.compile(rf"(?:({_COUNT})\s{{0,9}})?([{''.join(VULGAR)}])", re.ASCII)
_DECIMAL = re.compile(
    r"([1-9]\d{0,2}(?:(?:,|\{,\})\d{3}){1,40}|\d{0,1000})\.(\d{1,1000})(?![\d.])", re.ASCII
)
_POWER_OF_TEN = re.compile(
    r"(?:(\d{1,1000}(?:\.\d{1,1000})?|\.\d{1,1000})"
    r"(?:[eE]([+-]?\d{1,3})(?!\d)|\s{0,9}(?:\*|\\times(?![A-Za-z])|\\cdot(?![A-Za-z])|[xX])\s{0,9}(?=10)))?"
    r"(?(2)|10\s{0,9}(?:(?:\^|\*\*)\s{0,9}(?:\{\s{0,9}([+-]?\d{1,3})\s{0,9}\}|\(([+-]?\d{1,3})\)"
    r"|([+-]?\d{1,3})(?!\d))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})))",
    re.ASCII,
)
_WHOLE = re.compile(_COUNT, re.ASCII)
_CURRENCY = re.compile(r"([+-]?)\s{0,9}(?:\\?\$|[€£¥₹])\s{0,9}")
_ABOUT = re.compile(r"≈|≃|\\(?:approx|simeq)(?![A-Za-z])")
_ROUNDED = re.compile(
    r"\s{0,9}([+-]?\d{0,30}\.\d{1,60})\s{0,9}(?:\.\.\.|…|\\[lc]?dots)?\s{0,9}", re.ASCII
)
_STATED = re.compile(
    r"(?:the\s)?((?:[a-z]{1,20}\s){0,3}(?:value|probability|chance|fraction|ratio|slope|mean|average"
    r"|sum|difference|product|quotient|total|area|length|volume|coefficient|limit)"
    r"(?:\s[a-z]{1,20}){0,8}?)\s(?:is|equals)\s{1,9}(?=[\d+\\(-])",
    re.IGNORECASE,
)
_BASELINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉", "0123456789+-0123456789")


def stated(text: str) -> str:
    """What follows "the probability of that is"."""
    match = _STATED.match(text)
    if not match or HEDGES.intersection(match[1].lower().split()):
        return said_of(text)
    return text[match.end() :]


def approximated(text: str) -> tuple[str, Fraction | None]:
    """A text without the "≈ 0.33" behind it, and that decimal."""
    match = _ABOUT.search(text)
    tail = _ROUNDED.fullmatch(text, match.end()) if match else None
    return (text[: match.start()], Fraction(tail[1])) if match and tail else (text, None)


def read_ratio(text: str, units: bool = True) -> Fraction | None:
    """The number that a text states, with no more than a unit behind."""
    text = text.strip()
    if text.count("$") == 2 and text[0] == "$" and not text.endswith("\\$"):
        text = text.replace("$", "").strip()  # $\frac{1}{2}$ cm
    if text.startswith("\\("):
        text = text[2:].replace("\\)", "", 1).strip()
    if len(text) > 2 and text[0] + text[-1] in ("()", "[]") and not set("()[]") & set(text[1:-1]):
        text = text[1:-1].strip()
    sign = 1
    if currency := _CURRENCY.match(text):
        text = currency[1] + text[currency.end() :]
    if text[:1] in ("+", "-"):
        sign, text = -1 if text[0] == "-" else 1, text[1:].lstrip()
        if len(text) > 2 and text[0] + text[-1] == "()" and not set("()") & set(text[1:-1]):
            text = text[1:-1].strip()
            if text[:1] in ("+", "-"):
                return None
    for form in (_frac, _mixed, _slashed, _power_of_ten, _decimal, _whole):
        if found := form(text):
            value, end = found
            rest = text[end:]
            return sign * value if not rest or (units and only_units(rest)) else None
    return None


def _frac(text: str) -> tuple[Fraction, int] | None:
    match = _FRAC.match(text)
    if over := _OVER.match(text):
        return _quotient(over[1], over[2], over.end())
    if match is None:
        return None
    above, below = match[2] or match[3], match[4] or match[5]
    if not match[1]:
        return _quotient(above, below, match.end())
    return _joined(match[1], above, below, match.end())


def _mixed(text: str) -> tuple[Fraction, int] | None:
    if match := _VULGAR.match(text):
        above, _, below = VULGAR[match[2]].partition("/")
        return _joined(match[1] or "0", above, below, match.end())
    if small := _SMALL.match(text):
        above, below = small[1].translate(_BASELINE), small[2].translate(_BASELINE)
        return _quotient(above, below, small.end())
    match = _MIXED.match(text)
    if match is None:
        return None
    if match[4]:
        above, below = match[4].translate(_BASELINE), match[5].translate(_BASELINE)
        return _joined(match[1], above, below, match.end())
    if len(match[2]) == 3 and len(match[1]) <= 3:
        return None  # 1 234/567 may be 1234/567
    return _joined(match[1], match[2], match[3], match.end())


def _slashed(text: str) -> tuple[Fraction, int] | None:
    match = _SLASHED.match(text)
    if match is None:
        return None
    value = _quotient(match[1].strip("()"), match[4].strip("()"), match.end())
    spaced = match[2] or match[3]
    if value is None or (spaced and value[0].denominator == 1):
        return None  # "6 / 2" are two answers, or a sum that nobody has worked out
    return value


def _power_of_ten(text: str) -> tuple[Fraction, int] | None:
    match = _POWER_OF_TEN.match(text)
    if match is None:
        return None
    raised = (match[6] or "").translate(_BASELINE)
    exponent = int(match[2] or match[3] or match[4] or match[5] or raised)
    if abs(exponent) > EXPONENT:
        return None
    return Fraction(match[1] or 1) * Fraction(10) ** exponent, match.end()


def _decimal(text: str) -> tuple[Fraction, int] | None:
    match = _DECIMAL.match(text)
    if match is None:
        return None
    return Fraction(f"{_digits(match[1]) or 0}.{match[2]}"), match.end()


def _whole(text: str) -> tuple[Fraction, int] | None:
    match = _WHOLE.match(text)
    return (Fraction(int(_digits(match[0]))), match.end()) if match else None


def _joined(whole: str, above: str, below: str, end: int) -> tuple[Fraction, int] | None:
    """A mixed number; its fraction is a positive one below 1."""
    part = _quotient(above, below, end)
    if part is None or not 0 < part[0] < 1 or not above[0].isdigit() or not below[0].isdigit():
        return None
    return int(_digits(whole)) + part[0], end


def _quotient(above: str, below: str, end: int) -> tuple[Fraction, int] | None:
    number, divisor = int(_digits(above)), int(_digits(below))
    return (Fraction(number, divisor), end) if divisor else None


def _digits(text: str) -> str:
    return re.sub(r"[{},\s]", "", text)
