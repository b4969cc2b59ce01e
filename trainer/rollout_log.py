"""The log of a run's rollouts: all replies, right and wrong, as Parquet, one file a step."""

from pathlib import Path

import pyarrow as pa

from puzzlemill.core.storage.parquet import write_table
from puzzlemill.difficulty.behaviour import behaviour_of
from puzzlemill.trainer.rollouts import Rollouts

SCHEMA = pa.schema(
    [
        ("step", pa.int64()),
        ("uid", pa.string()),
        ("family", pa.string()),
        ("level", pa.float64()),
        ("hint", pa.float64()),  # the share of the solution that was told
        ("prompt", pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
        ("reply", pa.string()),
        ("score", pa.float64()),
        ("finished", pa.bool_()),
        ("tokens", pa.list_(pa.int32())),
        ("logps", pa.list_(pa.float32())),
        ("behaviour", pa.list_(pa.string())),
        # Of its steps, where [train.process] asks for them: the first is the prompt's.
        ("values", pa.list_(pa.struct([("tokens", pa.int32()), ("value", pa.float64())]))),
    ]
)


def log_rollouts(folder: Path, step: int, sampled: Rollouts) -> None:
    """Write the step's file; a step that is done again writes the same."""
    rows = [
        {
            "step": step,
            "uid": prompt.row["uid"],
            "family": prompt.row["family"],
            "level": prompt.row["level"],
            "hint": prompt.hint_share or conversation.hint_share,
            "prompt": conversation.attempts[
                -1
            ].messages,  # with the tries before, where there were any
            "reply": reply.text,
            "score": score,
            "finished": reply.finished,
            "tokens": reply.tokens,
            "logps": reply.logps,
            "behaviour": behaviour_of(reply.text),
            "values": [{"tokens": end, "value": value} for end, value in conversation.values],
        }
        for prompt, group, scores in zip(
            sampled.prompts, sampled.conversations, sampled.scores(), strict=True
        )
        for conversation, score in zip(group, scores, strict=True)
        for reply in [conversation.last]
    ]
    write_table(folder / f"step-{step:06d}.parquet", pa.Table.from_pylist(rows, schema=SCHEMA))
