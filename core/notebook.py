"""Notebook: how things show themselves, in a line of text and as HTML. All of it is escaped."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape

ROWS = 10  # of a table
WIDE = 60  # characters of a text in a line
IMAGE = "<image>"  # stands in a prompt for a picture

_BLOCK = "white-space: pre-wrap; font-family: monospace; margin: 0.5em 0"


def short(text: str) -> str:
    """A text in a line, its end left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= WIDE else f"{line[: WIDE - 1]}…"


def first_line(prompt: str) -> str:
    """The first line of a prompt that says something."""
    return short(
        next((line for line in prompt.splitlines() if line.strip() not in ("", IMAGE)), "")
    )


def problem(
    title: str, prompt: str, images: Sequence[bytes], answer: str, drawing: str = ""
) -> str:
    """A prompt with its pictures in their places under a drawing, and the answer folded away."""
    texts = prompt.split(IMAGE)
    shown = [_paragraphs(texts[0])]
    for place, text in enumerate(texts[1:]):
        shown += [_picture(images[place])] if place < len(images) else [escape(IMAGE)]
        shown.append(_paragraphs(text))
    gold = f"<details><summary>answer</summary>{_paragraphs(answer)}</details>"
    return f"<div><small>{escape(title)}</small>{drawing}{''.join(shown)}{gold}</div>"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [_row("th", heads), *(_row("td", row) for row in rows)]
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"


def facts(title: str, sentence: str, pairs: Sequence[tuple[str, str]]) -> str:
    """A heading, a sentence, and names with what is so."""
    lines = [f"<dt>{escape(name)}</dt><dd>{escape(fact)}</dd>" for name, fact in pairs]
    head = f"<strong>{escape(title)}</strong><p>{escape(sentence)}</p>"
    return f"<div>{head}<dl>{''.join(lines)}</dl></div>"


def verdict(status: str, score: float, reason: str) -> str:
    why = f": {escape(reason)}" if reason else ""
    return f"<div><strong>{escape(status)}</strong>, score {score:g}{why}</div>"


def _paragraphs(text: str) -> str:
    """Paragraphs; one of several lines, such as a grid or a program, keeps its columns."""
    return "".join(
        f'<pre style="{_BLOCK}">{escape(part)}</pre>' if "\n" in part else f"<p>{escape(part)}</p>"
        for part in (each.strip("\n") for each in text.split("\n\n"))
        if part.strip()
    )


def _picture(image: bytes) -> str:
    return f'<img alt="" src="data:image/png;base64,{b64encode(image).decode()}">'


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
