"""An expression out of an answer's text: labels, side conditions and approximations go."""

import re
from dataclasses import dataclass, replace

from puzzlemill.core.answers.algebra.expr import same
from puzzlemill.core.answers.algebra.finished import finished
from puzzlemill.core.answers.algebra.grammar import parse
from puzzlemill.core.answers.algebra.numeric import Realm, value
from puzzlemill.core.answers.algebra.tokens import SPELLED, Token, tokens, vocabulary
from puzzlemill.core.answers.algebra.tree import Node, Tree, names_in, nodes, scaled
from puzzlemill.core.answers.form import HEDGES, concluded, plain, unnamed
from puzzlemill.core.answers.units import only_units
from puzzlemill.core.fraction import Fraction

ALL_FUNCTIONS = tuple(SPELLED)
ALL_CONSTANTS = ("pi", "e")
LONGEST = 4000  # characters
BITS = 3000  # of a number in the tree; one that is multiplied out may be longer than any written

_MULTIPLIED = frozenset(("*", "/", "(", "[", "name", "function", "root", "frac", "constant"))
_DOLLARS = re.compile(r"(?<!\\)\$|\\[()]")
_UNIT = re.compile(r"(?<=[\w)\]}!|])\s{1,9}[A-Za-z\u00b5][A-Za-z0-9^{}/*\u00b2\u00b3 -]{0,50}$")
_ABOUT = re.compile(r"≈|≃|\\(?:approx|simeq)(?![A-Za-z])")
_TAIL = re.compile(
    r"\s*([+-]?)\s*(\d{0,30}\.\d{1,40}|\d{1,30})(?:\s*(?:\.\.\.|…|\\[lc]?dots))?\s*", re.ASCII
)
_MIXED = re.compile(
    r"\s{0,9}([+-]?)\s{0,9}(\d{1,40})(?:\s{1,9}|\s{1,9}and\s{1,9})(\d{1,40})\s?/\s?(\d{1,40})\s{0,9}",
    re.ASCII,
)
_MIXED_TEX = re.compile(
    r"\s{0,9}([+-]?)\s{0,9}(\d{1,40})\s{0,9}\\[dt]?frac\s?\{\s?(\d{1,40})\s?\}\s?\{\s?(\d{1,40})\s?\}\s{0,9}",
    re.ASCII,
)
_WORKING = re.compile(
    r"\\(?:int|sum|prod|lim)(?![A-Za-z])|[∫∑∏]|\\[dt]?frac\{(?:d|\\partial)"
    r"|d\s?[a-z]?\s?/\s?d\s?[a-z]"
)
_FUNCTION = re.compile(  # f^{-1}(x), (f \circ g)(x), f(g(x))
    r"\(?[A-Za-z](?:\^\{?(?:-1|\\prime|\(\d\))\}?|⁻¹)?(?:\s?(?:\\circ|∘)\s?[A-Za-z])?\)?"
    r"\s?\(\s?(?:[A-Za-z0-9]|[A-Za-z]\s?\([A-Za-z0-9]\))\s?\)"
)
_CONDITION = re.compile(
    r"(?:\s*[,;(]\s*|\s*\(?\s*\b(?:where|for|with|provided(?: that)?|assuming(?: that)?)\b\s*:?\s*)"
    r"(?:all\s+)?\(?\s*\\?([^\W\d_]{1,8})\s*(?:≠|\\neq?(?![A-Za-z])|!=|>=?|≥|\\geq?(?![A-Za-z])|∈|\\in(?![A-Za-z]))"
    r"\s*[^,;=<>≠]{1,30}(?:(?:,|\band\b|\bor\b)\s*[-+]?\d{1,5})?\)?$"
)
_NUMBERED = re.compile(r"\s{0,9}1\s{1,9}\(")  # nobody multiplies by 1: two answers, or a list's
_CONSTANT = re.compile(
    r"\s*[,;(]?\s*\b(?:where|with|for)\s+([A-Za-z])\s+(?:is|being|denotes)?\s*(?:a|an|any|the|some)?\s*"
    r"(?:arbitrary |real |integration ){0,2}constant(?: of integration)?\)?$"
)


@dataclass(frozen=True, slots=True)
class Words:
    """What the letters of an expression may say."""

    names: tuple[str, ...]
    functions: tuple[str, ...] = ALL_FUNCTIONS
    constants: tuple[str, ...] = ALL_CONSTANTS
    evaluated: bool = False  # no work is left to be done with numbers alone


def bare(text: str) -> str:
    """The content without what is around it or marks where mathematics begins and ends."""
    text = plain(text)
    if len(text) > LONGEST:
        return ""
    return plain(concluded(unstarred(_DOLLARS.sub(" ", text))))


