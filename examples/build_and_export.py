"""Build a dataset that the bundled policy can learn from, look at its rows, and write it for TRL.

Takes half a minute. The build is in builds/example; run it again, and nothing is made twice.
"""

from pathlib import Path

import pyarrow.parquet as pq

import puzzlemill as pm

RECIPE = """
name = "example"

[[make]]
families = ["sums", "sorting", "maxima"]
count = 24

[policy]
kind = "tiny"
max_tokens = 120

[score]
first = 2
most = 4

[train]
steps = 20
prompts = 8
group = 4
heldout = 4
"""

recipe = Path("example.toml")
recipe.write_text(RECIPE)
folder = pm.build(recipe)
rows = pq.read_table(folder / "dataset" / "data").to_pylist()
for row in rows[:5]:
    print(
        f"{row['family']} at level {row['level']:.2f}: solved {row['successes']} of {row['trials']}"
    )
print(f"{len(rows)} rows kept in {folder}; for TRL: {pm.export(folder, 'trl')}")
