"""Conversations and self-play: what each turn is worth, by hand, and runs that go on exactly."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from puzzlemill import pipelines
from puzzlemill.__main__ import app
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.matches import Ply, Transcript
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.scoring import judge_here
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer import conversations
from puzzlemill.trainer.conversations import sample_conversations
from puzzlemill.trainer.evaluation import measure
from puzzlemill.trainer.game_evaluation import compare_seats, measure_games
from puzzlemill.trainer.logps import logps
from puzzlemill.trainer.micro_batch import micro_batches
from puzzlemill.trainer.optimizer_step import optimizer_step
from puzzlemill.trainer.rethinking import share_rethought, with_rethinking
from puzzlemill.trainer.run import train
from puzzlemill.trainer.selfplay import (
    Match,
    PlayedGame,
    advantages,
    play_match,
    play_step,
    samples_of,
    starts_by_match,
    updated_baselines,
)
from puzzlemill.trainer.settings import Train, TrainGames
from puzzlemill.trainer.settings.games import Play
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import TextReward
from puzzlemill.trainer.settings.turns import Rethink, Retry
from puzzlemill.trainer.shapings import Groups, rewards
from puzzlemill.trainer.shapings.repeated import repeated

ALL_WRONG = "I think <answer>gibberish?</answer>"


class Scripted:
    """A policy that says what a function makes of a conversation; it keeps what it was asked."""

    def __init__(self, say: Callable[[Sequence[dict[str, str]]], str], room: int = 99) -> None:
        self.id, self.say, self.room = "scripted", say, room
        self.asked = list[Question]()

    def takes(self, question: Question) -> bool:
        return len(question.messages) <= self.room

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        self.asked += questions
        return [[Reply(self.say(it.messages), tokens=(1,))] * n for it in questions]


def rows_of(*families: str, count: int = 3) -> list[dict[str, Any]]:
    return [row_of(item) for name in families for item in generate(name, level=0.5, n=count)]


# Conversations.


def test_a_wrong_reply_is_told_so_and_no_more_until_one_is_right() -> None:
    rows = rows_of("sums", "countdown", "zebra", "sudoku")
    gold = {row["prompt"][0]["content"]: row["answer"] for row in rows}

    def say(messages: Sequence[dict[str, str]]) -> str:
        right = len(messages) == 5  # at the third try
        return f"<answer>{gold[messages[0]['content']]}</answer>" if right else ALL_WRONG

    policy = Scripted(say)
    held = sample_conversations(policy, rows, "try", 2, judge_here, tries=5)
    assert all(talk.verdict.correct and len(talk.attempts) == 3 for group in held for talk in group)
    for row, group in zip(rows, held, strict=True):
        prompt, *said = group[0].attempts[-1].messages
        assert prompt == row["prompt"][0]
        assert [each["role"] for each in said] == ["assistant", "user"] * 2
        assert {each["content"] for each in said[1::2]} == {Retry().feedback}
        assert conversations.discounted_return(group[0], Retry()) == 0.25
    seeds = [question.seed for question in policy.asked]
    assert len(set(seeds)) == len(seeds), "no two conversations draw alike"
    assert conversations.solved_within(held, 4) == [[0, 0, 2, 2]] * len(rows)


def test_the_feedback_is_the_same_whatever_was_wrong() -> None:
    """Partly right, wrong in form or wrong in fact: what is said next must not tell which."""
    (row,) = rows_of("sorting", count=1)
    answer = row["answer"].split()
    swapped = " ".join([*answer[:-2], answer[-1], answer[-2]])
    replies = ["", "no idea", f"<answer>{swapped}</answer>", "<answer>1 1 1</answer>"]
    told = set()
    for reply in replies:
        policy = Scripted(lambda messages, reply=reply: reply)  # type: ignore[misc]
        (group,) = sample_conversations(policy, [row], "try", 1, judge_here, tries=2)
        assert not group[0].verdict.correct
        told.add(group[0].attempts[1].messages[-1]["content"])
    assert told == {Retry().feedback}


def test_nothing_is_told_where_our_own_code_failed_or_there_is_no_room() -> None:
    def failing(rows: Any, replies: Any) -> list[Verdict]:
        return [Verdict(0.0, False, "error", "it crashed") for _ in replies]

    row = rows_of("sums", count=1)
    policy = Scripted(lambda messages: ALL_WRONG)
    ((talk,),) = sample_conversations(policy, row, "try", 1, failing, tries=3)
    assert len(talk.attempts) == 1
    ((talk,),) = sample_conversations(
        Scripted(policy.say, room=3), row, "try", 1, judge_here, tries=9
    )
    assert len(talk.attempts) == 2


def test_what_a_conversation_is_worth_by_hand() -> None:
    def talk(score: float, *said: str) -> conversations.Conversation:
        past = tuple(conversations.Attempt((), Reply(f"<answer>{each}</answer>")) for each in said)
        return conversations.Conversation(past, Verdict(score, score == 1, "partial"))

    assert conversations.discounted_return(talk(1.0, "4"), Retry()) == 1
    assert conversations.discounted_return(talk(0.5, "4", "5", "6"), Retry()) == 0.125
    assert repeated(talk(1.0, "4")) == 0
    assert repeated(talk(0.0, "4 5", " 4  5", "6", "4 5")) == 0.5
    settings = Train(tries=2, retry=Retry(repeated=0.2))
    groups = [[talk(0.0, "4", "4"), talk(1.0, "4", "5")]]
    scores_PG = torch.tensor([[0.0, 1.0]])
    shaped = rewards(Groups([{}], groups, scores_PG, settings, 9, 0)).replies_PG
    assert shaped.tolist() == [pytest.approx([-0.1, 1.0])]
    assert conversations.solved_by_try([[talk(1.0, "4"), talk(1.0, "4", "5")]], 2) == {
        "within 1": 0.5,
        "within 2": 1.0,
    }


def test_a_share_of_finished_replies_goes_on_behind_a_trigger_in_the_same_turn() -> None:
    (row,) = rows_of("sums", count=1)
    first, again = ALL_WRONG, f"no: <answer>{row['answer']}</answer>"

    def say(messages: Sequence[dict[str, str]]) -> str:
        return again if messages[-1]["role"] == "assistant" else first

    policy = Scripted(say)
    groups = sample_conversations(policy, [row], "try", 4, judge_here)
    cut = replace(groups[0][0].last, finished=False)
    groups[0][0] = replace(groups[0][0], attempts=(replace(groups[0][0].attempts[0], reply=cut),))
    settings = Rethink(0.5, " Wait. ")
    (found,) = with_rethinking(policy, [row], groups, "try", judge_here, settings)
    assert [each.rethought for each in found] == [False, True, True, False], "the first is cut off"
    assert share_rethought([found]) == {"rethought": 0.5}
    prompt, begun = found[1].attempts[1].messages
    assert prompt == row["prompt"][0]
    assert begun == {"role": "assistant", "content": f"{first} Wait. "}
    assert found[1].text == f"{first} Wait. {again}"
    assert [each.verdict.correct for each in found] == [False, True, True, False]
    assert [conversations.discounted_return(each, Retry()) for each in found] == [0, 1, 1, 0]
    assert len({question.seed for question in policy.asked}) == 3
    silent = Scripted(lambda messages: " that is it" if len(messages) > 1 else again)
    groups = sample_conversations(silent, [row], "try", 2, judge_here)
    (found,) = with_rethinking(silent, [row], groups, "try", judge_here, Rethink(1.0))
    assert all(each.verdict.correct and each.rethought for each in found), "the first answer stands"
    full = Scripted(say, room=1)
    groups = sample_conversations(full, [row], "try", 2, judge_here)
    assert with_rethinking(full, [row], groups, "try", judge_here, Rethink(1.0)) == groups


def test_a_reply_that_goes_on_opens_no_new_turn() -> None:
    tokens = tiny(Sampling()).tokens
    question = [{"role": "user", "content": "1 + 1"}]
    begun = [*question, {"role": "assistant", "content": "It is 3. Wait,"}]
    assert tokens.ids(begun) == tokens.ids(question) + tokens.continuation("It is 3. Wait,")
    plain = replace(tokens, tokenizer=deepcopy(tokens.tokenizer))
    plain.tokenizer.chat_template = None
    assert plain.text(plain.ids(begun)).endswith("assistant:It is 3. Wait,")


@pytest.mark.parametrize(
    ("train", "told"),
    [
        ({"tries": 2}, "rethinking is one try"),
        ({"sampler": "vllm"}, "cannot go on with a reply"),
        ({"rethink": {"share": 0.5, "trigger": " "}}, "what a reply goes on behind"),
        ({"rethink": {"trigger": "Wait."}}, "trigger has an effect only where share"),
    ],
)
def test_rethinking_that_cannot_be_is_told(train: dict[str, Any], told: str) -> None:
    table = {"name": "x", "make": [{"families": ["sums"]}]}
    with pytest.raises(UserError, match=told):
        recipe_from(table | {"train": {"rethink": {"share": 0.5}} | train})


def test_first_replies_are_those_that_are_measured_without_tries() -> None:
    policy, rows = tiny(Sampling(max_tokens=48)), rows_of("sums", "maxima")
    once = measure(policy, rows, 4, judge_here)
    tried = conversations.measure_tries(policy, rows, 4, 3, Retry(), judge_here)
    assert {uid: each[0] for uid, each in tried.items()} == once
    assert all(each == sorted(each) and each[-1] <= 4 for each in tried.values())
    assert sum(once.values()) > 0


# Games.


def game_of(
    rewards: tuple[float, ...], seats: str, players: tuple[str, str] = ("me", "random")
) -> PlayedGame:
    """A game with these turns; the policy's own have a reply."""
    said = tuple(
        Ply(int(seat), "", (), Reply("", tokens=(1,)) if players[int(seat)] == "me" else None)
        for seat in seats
    )
    transcript = Transcript("nim", 1, 0.0, 0, players, said, rewards, "finished")
    return PlayedGame(Match("nim", 0.0, "random"), transcript, "me")


