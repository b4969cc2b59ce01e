"""Names that a prompt gives the parts of an answer: "x = 3, y = 4", "(x, y) = (3, 4)", "row 3".

One layer for every kind that has `names`: it takes the names off and gives the parts in the order
that the prompt asks for. What names a part twice, or leaves one out, is not read here.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

MOST = 200  # names
LONGEST = 10_000  # characters

_DRESS = re.compile(r"\\begin\{[a-z]{1,16}\*?\}|\\end\{[a-z]{1,16}\*?\}|\*\*|[\"'`$&]|\\[(){}]")
_BREAK = re.compile(r"\\\\")
_BRACED = re.compile(r"_\{(\w{1,8})\}", re.ASCII)
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUBSCRIPT = re.compile("[₀₁₂₃₄₅₆₇₈₉]{1,4}")
_INNER = re.compile(r"\\(?:text|math)[a-z]{0,6}\s?\{([^{}]{0,200})\}", re.ASCII)
# After a name: a sign, a word, or a blank before a number, a bracket or a word.
_JOINT = (
    r"(?:\s{0,9}(?::=|=|:|\u2192|\u2261|-{1,2}>)\s{0,9}"
    r"|\s(?:is(?:\s(?:at|in|on))?|are|was|equals|lies\sin|lies\sat|ends\sup\sat|at)\s|\s)(?=[^\s=])"
)
_LEAD = re.compile(r"[\s({\[]*(?:(?:[-*\u2022]|\(?\d{1,3}[.)])\s{1,9})?(?:the\s)?", re.IGNORECASE)
_NEXT = re.compile(r"\n\s{0,9}(?:[-*\u2022]|\(?\d{1,3}[.):])\s{0,9}$", re.ASCII)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def labelled(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """The parts of a bare text that gives each name one, in the order of the names."""
    if not 0 < len(names) <= MOST or len(text) > LONGEST:
        return None
    text = _undressed(text)
    found = _side_by_side(text, names) or _in_front(text, names) or _behind(text, names)
    return found if found and len(found) == len(names) else None


def labelled_again(text: str, names: Sequence[str]) -> list[tuple[str, ...]] | None:
    """The same for a text that names all of them several times: x = 1, y = 2; x = 3, y = 4."""
    if not 0 < len(names) <= MOST or len(text) > LONGEST:
        return None
    pairs = _headed(_undressed(text), names)
    if not pairs or len(pairs) % len(names):
        return None
    found: list[tuple[str, ...]] = []
    for start in range(0, len(pairs), len(names)):
        row = _ordered(pairs[start : start + len(names)], names)
        if row is None:
            return None
        found.append(row)
    return found


def label_ways(names: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Ways to write parts with their names."""
    if len(names) != len(parts) or not parts:
        return []
    pairs = [f"{name} = {part}" for name, part in zip(names, parts)]
    ways = [
        ", ".join(pairs),
        "; ".join(pairs),
        "\n".join(pairs),
        ", ".join(f"{name}: {part}" for name, part in zip(names, parts)),
    ]
    if len(parts) > 1:
        ways += [
            ", ".join(reversed(pairs)),
            " and ".join([", ".join(pairs[:-1]), pairs[-1]]),
            "\n".join(f"- {pair}" for pair in pairs),
            "\n".join(f"{count}. {pair}" for count, pair in enumerate(pairs, 1)),
            f"({', '.join(names)}) = ({', '.join(parts)})",
            f"{', '.join(names)} = {', '.join(parts)}",
        ]
    return ways


def _undressed(text: str) -> str:
    if "\\" in text:
        text = _INNER.sub(r"\1", _BREAK.sub("\n", text))
    text = _BRACED.sub(r"_\1", _DRESS.sub("", text))
    return _SUBSCRIPT.sub(lambda mark: "_" + mark[0].translate(_LOWERED), text).strip()


