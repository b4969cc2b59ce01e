"""Self-play from a model that knows no more than which moves are legal.

    python benchmarks/trainer/play.py [--games kuhn_poker nim] [--seeds 0 1 2] [--steps 60]
    python benchmarks/trainer/play.py --games kuhn_poker --model builds/player

For each game and seed a model of 150,000 weights is taught, by imitation, to write a legal move at
random. From there it is trained twice: against a player that draws moves at random, and against
itself. What it wins is measured before and after on starts that were not played, in each seat.
The figures go to play.json beside this file; seeds that are there stay. With --model the taught
model alone is written, knowing all the games named, for recipes/selfplay.toml.
"""

import argparse
import json
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import Any

import torch

from puzzlemill.core.game import begin
from puzzlemill.core.registry import game
from puzzlemill.difficulty.policies.checkpoint import save
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Sampling
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Transformer, fresh
from puzzlemill.trainer.game_evaluation import measure_games
from puzzlemill.trainer.game_task import GameTask
from puzzlemill.trainer.imitation import example_batches, imitate, optimizers_for, scale_rates
from puzzlemill.trainer.loop import steps
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.settings.games import Play
from puzzlemill.trainer.tiny import encoded, give_a_head_start, shape
from puzzlemill.trainer.tiny_tokens import TinyTokens, build_tokens

RESULT = Path(__file__).with_suffix(".json")
TAUGHT = {"kuhn_poker": 1500, "spy": 1500}  # positions that legal moves are learned from
MANY = 3000  # where it is not said
RATE = 1e-3
RIVALS = {"against random": {"random": 1.0}, "against itself": {"self": 1.0}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", nargs="+", default=["kuhn_poker", "nim"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--starts", type=int, default=32)
    parser.add_argument("--measured", type=int, default=100, help="starts, before and after")
    parser.add_argument("--model", type=Path, help="write a taught model here, and stop")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if asked.model:
        policy = taught(asked.games, asked.seeds[0])
        save(policy.model, asked.model, policy.tokens)
        return
    for name in asked.games:
        for seed in asked.seeds:
            keep(
                name, seed, {"steps": asked.steps, "starts": asked.starts} | run(name, seed, asked)
            )
            print(RESULT.read_text(), flush=True)


def keep(name: str, seed: int, found: dict[str, Any]) -> None:
    told = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    runs = told.get(name, {}).get("seeds", {}) | {str(seed): found}
    told[name] = {"gains": gains([*runs.values()]), "seeds": dict(sorted(runs.items()))}
    RESULT.write_text(json.dumps(told, indent=1) + "\n")


def gains(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """How much more of the games was won after, by whom it was trained and measured against."""
    found = {}
    for way in RIVALS:
        for rival in runs[0]["before"]:
            before = [it["before"][rival]["won"] for it in runs]
            after = [it[way]["after"][rival]["won"] for it in runs]
            each = [later - earlier for earlier, later in zip(before, after, strict=True)]
            found[f"trained {way}, measured against {rival}"] = {
                "before": round(fmean(before), 3),
                "after": round(fmean(after), 3),
                "least gain": round(min(each), 3),
                "deviation": round(stdev(each), 3) if len(each) > 1 else None,
            }
    return found


def run(name: str, seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    settings = Play(games=(name,), starts=asked.starts)
    start = process_time()
    policy = taught([name], seed)
    found: dict[str, Any] = {"cpu seconds taught": round(process_time() - start)}
    found["before"] = standing(policy, settings, asked.measured)
    weights = deepcopy(policy.model.state_dict())
    for way, rivals in RIVALS.items():
        policy.model.load_state_dict(weights)
        train = TrainGames(steps=asked.steps, play=replace(settings, opponents=rivals))
        optimizer = torch.optim.AdamW(policy.model.parameters(), lr=RATE, weight_decay=0.0)
        start = process_time()
        curve = [step.also["illegal"] for step in steps(GameTask(train), policy, optimizer)]
        found[way] = {
            "cpu seconds": round(process_time() - start),
            "illegal, from the first step to the last": curve[:: max(asked.steps // 6, 1)],
            "after": standing(policy, settings, asked.measured),
        }
    return found


def standing(policy: NativePolicy, settings: Play, starts: int) -> dict[str, Any]:
    """Shares of games, by rival, of both seats together and by seat."""
    rows = measure_games(policy, settings, starts, seed=1)
    found: dict[str, Any] = {}
    for rival in dict.fromkeys(row["against"] for row in rows):
        own = [row for row in rows if row["against"] == rival]
        whole = sum(row["games"] for row in own)
        found[rival] = {
            name: round(sum(row[name] for row in own) / whole, 4)
            for name in ("won", "drawn", "illegal")
        } | {"won by seat": [round(row["won"] / row["games"], 4) for row in own], "games": whole}
    return found


def taught(names: Sequence[str], seed: int) -> NativePolicy:
    """A policy that writes legal moves, any of them."""
    pairs = list(demonstrations(names, seed))
    tokens = build_tokens(prompt for prompt, _ in pairs)
    small = replace(shape(tokens), hidden=64, head_dim=16, intermediate=144)
    model = fresh(small, seed)
    give_a_head_start(model)
    teach(model, tokens, pairs, seed)
    return NativePolicy(model.eval(), loaded(tokens), Sampling(max_tokens=12), f"taught-{seed}")


def demonstrations(names: Sequence[str], seed: int) -> list[tuple[str, str]]:
    """Positions of games played at random, and a legal move in each."""
    source, pairs = Random(f"demonstrations {seed}"), list[tuple[str, str]]()
    while len(pairs) < sum(TAUGHT.get(name, MANY) for name in names):
        found = game(source.choice(names))
        state = begin(found, source.getrandbits(50), 0.0)
        while moves := found.legal(state):
            move = source.choice(moves)
            text = found.shown(state, found.to_move(state)).text
            pairs.append((text, f"<answer>{found.write(move)}</answer>"))
            state = found.step(state, move)
    return pairs


def teach(model: Transformer, tokens: TinyTokens, pairs: list[tuple[str, str]], seed: int) -> None:
    batches = example_batches(encoded(tokens, pairs), 1024, Random(seed))
    optimizers = optimizers_for(model)
    for done, loss in enumerate(imitate(model, batches, optimizers), start=1):
        scale_rates(optimizers, min(10 * done / len(batches), 1.25 * (1 - done / len(batches)), 1))
        if done % 50 == 0:
            print(f"legal moves: {done} of {len(batches)}, loss {loss:.3f}", flush=True)


def loaded(tokens: TinyTokens) -> Tokens:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        tokens.save(Path(folder))
        return Tokens.load(Path(folder))


if __name__ == "__main__":
    main()