def test_baselines_and_advantages_by_hand_on_three_games() -> None:
    first = game_of((1.0, -1.0), "010")
    second = game_of((-1.0, 1.0), "0101", ("random", "me"))
    third = game_of((-1.0, 1.0), "01")
    known: dict[str, float] = {}
    found = []
    for each in (first, second, third):
        found.append([value for _, value in advantages(each, known, 0.5)])
        known = updated_baselines(known, [each], 0.75)
    # The last turn first. The third game's seat has .25 to live up to, the second seat 0.
    assert found == [[1.0, 0.5], [1.0, 0.5], [-1.25]]
    assert known == {"nim 0 random 0": 0.75 * 0.25 - 0.25, "nim 0 random 1": 0.25}
    assert updated_baselines({}, [first, second, third], 0.75) == known


def test_each_seat_has_its_own_reward_and_baseline() -> None:
    games = [game_of((1.0, -1.0), "0101", ("me", "me"))] * 60
    assert [value for _, value in advantages(games[0], {}, 1.0)] == [1.0, 1.0, -1.0, -1.0]
    known = updated_baselines({}, games, 0.9)
    assert known["nim 0 random 0"] == pytest.approx(1, abs=0.01)
    assert known["nim 0 random 1"] == pytest.approx(-1, abs=0.01)
    upset = game_of((-1.0, 1.0), "01", ("me", "me"))
    assert [round(value) for _, value in advantages(upset, known, 1.0)] == [-2, 2]


