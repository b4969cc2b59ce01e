"""A training step with the package's curriculum, advantage and ratio, which a recipe names."""

from pathlib import Path

import puzzlemill as pm

Path("trained.toml").write_text("""name = "trained"
[[make]]
families = ["sorting"]
count = 8
levels = [0.0]
[policy]
max_tokens = 24
[score]
first = 2
most = 2
rounds = 1
signal = "none"
[filters]
band = [0.0, 1.0]
[train]
curriculum = "backwards"
steps = 1
prompts = 2
group = 2
heldout = 1
[train.loss]
advantage = "signs"
ratio = "squared"
""")
assert (pm.train("trained.toml") / "config.json").is_file()
