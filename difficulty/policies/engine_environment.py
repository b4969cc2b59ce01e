"""The environment of vLLM's processes: they see their devices, and nothing of torchrun's."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# Of torchrun's: an engine's processes would look for its store, and take themselves for its ranks.
OF_TORCHRUN = (
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "ROLE_RANK",
    "ROLE_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_USE_AGENT_STORE",
)
VISIBLE = "CUDA_VISIBLE_DEVICES"


@contextmanager
def environment_of_engine(devices: Sequence[int]) -> Iterator[None]:
    """Processes that are started inside see these devices alone, and are none of torchrun's; an
    engine is one of them, whatever was set. This process has seen its devices before."""
    names = [each for each in os.environ.get(VISIBLE, "").split(",") if each]
    shown = {VISIBLE: ",".join(names[each] if names else str(each) for each in devices)}
    shown["VLLM_ENABLE_V1_MULTIPROCESSING"] = "1"
    before = {name: os.environ.get(name) for name in (*OF_TORCHRUN, *shown)}
    for name in OF_TORCHRUN:
        os.environ.pop(name, None)
    os.environ.update(shown)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
