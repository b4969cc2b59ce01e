"""A build, two training steps and an export, with a part of the package's wherever a recipe names
one."""

import json
import sys
from pathlib import Path

import puzzlemill as pm
from puzzlemill.outputs.manifest import read_manifest

Path("whole.toml").write_text("""name = "whole"
[[make]]
families = ["addition"]
count = 40
levels = [0.0]
[policy]
kind = "borrowed"
max_tokens = 24
[score]
first = 2
most = 2
rounds = 1
signal = "answer"
[filters]
band = [0.0, 1.0]
[filters.also.round_numbers]
multiple = 5
[train]
curriculum = "backwards"
steps = 2
prompts = 2
group = 4
heldout = 1
keep_replies = true
[train.loss]
advantage = "signs"
ratio = "squared"
dual = 3.0
[train.reward]
also = ["doubled"]
""")
folder = pm.build("whole.toml")
manifest = read_manifest(folder)
assert manifest["policy"].startswith("borrowed/"), manifest["policy"]
assert manifest["rejected"]["round numbers"]
assert not pm.verify(folder)

last = pm.train("whole.toml")
assert (last / "config.json").is_file()
run = json.loads((folder / "training.json").read_text())
assert run["steps"] == 2
assert run["curriculum"] == "backwards"
assert run["policy_before"].startswith("borrowed/")
steps = [json.loads(line) for line in (folder / "training" / "metrics.jsonl").open()]
assert all(step["mixed"] > 0 and step["gradient"] > 0 for step in steps), steps

parts = "borrowed round_numbers backwards signs squared doubled families.addition"
assert {f"outside_mill.{part}" for part in parts.split()} <= sys.modules.keys()

(data,) = pm.export(folder, "plain-pairs").glob("*.jsonl")
assert all("question" in json.loads(line) for line in data.read_text().splitlines())
