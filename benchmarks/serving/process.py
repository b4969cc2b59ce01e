"""A server in a process of its own: its address, CPU seconds and memory."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Process:
    """Runs until the end of a `with`; its first line says where it listens."""

    cores: set[int] | None = None  # that it is kept to; None: the parent's

    def __init__(self, command: Sequence[str]) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        if self.cores:
            os.sched_setaffinity(self.process.pid, self.cores)
        assert self.process.stdout is not None
        match = re.match(r"http://(\S+?)/", self.process.stdout.readline())
        assert match, "the process did not start"
        self.address = match[1]

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def ended(self) -> str:
        """What it says when its input ends."""
        return self.process.communicate(timeout=60)[0]

    def seconds(self) -> float:
        """CPU seconds of the process and its workers."""
        total = 0
        for pid in self._processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self) -> float:
        """MB that the server's own process holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def _processes(self) -> list[int]:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task").glob("*/children")
        return [pid, *(int(each) for file in children for each in file.read_text().split())]
