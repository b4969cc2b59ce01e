"""The control of a latency: a loop that does nothing but ask to be woken each millisecond, and says
how late that was when its input ends."""

import asyncio
import json
import sys
import time


async def main() -> None:
    print("http://nowhere/", flush=True)
    late = list[float]()
    over = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    while not over.done():
        due = time.perf_counter() + 0.001
        await asyncio.sleep(0.001)
        late.append(1000 * (time.perf_counter() - due))
    late.sort()
    shares = {"late_p50_ms": 0.5, "late_p90_ms": 0.9, "late_p99_ms": 0.99}
    found = {name: round(late[int(share * len(late))], 2) for name, share in shares.items()}
    print(json.dumps(found))


asyncio.run(main())
