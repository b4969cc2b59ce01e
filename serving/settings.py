"""What a server is told: the options of `puzzlemill serve`."""

from dataclasses import dataclass
from typing import Annotated

from puzzlemill.core.settings import Length, Level, OneOf, Range, Seed
from puzzlemill.difficulty.prompt_styles import PLAIN, PROMPT_STYLES


@dataclass(frozen=True, slots=True)
class Serve:
    """What is asked, how often it may be tried, and what one process takes on."""

    levels: Annotated[tuple[Level, ...], Length(1, 101)] = (0.0, 0.25, 0.5, 0.75, 1.0)
    seed: Seed = 0  # of the items
    # Of each environment and split; they are made when they are asked for.
    tasks: Annotated[int, Range(1, 10**12)] = 1_000_000
    tries: Annotated[int, Range(1, 64)] = 1  # replies to a task, until one is right
    # Whether Open Reward Standard offers `submit` to the policy even where one reply ends a task:
    # TRL 1.16 knows no terminal tool.
    tool: bool = False
    style: Annotated[str, OneOf(PROMPT_STYLES)] = PLAIN  # how a policy is told to reason
    hint: Annotated[float, Range(0, 1)] = 0.0  # the share of the solution that the prompt tells
    # In games: random; minimax-2, a search so many moves ahead; or session, another client's.
    opponent: str = "random"
    wait: Annotated[float, Range(0.01, 3600)] = 60.0  # seconds for another session's move
    # Two pass rates: tasks of the environment `live_band` are aimed between them. Empty: there is
    # no such environment.
    band: Annotated[tuple[float, ...], Length(0, 2)] = ()
    workers: Annotated[int, Range(0, 65_536)] = 0  # processes that judge; 0: one for each core
    seconds: Annotated[float, Range(0.01, 3600)] = 20.0  # that judging one reply may take
    queue: Annotated[int, Range(1, 1_000_000)] = 4096  # replies that wait; more are refused (503)
    sessions: Annotated[int, Range(1, 1_000_000)] = 4096  # at once
    idle: Annotated[float, Range(0.01, 1e7)] = 900.0  # seconds without a call that end a session
    body: Annotated[int, Range(1024, 1 << 30)] = 8 << 20  # bytes of a request
    patience: Annotated[float, Range(0.01, 3600)] = 30.0  # seconds that a request may take to come
