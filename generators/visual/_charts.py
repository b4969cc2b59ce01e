"""Charts: a frame with a numbered axis, and the heights at which its values lie."""

from dataclasses import dataclass

from puzzlemill.generators.visual._drawing import area, blank, write
from puzzlemill.generators.visual._picture import GUTTER, Pixels

LEFT, TOP, BELOW, RIGHT = 64, 20, 40, 16  # pixels around the frame
SPACE = 40  # pixels between two lines of the grid; 2, 4 and 5 divide it


@dataclass(frozen=True, slots=True)
class Axis:
    lines: int  # of the grid, without the one at zero
    step: int  # what a line is worth
    fine: int  # parts of a step that values are read in

    @property
    def least(self) -> int:
        """What the smallest part is worth."""
        return self.step // self.fine

    @property
    def bottom(self) -> int:
        return TOP + self.lines * SPACE

    @property
    def told(self) -> str:
        """Where values lie, in words."""
        if self.fine == 1:
            return "a line of the grid"
        return (
            "a line of the grid or at one of the marks on the axis, which divide a step into"
            f" {self.fine} equal parts"
        )

    def height(self, value: int) -> int:
        """The row of pixels at which a value lies."""
        return self.bottom - value * SPACE // self.step


def chart(axis: Axis, wide: int) -> Pixels:
    """An empty chart whose frame is so many pixels wide; a small mark for every part of a step."""
    page = blank(LEFT + wide + RIGHT, axis.bottom + BELOW)
    for part in range(axis.lines * axis.fine + 1):
        y = axis.height(part * axis.least)
        if part % axis.fine == 0:
            area(page, LEFT, y, LEFT + wide, y + 1, GUTTER)
            write(page, str(part * axis.least), LEFT // 2 - 4, y)
        long = 10 if part % axis.fine == 0 else 5
        area(page, LEFT - long, y, LEFT, y + 1)
    area(page, LEFT - 1, TOP, LEFT + 1, axis.bottom + 1)
    area(page, LEFT - 1, axis.bottom, LEFT + wide, axis.bottom + 2)
    return page
