"""Who is the spy: four seats, clues and votes, and their turns to be learned (Vision-Zero)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from io import BytesIO
from math import isnan, nan
from pathlib import Path

import pytest
import tiny_models
from PIL import Image

from puzzlemill.core.errors import UserError
from puzzlemill.core.game import begin
from puzzlemill.core.registry import game
from puzzlemill.difficulty.matches import AtRandom, Ply, Transcript, play
from puzzlemill.difficulty.policies.loading import new_policy
from puzzlemill.difficulty.policies.policy import Question, Reply, is_local
from puzzlemill.difficulty.settings import PolicySettings
from puzzlemill.generators.games.environments import _spy, spy, spy_pictures
from puzzlemill.generators.games.environments._spy import Table
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.adamw import AdamW
from puzzlemill.trainer.alternation import Stage, next_stage, stage_from_json, stage_to_json
from puzzlemill.trainer.game_evaluation import SeatRecord, with_game
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.selfplay import (
    Match,
    PlayedGame,
    advantages,
    judged_advantage,
    play_step,
    samples_of,
    updated_baselines,
)
from puzzlemill.trainer.settings import TrainGames
from puzzlemill.trainer.settings.games import Alternate, Play

# Seat 0, the spy, goes by 3; its picture differs in b1.
TABLE = Table(2, ("red", "green", "blue", "red"), ("red", "yellow", "blue", "red"), (2, 3, 0, 1), 1,
              (), ())  # fmt: skip
CLUES = ("a1 red", "b1 green", "a2 blue", "b2 red")
VOTED = replace(TABLE, clues=CLUES, votes=("3", "none", "1"))  # of seats 2, 3 and 1


def test_players_speak_in_their_order_and_all_but_the_spy_vote_unseen() -> None:
    table, movers = TABLE, list[int]()
    for said in (*CLUES, "3", "none", "1"):
        movers.append(_spy.to_move(table))
        assert said in _spy.legal(table)
        assert _spy.is_judged(table) == (said not in CLUES)
        table = _spy.step(table, said)
    assert movers == [2, 3, 0, 1, 2, 3, 1]
    assert table == VOTED
    assert not _spy.legal(table)
    first, later = (replace(VOTED, votes=VOTED.votes[:count]) for count in (0, 1))
    assert spy.shown(first, 3) == spy.shown(later, 3), "a vote is not shown to those who vote after"
    assert "2" not in _spy.legal(later), "nobody votes for oneself"
    assert len(_spy.legal(TABLE)) == 16


def test_only_the_spy_sees_another_picture_and_is_told_its_part() -> None:
    texts = [spy.shown(TABLE, seat).text for seat in range(4)]
    assert ["yellow;" in text.partition("Your picture: ")[2] for text in texts] == [True] + [
        False
    ] * 3
    assert ["You are the spy" in text for text in texts] == [True] + [False] * 3
    assert "You are player 3." in texts[0]
    pictures = [Image.open(BytesIO(spy_pictures.shown(TABLE, seat).images[0])) for seat in (0, 1)]
    corner = [each.convert("RGB").getpixel((36, 12)) for each in pictures]
    assert corner == [spy_pictures.PALETTE[5], spy_pictures.PALETTE[3]]
    for level in (0.0, 0.5, 1.0):
        table = begin(game("spy"), 7, level)
        differ = [a != b for a, b in zip(table.picture, table.changed, strict=True)]
        assert sum(differ) == 3 - 2 * level


def test_clues_and_votes_are_paid_by_hand() -> None:
    # One vote for the spy, none for seats 2 and 3 but one for seat 2, which goes by 1: a mean of
    # 1/3 for others, 2/3 below the spy's.
    assert _spy.score(VOTED) == pytest.approx(
        (-0.1 * 2 / 3, 0.1 * 2 / 9 + 0.1 / 3, 0.1 * 2 / 9 - 0.1 * 2 / 3, 0.1 * 2 / 9 + 0.1 / 3)
    )
    assert sum(_spy.score(VOTED)) == pytest.approx(0)
    assert _spy.score(replace(VOTED, votes=())) == (0.0,) * 4
    spy_s, *others = _spy.verdicts(VOTED)
    assert isnan(spy_s)
    assert others == [-1.0, 1.0, -0.5]


class Scripted:
    def __init__(self, say: Callable[[str], str]) -> None:
        self.id, self.say = "scripted", say

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        return [[Reply(self.say(each.messages[0]["content"]), tokens=(1,))] for each in questions]


def test_four_seats_are_played_and_an_illegal_vote_is_a_wrong_one() -> None:
    rules = game("spy_pictures")
    random = [AtRandom() for _ in range(4)]
    for each in play(rules, random, 4, seed=2, level=0.0):
        assert each.end == "finished"
        assert [turn.judged for turn in each.turns] == [False] * 4 + [True] * 3
        assert isnan(each.verdicts[0])
        assert not any(map(isnan, each.verdicts[1:]))
    policy = Scripted(
        lambda prompt: f"<answer>{'five' if 'Now vote' in prompt else 'a1 red'}</answer>"
    )
    for each in play(rules, (policy, *random[1:]), 4, seed=2, level=0.0):
        seat = each.players.index("scripted")
        if seat == 0:
            assert each.end == "finished"
            continue
        assert each.end == "illegal move"
        assert each.verdicts[seat] == -1
        assert each.turns[-1].images, "a policy that sees gets the picture"


def played(verdicts: tuple[float, ...], rewards: tuple[float, ...] = (0.0,) * 4) -> PlayedGame:
    """By one policy in every seat: a clue of each, and votes of all but the first."""
    turns = [Ply(seat, "a1 red") for seat in range(4)]
    turns += [Ply(seat, "1", judged=True) for seat in (1, 2, 3)]
    transcript = Transcript("spy", 1, 0.0, 0, ("it",) * 4, tuple(turns), rewards, "finished", "",
                            verdicts)  # fmt: skip
    return PlayedGame(Match("spy", 0.0, "self"), transcript, "it")


def test_clues_count_above_their_seat_s_baseline_and_votes_beside_each_other() -> None:
    each = played((nan, 1.0, -1.0, -0.5), (-0.2, 0.1, 0.1, 0.0))
    found = [(turn.seat, turn.judged, value) for turn, value in advantages(
        each, {each.match.seat(0): 0.3}, 0.9)]  # fmt: skip
    mean, spread = -0.5 / 3, ((7 / 6) ** 2 + (5 / 6) ** 2 + (1 / 3) ** 2) ** 0.5 / 2**0.5
    assert found == [
        (0, False, pytest.approx(-0.5)),
        (1, True, pytest.approx((1 - mean) / spread)),
        (1, False, pytest.approx(0.1)),  # not discounted for the vote
        (2, True, pytest.approx((-1 - mean) / spread)),
        (2, False, pytest.approx(0.1)),
        (3, True, pytest.approx((-0.5 - mean) / spread)),
        (3, False, pytest.approx(0.0)),
    ]
    assert judged_advantage((nan, 1.0, 1.0, 1.0), 2) == 0
    assert judged_advantage((nan, -1.0, nan, nan), 1) == -1, "an illegal vote, before all others"
    late = replace(each, transcript=replace(each.transcript, turns=each.transcript.turns[4:]))
    assert not updated_baselines({}, [late], 0.5), "votes say nothing of clues"
    assert with_game(SeatRecord(), each, 1).won == 1
    assert with_game(SeatRecord(), each, 0).lost == 1


def test_stages_alternate_when_votes_become_bad_or_good() -> None:
    settings = Alternate(least=2, most=4, memory=0.5)
    good, bad = played((nan, 1.0, 1.0, 1.0)), played((nan, 1.0, -1.0, -1.0))
    unsure = played((nan, 1.0, -0.5, -0.5))
    stage = next_stage(Stage(), [bad], settings)
    assert (stage.learned, stage.steps, stage.right) == ("free", 1, pytest.approx(1 / 3))
    stage = next_stage(stage, [bad], settings)
    assert (stage.learned, stage.steps) == ("judged", 0), "two steps, and too many votes are wrong"
    for _ in range(2):
        stage = next_stage(stage, [good], settings)
    assert (stage.learned, stage.right) == ("judged", pytest.approx(1 - 2 / 3 / 4))
    stage = next_stage(stage, [good], settings)
    assert (stage.learned, stage.steps) == ("free", 0), "votes are right nine times in ten"
    for _ in range(4):
        assert stage.learned == "free"
        stage = next_stage(stage, [good], settings)
    assert stage.learned == "judged", "after the most steps in any case"
    held = next_stage(Stage("free", 5, 0.9, 0.9, True), [unsure], settings)
    assert held.learned == "judged", "too many are for nobody"
    assert stage_from_json(stage_to_json(stage)) == stage
    assert stage_from_json(stage_to_json(None)) is None


def test_alternation_is_refused_where_no_move_is_judged() -> None:
    def table(games: list[str], **alternate: int) -> dict[str, object]:
        return {"name": "it", "train": {"play": {"games": games, "alternate": alternate}}}

    assert recipe_from(table(["spy"], least=5)).train
    with pytest.raises(UserError, match="judged by themselves"):
        recipe_from(table(["nim"], least=5))
    with pytest.raises(UserError, match="least = 9 is above most = 3"):
        recipe_from(table(["spy"], least=9, most=3))


def test_a_policy_that_sees_learns_of_what_it_was_shown(tmp_path: Path) -> None:
    model = tiny_models.seeing_model(tmp_path / "model")
    policy = new_policy(PolicySettings(kind="transformers", model=str(model), max_tokens=4))
    assert is_local(policy)
    policy.model.float()
    settings = TrainGames(play=Play(games=("spy_pictures",), starts=1, opponents={"random": 1.0}))
    games = play_step(policy, settings.play, 0)
    samples = samples_of(policy, games, {}, settings)
    assert samples
    assert all(each.shown and len(each.shown.images) == 1 for each in samples)
    assert not samples_of(policy, games, {}, settings, "judged"), "its clues are illegal moves"
    nothing = AdamW([*policy.model.parameters()], 0.0, 0.0)
    metrics = optimizer_step(policy, nothing, samples, settings.loss, 1.0)
    assert metrics["mismatch_most"] < 1e-3, "as it was sampled, with the picture"
