"""Rows by what reviewers noted on them."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puzzlemill.outputs.viewer.catalogue import Catalogue, Mask
from puzzlemill.outputs.viewer.notes import REVIEWS, is_reviewed_as, notes_on


def with_review(catalogue: Catalogue, review: str) -> Mask:
    """Which rows have a note or a mark, a certain mark, or neither."""
    if review not in REVIEWS:
        return np.zeros(catalogue.count, np.bool_)
    wanted = "noted" if review == REVIEWS[-1] else review
    uids = [
        uid for uid, notes in notes_on(catalogue.folder).items() if is_reviewed_as(notes, wanted)
    ]
    mask: Mask = pc.is_in(catalogue.uids, pa.array(uids, pa.string())).to_numpy()
    return ~mask if review == REVIEWS[-1] else mask


def review_counts(catalogue: Catalogue) -> list[tuple[str, int]]:
    """How many rows each choice has; none where nobody has noted anything."""
    if not notes_on(catalogue.folder):
        return []
    return [(review, int(with_review(catalogue, review).sum())) for review in REVIEWS]
