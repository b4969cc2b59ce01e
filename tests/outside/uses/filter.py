"""A build whose recipe switches the package's filter on."""

from pathlib import Path

import puzzlemill as pm
from puzzlemill.outputs.manifest import read_manifest

Path("filtered.toml").write_text("""name = "filtered"
[[make]]
families = ["addition"]
count = 40
[policy]
kind = "none"
[filters.also.round_numbers]
multiple = 5
""")
folder = pm.build("filtered.toml")
assert read_manifest(folder)["rejected"]["round numbers"]
assert not pm.verify(folder)
