"""Brackets completion: the fewest brackets that make a string of brackets balanced.

They are wanted at the end or in a gap inside. In a gap they must close what stays open before it
and open what is closed after it, as far as the two do not fit one another already; there is one
shortest way. `solve` keeps stacks from both sides; `verify` deletes neighbouring pairs until none
is left.
"""

from dataclasses import dataclass
from random import Random

from puzzlemill.core import answers
from puzzlemill.core.family import Family, Prompt, Style
from puzzlemill.generators.languages._brackets import KINDS, PARTNER, canonical, reduced

GAP = "_"
BOXED = tuple(kind for kind in KINDS if kind != "{}")  # a lone brace would break \boxed{...}


@dataclass(frozen=True, slots=True)
class Knobs:
    length: int  # of what is given
    kinds: int  # of brackets
    gaps: float  # how often the gap is inside


@dataclass(frozen=True, slots=True)
class Torn:
    before: str
    after: str  # "" where the string is torn at its end


def generate(rng: Random, knobs: Knobs) -> Torn | None:
    kinds = rng.sample(BOXED, knobs.kinds)
    if rng.random() >= knobs.gaps:
        before, stack = _walk(rng, kinds, knobs.length)
        return Torn(before, "") if len(stack) >= 3 else None
    half = knobs.length // 2
    before, stack = _walk(rng, kinds, rng.randint(half - half // 3, half + half // 3))
    after, wanted = _walk(rng, kinds, knobs.length - len(before))
    # What is open across the gap: the tail, mirrored, closes some of it and more.
    shared = rng.randrange(len(stack) + 1)
    tail = _mirrored(after) + "".join(PARTNER[sign] for sign in reversed(stack[:shared]))
    if shared == len(stack) or not wanted or len(stack) - shared + len(wanted) < 3:
        return None
    torn = Torn(before, tail)
    # What would be opened need not be the kind that has just been closed.
    return torn if stack[shared] != wanted[0] else None


def solve(torn: Torn) -> str:
    opened: list[str] = []
    for sign in torn.before:
        if sign in PARTNER:
            opened.append(sign)
        else:
            opened.pop()
    closed: list[str] = []  # by the openers that they want, the outermost last
    opener = {closing: opening for opening, closing in PARTNER.items()}
    for sign in reversed(torn.after):
        if sign in opener:
            closed.append(opener[sign])
        else:
            closed.pop()
    fitting = 0
    while fitting < min(len(opened), len(closed)) and opened[fitting] == closed[fitting]:
        fitting += 1
    return "".join(PARTNER[sign] for sign in reversed(opened[fitting:])) + "".join(closed[fitting:])


def verify(torn: Torn, answer: str) -> float:
    before, after = reduced(torn.before), reduced(torn.after)
    while before and after and PARTNER[before[0]] == after[-1]:
        before, after = before[1:], after[:-1]
    if len(answer) != len(before) + len(after):
        return 0.0
    return float(reduced(torn.before + answer + torn.after) == "")


def render(torn: Torn, style: Style) -> Prompt:
    signs = torn.before + torn.after
    pairs = [kind for kind in KINDS if kind[0] in signs or kind[1] in signs]
    named = " ".join(pairs)
    if torn.after:
        text = f"{torn.before} {GAP} {torn.after}"
        question = style.pick(
            f"A string of brackets is balanced when every opening bracket is closed by the bracket"
            f" of the same kind, the kinds being {named}, and pairs lie beside or inside one"
            " another without"
            f" crossing. Here a piece has been cut out where {GAP} stands:\n\n{text}\n\nWhich"
            " brackets, as few as possible, must be put there to make the whole string balanced?",
            f"Fill the gap {GAP} with the fewest brackets that make this a well-formed string of"
            f" the pairs {named}:\n\n{text}\n\nWell-formed means that each bracket has a partner of"
            " its own kind, and that of two pairs one stands wholly inside the other or wholly"
            " beside it.",
            f"{text}\n\nThe brackets of this string, of the pairs {named}, should be nested"
            " properly: whatever"
            " was opened last is closed first, by the closing bracket of its kind, and nothing"
            f" stays open. Replace {GAP} by as few brackets as that takes. Which are they?",
        )
    else:
        text = torn.before
        question = style.pick(
            f"A string of brackets is balanced when every opening bracket is closed by the bracket"
            f" of the same kind, the kinds being {named}, and pairs lie beside or inside one"
            " another without"
            f" crossing. Here the end is missing:\n\n{text}\n\nWhich brackets, as few as possible,"
            " must be added at the end to make the whole string balanced?",
            f"Someone stopped in the middle of writing a well-formed string of the pairs {named}:"
            f"\n\n{text}\n\nWrite the shortest ending that completes it. Well-formed means that"
            " each bracket has a partner of its own kind, and that of two pairs one stands wholly"
            " inside the other or wholly beside it.",
            f"{text}\n\nThe brackets of this string, of the pairs {named}, should be nested"
            " properly: whatever"
            " was opened last is closed first, by the closing bracket of its kind, and nothing"
            " stays open. Go on with as few brackets as that takes. Which are they?",
        )
    return Prompt(question, "only the brackets that are missing, in order")


def steps(torn: Torn) -> list[str]:
    left, right = reduced(torn.before), reduced(torn.after)
    lines = [f"without its pairs, the beginning is {left}"]
    if right:
        lines.append(f"without its pairs, the end is {right}")
    return [*lines, f"missing: {solve(torn)}"]


def canon(torn: Torn) -> list[list[int]]:
    """Which kinds are used does not matter."""
    return canonical([torn.before, torn.after])


def hardness(torn: Torn) -> int:
    return len(torn.before) + len(torn.after) + len(solve(torn))


def _walk(rng: Random, kinds: list[str], length: int) -> tuple[str, list[str]]:
    """Brackets that open and close properly, and what is open after them."""
    deep = 3 + length // 12  # about so many are open in the end
    text, stack = "", list[str]()
    for _ in range(length):
        opens = 0.5 + 0.4 * (deep - len(stack)) / deep
        if not stack or rng.random() < opens:
            stack.append(rng.choice(kinds)[0])
            text += stack[-1]
        else:
            text += PARTNER[stack.pop()]
    return text, stack


def _mirrored(text: str) -> str:
    turned = str.maketrans("".join(KINDS), "".join(kind[::-1] for kind in KINDS))
    return text[::-1].translate(turned)


LADDER = (
    Knobs(10, 2, 0.0),
    Knobs(24, 3, 0.2),
    Knobs(50, 3, 0.4),
    Knobs(100, 3, 0.5),
    Knobs(180, 3, 0.5),
    Knobs(320, 3, 0.5),
)
FAMILY = Family(
    Torn,
    LADDER,
    generate,
    solve,
    verify,
    render,
    answer=answers.Brackets("()[]<>"),
    hardness=hardness,
    proof="unique",
    solver="a stack from either side",
    guess_rate=0.1,
    steps=steps,
    canon=canon,
    skills=("tracking",),
    peers=("SynLogic/dyck_language", "InternBootcamp/bbeh_dyck"),
    theme="brackets",
)
