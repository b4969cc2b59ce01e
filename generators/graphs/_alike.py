"""Which nodes are in one part, as text: a character a node, the name of its part.

A part is named for its first node, so that equal parts are equal texts.
"""

GONE = "\0"  # of a node that no longer matters


def name(node: int) -> str:
    return chr(node + 1)


def without(parts: str, node: int) -> tuple[str, bool]:
    """The parts when a node no longer matters, and whether its part has another that does."""
    own = parts[node]
    rest = parts[:node] + GONE + parts[node + 1 :]
    heir = rest.find(own)
    if heir < 0:
        return rest, False
    return (rest.replace(own, name(heir)) if own == name(node) else rest), True
