"""What torchrun starts in each of the two processes of `test_together.py`: one run after another.

Most of a process's time goes into its imports, so the two are started once for all runs.
"""

import sys

from puzzlemill.__main__ import app
from puzzlemill.trainer import distributed

if __name__ == "__main__":
    with distributed.process_group():
        for folder in sys.argv[1:]:
            app(["train", folder, "--plain"], standalone_mode=False)
