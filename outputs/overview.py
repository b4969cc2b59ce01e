"""An overview: a family's items at three levels, side by side in one picture."""

import io
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import Item
from puzzlemill.core.storage.files import whole
from puzzlemill.outputs.listing import items_of

LEVELS = (0.0, 0.5, 1.0)
EACH = 4  # items of a level
WIDE = 400  # pixels of a cell
MARGIN = 12
LINES = 30  # of a prompt, and of an answer
RULE = (205, 205, 210)  # the colour of the line above each level
FRAME = (225, 225, 230)  # and of that around each picture

_ROW = 16  # pixels from a line of text to the next
_PAPER, _INK, _ANSWER = (255, 255, 255), (30, 30, 34), (20, 90, 160)


def write_overview(name: str, seed: int, file: Path) -> None:
    """Pictures, prompts and answers, a row for each level, as a PNG."""
    if file.suffix.lower() != ".png":
        raise UserError(f"{file}: an overview is a PNG; name it {file.with_suffix('.png')}")
    if not file.parent.is_dir():
        raise UserError(f"{file.parent}: there is no such folder to write {file.name} to")
    rows = [[_cell(item) for item in items_of(name, level, seed, EACH)] for level in LEVELS]
    heights = [max(cell.height for cell in row) for row in rows]
    page = Image.new("RGB", (EACH * WIDE, sum(heights) + _ROW * 2 * len(rows)), _PAPER)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default()
    top = 0
    for level, row, height in zip(LEVELS, rows, heights, strict=True):
        pen.line((0, top, page.width, top), fill=RULE)
        pen.text((MARGIN, top + _ROW // 2), f"{name}, level {level:g}", fill=_INK, font=font)
        for place, cell in enumerate(row):
            page.paste(cell, (place * WIDE, top + 2 * _ROW))
        top += height + 2 * _ROW
    with whole(file) as beside:
        page.save(beside, "PNG")


def _cell(item: Item) -> Image.Image:
    room = WIDE - 2 * MARGIN
    pictures = [_within(image, room) for image in item.images]
    lines = _lines(item.prompt.replace("<image>", "").strip(), room)
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], "…"]
    answer = _lines(f"Answer: {item.answer}", room)[:LINES]
    height = sum(picture.height + MARGIN for picture in pictures) + MARGIN
    cell = Image.new("RGB", (WIDE, height + _ROW * (len(lines) + len(answer) + 1)), _PAPER)
    pen, font, top = ImageDraw.Draw(cell), ImageFont.load_default(), 1
    for picture in pictures:
        cell.paste(picture, (MARGIN, top))
        edge = (MARGIN - 1, top - 1, MARGIN + picture.width, top + picture.height)
        pen.rectangle(edge, outline=FRAME)
        top += picture.height + MARGIN
    for colour, text in (*((_INK, line) for line in lines), *((_ANSWER, line) for line in answer)):
        pen.text((MARGIN, top), text, fill=colour, font=font)
        top += _ROW
    return cell


def _within(image: bytes, room: int) -> Image.Image:
    picture = Image.open(io.BytesIO(image)).convert("RGB")
    if picture.width > room:
        picture = picture.resize((room, max(1, picture.height * room // picture.width)))
    return picture


def _lines(text: str, room: int) -> list[str]:
    """The text in lines that are no wider than there is room; spaces at their beginning stay."""
    font, lines = ImageFont.load_default(), []
    for line in text.splitlines():
        so_far = ""
        for word in line.split(" "):
            longer = f"{so_far} {word}" if so_far else word
            if so_far and font.getlength(longer) > room:
                lines.append(so_far)
                longer = word
            while font.getlength(longer) > room:  # a word alone, such as a long list
                cut = next(at for at in range(len(longer), 0, -1) if _fits(longer[:at], room))
                lines.append(longer[:cut])
                longer = longer[cut:]
            so_far = longer
        lines.append(so_far)
    return lines


def _fits(text: str, room: int) -> bool:
    return len(text) == 1 or ImageFont.load_default().getlength(text) <= room
