"""Sets of worlds as the bits of an integer: where a compound of two statements is true."""


def connected(sign: str, left: int, right: int, everywhere: int) -> int:
    """Under a connective by its name; either: just one of them."""
    match sign:
        case "and":
            return left & right
        case "or":
            return left | right
        case "either":
            return left ^ right
        case "if":
            return everywhere & ~left | right
        case _:
            return everywhere & ~(left ^ right)
