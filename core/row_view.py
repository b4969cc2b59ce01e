"""Rows of items, made when they are asked for: what data loaders and data frames take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from puzzlemill.core.errors import need

if TYPE_CHECKING:
    from pandas import DataFrame

    from puzzlemill.core.item import Item


@dataclass(frozen=True, slots=True)
class RowView(Sequence[dict[str, Any]]):
    """Items as the rows of a dataset, in the same places."""

    items: "Sequence[Item]"

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> "RowView": ...
    def __getitem__(self, place: int | slice) -> "dict[str, Any] | RowView":
        if isinstance(place, slice):
            return RowView(self.items[place])
        return self.items[place].row()

    def __repr__(self) -> str:
        return f"<RowView of {self.items!r}>"

    def to_pandas(self) -> "DataFrame":
        """A data frame with a line a row. It makes every item."""
        need("a data frame", "pandas", extra="hub")
        from pandas import DataFrame

        len(self)  # what has no end says so
        return DataFrame(list(self))
