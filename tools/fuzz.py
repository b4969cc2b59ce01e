"""Coverage-guided fuzzing of reading: extraction, and every answer kind.

    .venv/bin/python tools/fuzz.py FOLDER [libFuzzer options]     (make fuzz)

The folder is filled with right answers in all their ways, from which it starts. A finding is a
text on which reading raises, takes too long, or reads what it cannot write and read again; it is
written to a file beside: its first byte is the kind's place in the table, the rest the text. Put it
into tests/test_answers.py and mend the kind.
"""

import sys
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["puzzlemill"]):
    from puzzlemill.core.proof.batteries import renderings, tagged
    from puzzlemill.core.replies import answer_text

    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from test_answers import SAID

KINDS = [kind for kind, _ in SAID]
SLOW = 1.0  # CPU seconds for one text; the fuzzer's own counting makes all of it slower


def read(data: bytes) -> None:
    if not data:
        return
    kind, text = KINDS[data[0] % len(KINDS)], data[1:].decode("utf-8", "replace")
    start = time.process_time()
    answer_text(text)
    answer = kind.read(answer_text(tagged(text)) or "")
    # A Decimal reads more places than it writes.
    if answer is not None and type(kind).__name__ != "Decimal":
        written = kind.write(answer)
        assert kind.read(written) == answer, f"{kind}: {text!r} is written as {written!r}"
    spent = time.process_time() - start
    assert spent < SLOW, f"{kind}: {spent:.1f} s for {text[:200]!r}"


def sow(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for place, (kind, text) in enumerate(SAID):
        for number, reply in enumerate(renderings(kind, kind.read(text))):
            seed = bytes([place]) + (answer_text(reply) or "").encode()
            (folder / f"{place:03d}-{number:03d}").write_bytes(seed)


if __name__ == "__main__":
    sow(Path(sys.argv[1]))
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
