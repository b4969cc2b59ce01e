"""Supervised fine-tuning on worked replies that go astray once and find back; text only."""

from puzzlemill.outputs.exports import Export, sft

USAGE = """
## Training

As with the export `sft`, but that in each reply a step or two are worked out of a misread puzzle,
taken back, and worked out again. Each reply was judged correct. The wrong lines stand before the
line "No, I misread that. Once more:", for who wants to leave them out of the loss.
"""

EXPORT = Export(
    texts=sft.EXPORT.texts,
    pictures=None,
    prepare="puzzlemill.outputs.trainer_files.solutions:with_backtrack",
    usage=USAGE,
)
