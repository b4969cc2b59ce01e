"""Train the bundled policy on the build of build_and_export.py, and see what it gained.

Takes half a minute on a CPU. It needs the extra `train`, and example.toml.
"""

import json

import puzzlemill as pm

folder = pm.build("example.toml")  # made already: at once
checkpoint = pm.train(folder)
print("checkpoint:", checkpoint)
for cell in json.loads((folder / "training.json").read_text())["cells"]:
    before, after = (cell[when]["successes"] / cell[when]["trials"] for when in ("before", "after"))
    what = f"held-out {cell['family']} at level {cell['level']}"
    print(f"{what}: {before:.2f} before, {after:.2f} after")