def _side_by_side(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """(x, y) = (3, 4)."""
    left, sign, right = text.partition("=")
    if not sign or len(names) < 2 or "=" in right:
        return None
    said = [part.strip() for part in _open(left).split(",")]
    parts = _top(_open(right))
    if len(said) != len(names) or len(parts) != len(names):
        return None
    return _ordered(list(zip(said, parts)), names)


def _in_front(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """x = 3, y = 4, in any order."""
    pairs = _headed(text, names)
    return _ordered(pairs, names) if pairs and len(pairs) == len(names) else None


def _behind(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """3 heads, 4 legs; perhaps with a name in front among them: heap 2, 4 objects."""
    pattern = _pattern(tuple(names))
    parts = [each for part in _top(text) for each in re.split(r"\sand\s", part)]
    pairs = []
    for part in parts:
        part = part.strip().rstrip(".")
        if head := pattern.match(part):
            pairs.append((head[1], part[head.end() :]))
            continue
        value, _, name = part.partition(" ")
        pairs.append((name, value))
    return _ordered(pairs, names) if len(pairs) == len(names) else None


def _headed(text: str, names: Sequence[str]) -> list[tuple[str, str]] | None:
    """Each name that something follows, and what follows it up to the next."""
    lead = _LEAD.match(text)
    assert lead
    start = lead.end()
    opened = [sign for sign in lead[0] if sign in _CLOSING]
    heads = list(_pattern(tuple(names)).finditer(text, start))
    if not heads or heads[0].start() != start or len(heads) > MOST * 10:
        return None
    ends = [head.start() for head in heads[1:]] + [len(text)]
    pairs = [(head[1], _trimmed(text[head.end() : end])) for head, end in zip(heads, ends)]
    name, last = pairs[-1]
    for sign in opened:
        if last.endswith(_CLOSING[sign]) and last.count(_CLOSING[sign]) > last.count(sign):
            last = last[:-1].rstrip(" ,;")
    return [*pairs[:-1], (name, last)]


def _ordered(pairs: Sequence[tuple[str, str]], names: Sequence[str]) -> tuple[str, ...] | None:
    """The parts in the order of the names, if each is named once and says something."""
    lower = _caseless(names)
    found = {_folded(name, lower): part.strip() for name, part in pairs}
    wanted = [_folded(name, lower) for name in names]
    if len(found) < len(pairs) or set(found) != set(wanted) or not all(found.values()):
        return None
    return tuple(found[name] for name in wanted)


def _trimmed(text: str) -> str:
    """A part without what stands between it and the next name."""
    if marked := _NEXT.search(text, max(0, len(text) - 40)):
        text = text[: marked.start()]
    for _ in range(3):
        text = text.rstrip(" ,;.\t\n")
        for word in (" and", "\nand", ",and", " the"):
            text = text.removesuffix(word)
    return text.strip()


@lru_cache(maxsize=2000)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """One of the names, and what joins it to its part."""
    ways = "|".join(_spelling(name) for name in sorted(names, key=len, reverse=True))
    flags = re.IGNORECASE if _caseless(names) else 0
    return re.compile(rf"(?<![\w.\\])({ways})(?!\w){_JOINT}", flags)


def _spelling(name: str) -> str:
    """A name as a pattern: c1 may be c_1, and a blank any white space."""
    stem = re.fullmatch(r"([A-Za-z])_?(\d{1,3})", name)
    return rf"{stem[1]}_?{stem[2]}" if stem else re.escape(name).replace(r"\ ", r"\s")


def _folded(name: str, lower: bool) -> str:
    """A name as it is compared."""
    bare = " ".join(name.replace("_", "").split())
    return bare.lower() if lower else bare


def _caseless(names: Sequence[str]) -> bool:
    """Whether no two names differ by case alone."""
    return len({name.lower() for name in names}) == len(names)


def _open(text: str) -> str:
    text = text.strip()
    if text[:1] in _CLOSING and text.endswith(_CLOSING[text[0]]):
        return text[1:-1].strip()
    return text


def _top(text: str) -> list[str]:
    """The parts between commas, semicolons and line ends that stand in no brackets."""
    parts, depth, start = list[str](), 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0 and sign in ",;\n":
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in [*parts, text[start:].strip()] if part]
