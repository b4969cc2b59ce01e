"""Spans of a prompt, to answer with: whoever is paid for one of them need not do the work.

The search is generous: every board, quotation, list, expression, number and name in the question,
every tail after a colon or an equals sign, and the answer form's own words. A span that happens to
be a right answer is no fault; which of them are is for `probes` to say.
"""

import re
from collections.abc import Callable, Iterable, Iterator

MOST = 150  # spans of one prompt
LONGEST = 4_000  # characters of a span

_FORM = re.compile(r"\s*Answer with (.*?), between <answer> and </answer>\.\s*\Z", re.DOTALL)
_QUOTED = (
    re.compile(r"```[a-z]*\n(.*?)\n?```", re.DOTALL),
    re.compile(r"`([^`\n]+)`"),
    re.compile(r'"([^"\n]+)"'),
    re.compile(r"(?<!\w)'([^'\n]+)'(?!\w)"),
    re.compile("\u201c([^\u201d\n]+)\u201d"),
    re.compile(r"\$\$?([^$]+)\$\$?"),
    re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL),
)
_LIST = re.compile(r"[^\s,;:]+(?: [^\s,;:]+)?(?:[,;] ?(?:and |or )?[^\s,;:]+(?: [^\s,;:]+)?)+")
_ATOM = (
    r"(?:(?<![a-zA-Z\\])\\?[a-zA-Z]{1,8}(?=[({\[])|\\[a-zA-Z]+|\d[\d.,]*\d|\d"
    r"|(?<![a-zA-Z])[a-zA-Z]'{0,3}(?![a-zA-Z])|pi(?![a-zA-Z])|[-+*/^=()\[\]{}|!<>%_&~\u00b7\u00d7\u00f7\u2212\u221a\u03c0\u00b2\u00b3])"
)
_EXPRESSION = re.compile(rf"{_ATOM}(?:[ ]?,?[ ]?{_ATOM})*")
_NUMBER = re.compile(r"[-\u2212]?\d+(?:[.,/:]\d+)*")
_NAME = re.compile(r"\b[A-Z]\w*(?:[ -][A-Z]\w*)*")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z(])|\n+")
_SIDES = re.compile(r"(?<![<>=!])=(?!=)|->|=>")
_CUES = re.compile(
    r"\b(?:evaluate|compute|calculate|simplify|differentiate|integrate|find|is|of|from|let|with)\s",
    re.IGNORECASE,
)
_CUT = re.compile(r",? (?:where|with respect|for|as|at|in the|and) |,(?= where)")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def spans(prompt: str) -> list[str]:
    """Parts of the prompt that could pass for an answer, the most structured first."""
    question, form = halves(prompt)
    sorts: tuple[tuple[Callable[[str], Iterable[str]], int], ...] = (
        (_boards, 15),
        (_expressions, 35),
        (_lists, 25),
        (_quoted, 15),
        (_tails, 20),
    )
    parts = [span for sort, most in sorts for span in _longest(sort(question), most)]
    for pattern, most in ((_NUMBER, 25), (_NAME, 25)):
        parts += list(dict.fromkeys(_plain(pattern.findall(question))))[:most]
    parts += _longest(_SENTENCE.split(question), 20)
    return [*dict.fromkeys([*parts[: MOST - 60], *form_words(form), *parts[MOST - 60 :]])][:MOST]


def halves(prompt: str) -> tuple[str, str]:
    """The question, and the answer's form."""
    match = _FORM.search(prompt)
    return (prompt[: match.start()], match[1]) if match else (prompt, "")


def form_words(form: str) -> list[str]:
    """The form of the answer, its parts, and each one, two or three of its words."""
    parts = re.split(r"[,;:()]|\b(?:such as|or|and|with|where|if)\b", form)
    words = re.findall(r"[^\s,;:()\"]+", form)
    runs = (" ".join(words[at : at + length]) for length in (3, 2, 1) for at in range(len(words)))
    return list(dict.fromkeys(_plain([form, *_quoted(form), *_expressions(form), *parts, *runs])))[
        :60
    ]


def _longest(texts: Iterable[str], most: int) -> list[str]:
    return sorted(dict.fromkeys(_plain(texts)), key=len, reverse=True)[:most]


def _plain(texts: Iterable[str]) -> Iterator[str]:
    for span in texts:
        text = span.strip("\n") if "\n" in span else span.strip(" \t,;:?.")
        if text and len(text) <= LONGEST:
            yield text


def _boards(text: str) -> Iterator[str]:
    """Blocks of lines, and what stands under a line that ends with a colon."""
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if len(lines) > 1:
            yield block
            for place, line in enumerate(lines[:-1], 1):
                if line.rstrip().endswith((":", "=", ".")):
                    yield "\n".join(lines[place:])


def _quoted(text: str) -> Iterator[str]:
    for pattern in _QUOTED:
        for match in pattern.finditer(text):
            yield next(filter(None, match.groups()))


def _lists(text: str) -> Iterator[str]:
    """What stands in brackets, with them and without, and what commas part."""
    for span in _bracketed(text):
        yield from (span, span[1:-1])
    for line in text.splitlines():
        yield from _LIST.findall(line)


def _bracketed(text: str) -> Iterator[str]:
    waiting: list[tuple[str, int]] = []
    for place, char in enumerate(text):
        if char in _BRACKETS:
            waiting.append((_BRACKETS[char], place))
        elif waiting and char == waiting[-1][0]:
            yield text[waiting.pop()[1] : place + 1]


def _expressions(text: str) -> Iterator[str]:
    """Runs of numbers, signs and single letters; each side of an equation is one too."""
    for line in text.splitlines():
        for run in _EXPRESSION.findall(line):
            for side in (run, *_SIDES.split(run)):
                if re.search(r"\d|[a-zA-Z]\(", side) and len(side.strip(" ()[]{}")) > 2:
                    yield from (side, _balanced(side))
                    yield from side.split(", ")


def _balanced(text: str) -> str:
    """The text without brackets at its ends that have no partner in it."""
    text = text.strip()
    for opening, closing in _BRACKETS.items():
        while text.endswith(closing) and text.count(closing) > text.count(opening):
            text = text[:-1].rstrip()
        while text.startswith(opening) and text.count(opening) > text.count(closing):
            text = text[1:].lstrip()
    return text


def _tails(text: str) -> Iterator[str]:
    """What follows a colon, an equals sign or a word such as "evaluate", to the sentence's end."""
    for sentence in _SENTENCE.split(text):
        for mark in re.finditer(r":\s|=\s?", sentence):
            yield sentence[mark.end() :]
        for cue in _CUES.finditer(sentence):
            tail = sentence[cue.end() :]
            yield from (tail, _CUT.split(tail)[0])
