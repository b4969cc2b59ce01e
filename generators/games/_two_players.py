"""What games of X against O share: the other player, and what a search between bounds proves."""


def other(player: str) -> str:
    return "XO"[player == "X"]


def proved(best: int, low: int, top: int, least: int, most: int) -> tuple[int, int]:
    """Between what a position's worth lies, once alpha and beta have found the best between two
    bounds; until then it lay between `least` and `most`."""
    if best <= low:
        return least, best
    return best, most if best >= top else best