def test_a_game_that_ended_before_a_seat_s_first_turn_says_nothing_of_that_seat() -> None:
    early = game_of((-1.0, 1.0), "0", ("me", "me"))
    assert updated_baselines({}, [early], 0.5) == {"nim 0 random 0": -0.5}
    assert [value for _, value in advantages(early, {}, 1.0)] == [-1.0]


@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_whoever_always_loses_is_never_praised(discount: float) -> None:
    """However long they held out: a discounted loss is no gain."""
    known: dict[str, float] = {}
    values = []
    for number in range(200):
        each = game_of((-1.0, 1.0), "01" * (1 + number % 5))
        values += [value for _, value in advantages(each, known, discount)]
        known = updated_baselines(known, [each], 0.95)
    assert max(values) <= 0
    assert min(values[-20:]) > -0.01


def test_starts_are_shared_out_exactly_in_the_long_run() -> None:
    settings = Play(
        games=("nim", "quest"), levels=(0.0, 1.0), starts=7,
        opponents={"self": 0.5, "random": 0.25, "minimax-1": 0.25},
    )  # fmt: skip
    rounds = [starts_by_match(settings, step) for step in range(400)]
    assert all(sum(each.values()) == 7 for each in rounds)
    shares = {
        match: sum(each.get(match, 0) for each in rounds) / 2800
        for match in {match for each in rounds for match in each}
    }
    assert {match.rival for match in shares if match.game == "quest"} == {"alone"}
    for match, share in shares.items():
        wanted = {"alone": 0.25, "self": 0.125}.get(match.rival, 0.0625)
        assert share == pytest.approx(wanted, rel=0.02)


