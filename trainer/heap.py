"""The memory of a process that trains: what one step frees is kept for the next."""

import ctypes
import sys

import torch

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # parameters of glibc's mallopt
ROOM, LARGEST = 1 << 30, 1 << 25  # bytes


def keep_freed_memory() -> None:
    """glibc gives large pieces back at once, and to clear their pages when they are wanted again
    took a twelfth of all training on a CPU."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, ROOM)
        mallopt(MMAP_THRESHOLD, LARGEST)


def release_device_memory() -> None:
    """What torch's allocator keeps of a GPU's memory is of use to no other process."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
