"""Harbor: the reward of a reply that an agent left in a file. Its tests run this module."""

import json
import sys
from pathlib import Path

from puzzlemill.outputs.rewards import score

LONGEST = 1 << 20  # bytes of a reply that are read


def main(row: str, answer: str, reward: str) -> int:
    """Nothing is written where our verifier fails: no reward is no verdict."""
    verdict = score(json.loads(Path(row).read_text(encoding="utf-8")), reply_in(Path(answer)))
    if verdict["status"] == "error":
        print(f"the verifier failed: {verdict['reason']}", file=sys.stderr)
        return 1
    print(verdict["status"], verdict["reason"])
    Path(reward).parent.mkdir(parents=True, exist_ok=True)
    Path(reward).write_text(f"{verdict['score']}\n", encoding="utf-8")
    return 0


def reply_in(file: Path) -> str:
    """What the file says; an answer that stands alone counts as one between tags."""
    if not file.is_file():
        return ""
    with file.open("rb") as opened:
        text = opened.read(LONGEST).decode("utf-8", "replace").strip()
    alone = text and "<answer>" not in text.lower() and "\\boxed{" not in text
    return f"<answer>{text}</answer>" if alone else text


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
