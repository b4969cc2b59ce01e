"""The token whose probability behind a reply is the reply's self-reward (LaSeR)."""

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.tokens import Tokens


def reward_token(tokens: Tokens) -> int:
    """Of the special tokens that end no reply, the one of the highest id: it never stands there."""
    added = getattr(tokens.tokenizer, "added_tokens_decoder", {})
    special = [place for place, token in added.items() if token.special]
    never = [place for place in special if place not in tokens.ends]
    if not never:
        raise UserError(
            "the tokenizer has no special token but those that end a reply, so there is none to"
            " read a self-reward from: leave self_reward out, or take another checkpoint"
        )
    return int(max(never))
