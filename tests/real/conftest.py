"""The repository's root comes last on the path, for `benchmarks`.

`make harnesses` takes it off the front: from the egg-info there inspect_ai would not see that
Puzzlemill is installed, and would name its tasks without `puzzlemill/`.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