def test_a_policy_plays_from_every_seat_and_is_judged_by_its_own() -> None:
    policy = Scripted(lambda messages: "<answer>0</answer>")  # never legal
    games = play_match(policy, Match("tic_tac_toe", 0.0, "random"), 3, "here")
    assert [list(each.results) for each in games] == [[0], [1]] * 3
    assert all(each.results[seat] == -1 for each in games for seat in each.results)
    assert [each.illegal for each in games] == [0, 1] * 3
    both = play_match(policy, Match("tic_tac_toe", 0.0, "self"), 2, "here")
    assert all(each.results == {0: -1.0, 1: 1.0} and each.illegal == 0 for each in both)
    rows = measure_games(policy, Play(games=("kuhn_poker",)), 4, seed=1)
    assert [(row["against"], row["seat"], row["lost"], row["illegal"]) for row in rows] == [
        ("random", 0, 4, 4), ("random", 1, 4, 4),
    ]  # fmt: skip
    assert all(row["before"] == row["after"] for row in compare_seats(rows, rows))
    assert [row["seat"] for row in compare_seats(rows, rows[1:])] == [1]


def test_a_game_that_has_no_room_is_told() -> None:
    deaf = Scripted(lambda messages: "", room=0)
    with pytest.raises(UserError, match="no room"):
        play_step(deaf, Play(games=("nim",)), 0)


SETTINGS = TrainGames(steps=4, save_every=2, heldout=1, play=Play(games=("chomp",), starts=4))


def test_a_step_makes_praised_turns_likelier_and_blamed_ones_less_likely() -> None:
    policy = tiny(Sampling(max_tokens=12))
    games = play_step(policy, replace(SETTINGS.play, games=("chomp", "tic_tac_toe")), 0)
    texts = samples_of(policy, games, {"chomp 0 self 0": -2.0}, SETTINGS)
    # The first move of a model that knows no game is illegal: less than was expected in one of
    # them, and more in the other.
    assert {text.advantage for text in texts} == {-1.0, 1.0}
    assert sum(text.weight * len(text.reply) for text in texts) == pytest.approx(1)

    def likely() -> float:
        found = 0.0
        with torch.no_grad():
            for batch in micro_batches(texts, 4096, torch.device("cpu")):
                logp_N, _ = logps(policy.model, batch, 1.0, False)
                found += (batch.advantage_N * logp_N).sum().item()
        return found

    before = likely()
    optimizer = torch.optim.SGD(policy.model.parameters(), lr=0.1)
    optimizer_step(policy, optimizer, texts, Loss(), 1.0)
    assert likely() > before + 0.1


def test_what_is_cut_off_or_overlong_is_told_in_the_advantage() -> None:
    policy = tiny(Sampling(max_tokens=4))  # too short for any answer
    games = play_step(policy, SETTINGS.play, 0)
    long = replace(SETTINGS, reward=TextReward(overlong=2))
    plain, shaped = (samples_of(policy, games, {}, each) for each in (SETTINGS, long))
    assert [a.advantage - b.advantage for a, b in zip(plain, shaped, strict=True)] == [
        {4: 1.0, 3: 0.5}.get(len(text.reply), 0.0) for text in plain
    ]
    left = samples_of(policy, games, {}, replace(SETTINGS, reward=TextReward(cut_off="leave")))
    assert len(left) < len(plain)


