"""Serve tasks over HTTP, ask for one and send a reply, as a trainer in another process does.

It needs the extra `serve`.
"""

import json
import subprocess
import sys
from typing import Any
from urllib.request import Request, urlopen

import puzzlemill as pm


def post(address: str, **body: object) -> Any:
    with urlopen(Request(address, json.dumps(body).encode())) as answer:
        return json.load(answer)


command = [sys.executable, "-m", "puzzlemill", "serve", "sums", "--port", "0"]
server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
try:
    assert server.stdout is not None
    place = server.stdout.readline().split()[0]  # http://127.0.0.1:…/
    task = post(f"{place}sums/task", split="train", index=7)["task"]
    print(task)
    gold = pm.item(task).answer  # the server never tells it: who knows the address can make it
    for answer in ("0", gold):
        item = {"task": task, "reply": f"<answer>{answer}</answer>"}
        print(answer, post(f"{place}verify", items=[item])["verdicts"])
finally:
    server.terminate()
    server.wait()
