"""A build of the package's family, its export with the package's reward, and its report."""

import json
import re
import runpy
from pathlib import Path

import puzzlemill as pm

Path("plain.toml").write_text("""name = "plain"
[[make]]
families = ["addition"]
count = 12
[policy]
kind = "none"
""")
build = pm.build("plain.toml")
assert '<section id="items-by-level">' in (build / "report.html").read_text()
folder = pm.export(build, "plain-pairs", unscored=True)
(data,) = folder.glob("*.jsonl")
rows = [json.loads(line) for line in data.read_text().splitlines()]
assert rows, folder
reward = runpy.run_path(str(folder / "reward.py"))["reward"]
answer = sum(map(int, re.findall(r"\d+", rows[0]["question"].partition("answer")[0])))
assert reward(rows[0]["label"], f"<answer>{answer}</answer>") == 1
assert reward(rows[0]["label"], "<answer>-1</answer>") == 0