def unstarred(text: str) -> str:
    """The inside of *2*x*, which `plain` leaves because of the sign within."""
    text = text.strip()
    while len(text) > 2 and text[0] == text[-1] and text[0] in "*_":
        text = text[1:-1].strip()
    return text


def unitless(text: str) -> str:
    """A number without the unit behind it, such as "units" or "cm^2"."""
    match = _UNIT.search(text, max(0, len(text) - 60))
    return text[: match.start()] if match and only_units(match[0]) else text


def read_tokens(text: str, words: Words) -> list[Token] | None:
    return tokens(text, vocabulary(words.names, words.functions, words.constants))


def read_tree(text: str, words: Words) -> Tree | None:
    """The tree of a text that is an expression and nothing else."""
    found = None if _NUMBERED.match(text) else read_tokens(text, words)
    tree = None if found is None or idle(found) else bounded(parse(found, words.evaluated))
    return tree if tree is not None and names_in(tree) <= set(words.names) else None


def bounded(tree: Tree | None) -> Tree | None:
    """The tree, unless a number in it is too long or something is multiplied by 0."""
    for node in () if tree is None else nodes(tree):
        if isinstance(node, Node):
            if node.sign == "*" and not scaled(node)[0]:
                return None
        elif not isinstance(node, str) and max(abs(node.numerator), node.denominator) >> BITS:
            return None
    return tree


def idle(found: list[Token]) -> bool:
    """Whether something is multiplied by 0 or divided by 1: that is two answers, or none."""
    kinds = ["", *(token.kind for token in found), ""]
    for place, token in enumerate(found):
        before, after = kinds[place], kinds[place + 2]
        if token.kind != "number" or before == "^" or after in ("!", "^", "raised"):
            continue
        if not token.text.strip("0.") and (before in ("*", "/") or after in _MULTIPLIED):
            return True
        if token.text == "1" and before == "/" and after in ("", "+", "-", "*", "/"):
            return True
    return False


def unmixed(text: str) -> str:
    """A mixed number such as 4 1/2 as the fraction that it is; any other text as it is."""
    match = _MIXED.fullmatch(text) or _MIXED_TEX.fullmatch(text)
    if not match or int(match[3]) >= int(match[4]):
        return text
    sign, whole, above, below = match.groups()
    return f"{sign}{int(whole) * int(below) + int(above)}/{below}"


def read_statement(text: str, words: Words, realm: Realm, labels: bool = True) -> Tree | None:
    """The tree of an expression that may have a label ("f(x) =") and say how large it is about."""
    exact, *about = _ABOUT.split(_unconditional(text, words), maxsplit=1)
    *working, last = _sides(exact)
    last = unmixed(last) if words.evaluated else last
    tree = read_tree(last, words)
    if tree is None or (words.evaluated and not finished(tree, realm)):
        return None
    words = replace(words, evaluated=False)
    for part in working:
        if labels and is_label(part, words):
            continue
        side = read_tree(part, words)
        if side is None or not same(side, tree, realm):
            return None
    return tree if not about or _about(tree, about[0], realm) else None


def is_label(text: str, words: Words) -> bool:
    """Whether the left side of an equation only names the right side."""
    text = text.strip()
    if _WORKING.match(text):
        return True
    if text in words.names or read_tree(text, words) is not None:
        return False
    if _FUNCTION.fullmatch(text):
        return True
    return unnamed(f"{text} = 1") == "1" and not HEDGES.intersection(text.lower().split())


def _sides(text: str) -> list[str]:
    """The sides of an equation; the sign in \\sum_{k=1} is none of its own."""
    found, depth, start = list[str](), 0, 0
    for place, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "=" and depth <= 0:
            found.append(text[start:place])
            start = place + 1
    return [*found, text[start:]]


def _unconditional(text: str, words: Words) -> str:
    """The text without "x ≠ 1" or "where C is a constant" behind it."""
    for _ in range(3):
        start = max(0, len(text) - 100)
        match = _CONSTANT.search(text, start) or _CONDITION.search(text, start)
        if not match or match[1] not in words.names or not text[: match.start()].strip():
            break
        text = text[: match.start()]
    return text.strip().rstrip(",;")


def _about(tree: Tree, text: str, realm: Realm) -> bool:
    """Whether an approximation is one of the value."""
    match = _TAIL.fullmatch(text)
    if not match or names_in(tree):
        return False
    exact = value(tree, 0, realm)
    if exact is None or exact.imag:
        return False
    exact = exact.real
    said = Fraction(match[1] + match[2])
    places = len(match[2].partition(".")[2])
    apart = abs(exact) - exact.context.mpf(abs(said).numerator) / abs(said).denominator
    signed = (exact < 0) == (said < 0) or not said
    return bool(signed and -0.51 <= apart * 10**places < 1)  # rounded, or cut off