class Killed(Exception):
    """Stands in for the process ending in the middle of a run."""


RECIPE = """name = "games"
[policy]
max_tokens = 10
[train]
steps = 5
save_every = 2
heldout = 2
[train.loss]
kl = 0.01
reference_every = 2
[train.play]
games = ["chomp", "kuhn_poker"]
starts = 3
anchor = 0.5
opponents = { self = 0.5, random = 0.5 }
"""


def test_a_run_of_games_that_is_killed_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    recipe = tmp_path / "games.toml"
    recipe.write_text(RECIPE)
    told = CliRunner().invoke(app, ["train", str(recipe), "--plain", "--builds", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert "kuhn_poker" in told.output
    straight, broken = tmp_path / "games", tmp_path / "broken"
    broken.mkdir()
    (broken / "recipe.json").write_bytes((straight / "recipe.json").read_bytes())

    def kill(step: object, steps: int) -> None:
        if getattr(step, "step", None) == 2:  # past the checkpoint of step 2, before that of 4
            raise Killed

    with pytest.raises(Killed):
        train(broken, kill)
    again, whole = train(broken), straight / "training" / "checkpoint-000005"
    for name in ("model.safetensors", "optimizer.safetensors"):
        assert (again / name).read_bytes() == (whole / name).read_bytes()
    averages = [json.loads((each / "run.json").read_text())["course"] for each in (again, whole)]
    assert averages[0] == averages[1] != {}
    record = json.loads((straight / "training.json").read_text())
    assert {(row["game"], row["against"], row["seat"]) for row in record["games"]} == {
        ("chomp", "random", 0), ("chomp", "random", 1), ("chomp", "minimax-2", 0),
        ("chomp", "minimax-2", 1), ("kuhn_poker", "random", 0), ("kuhn_poker", "random", 1),
    }  # fmt: skip
    assert all(row[when]["games"] == 2 for row in record["games"] for when in ("before", "after"))
    recipe.write_text(RECIPE.replace("max_tokens = 10", "max_tokens = 11"))
    with pytest.raises(UserError, match="another"):
        pipelines.ready_to_train(recipe, tmp_path)
    with pytest.raises(UserError, match="makes no items"):
        pipelines.build(recipe, tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("play", "more", "told"),
    [
        ({"games": ["nimm"]}, {}, "did you mean 'nim'"),
        ({"games": ["nim"], "levels": [2.0]}, {}, "0..1"),
        ({"games": ["nim"], "opponents": {"selff": 1.0}}, {}, "'selff'"),
        ({"games": ["nim"], "opponents": {"minimax-0": 1.0}}, {}, "minimax-0"),
        ({"games": ["nim"], "opponents": {"self": 0}}, {}, "not all 0"),
        ({"games": ["nim"], "opponents": {"self": "half"}}, {}, "not all 0"),
        ({"games": ["nim"], "against": ["self"]}, {}, "'self'"),
        ({"games": ["kuhn_poker"], "opponents": {"minimax-2": 1.0}}, {}, "hidden"),
        ({"games": ["nim"], "memory": 1.0}, {}, "memory"),
        ({"games": ["nim"], "starts": 0}, {}, "starts"),
        ({"starts": 4}, {}, "name the `games`"),
        ({"games": ["nim"]}, {"group": 4}, "group is for learning from items"),
        ({"games": ["nim"]}, {"loss": {"advantage": "grpo"}}, "advantage is for learning"),
        ({"games": ["nim"]}, {"max_staleness": 1}, "max_staleness is for learning"),
    ],
)
def test_what_is_wrong_with_a_recipe_of_games_is_told(
    play: dict[str, Any], more: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        recipe_from({"name": "games", "train": {"play": play, **more}})


def test_a_recipe_plays_games_or_makes_items() -> None:
    table = {"name": "both", "train": {"play": {"games": ["nim"]}}}
    assert recipe_from(table).train.play.games == ("nim",)
    with pytest.raises(UserError, match="of their own"):
        recipe_from(table | {"make": [{"families": ["sums"]}]})
    with pytest.raises(UserError, match="decay"):
        recipe_from({"name": "x", "parent": "y", "train": {"tries": 2, "retry": {"decay": 0.0}}})
