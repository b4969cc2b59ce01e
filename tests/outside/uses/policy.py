"""A build that is scored by the package's policy."""

from pathlib import Path

import puzzlemill as pm
from puzzlemill.outputs.manifest import read_manifest

Path("scored.toml").write_text("""name = "scored"
[[make]]
families = ["addition"]
count = 12
[policy]
kind = "adder"
[score]
rounds = 2
""")
manifest = read_manifest(pm.build("scored.toml"))
assert manifest["policy"] == "adder"
assert manifest["counts"]["kept"], manifest["counts"]
