"""The memory of a process that trains: what one step frees is kept for the next."""

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # as the C library numbers what it can be told
ROOM, LARGEST = 1 << 30, 1 << 25  # bytes


def keep_what_is_freed() -> None:
    """glibc gives large pieces back at once, and to clear their pages when they are wanted again
    took a twelfth of all training on a CPU."""
    tell = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if tell is not None:
        tell(TRIM_THRESHOLD, ROOM)
        tell(MMAP_THRESHOLD, LARGEST)
