"""Games that are played: every one keeps the protocol, and matches go by the rules."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from puzzlemill.core import registry
from puzzlemill.core.errors import UserError
from puzzlemill.core.family import Prompt
from puzzlemill.core.game import AnyGame, begin, over, read
from puzzlemill.core.plain_data import freeze, thaw
from puzzlemill.difficulty.matches import AtRandom, Minimax, Player, Transcript, play, wins
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.generators.games import quest
from puzzlemill.generators.games.environments import draughts as draughts_played
from puzzlemill.generators.games.environments import kuhn_poker, negotiation
from puzzlemill.generators.games.environments import quest as adventure

GAMES = registry.games()


class Scripted:
    """A policy that says what a function makes of the prompt; it counts how often it is asked."""

    def __init__(self, say: Callable[[str], str], name: str = "scripted") -> None:
        self.id, self.say, self.batches = name, say, list[int]()

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        self.batches.append(len(questions))
        return [[Reply(self.say(it.messages[0]["content"])) for _ in range(n)] for it in questions]


def walked(game: AnyGame, seed: int, level: float) -> list[object]:
    """The states of a game played at random."""
    source, states = Random(seed), [begin(game, seed, level)]
    while moves := game.legal(states[-1]):
        states.append(game.step(states[-1], source.choice(moves)))
        assert len(states) < 500, "a game must come to an end"
    return states


@pytest.mark.parametrize("name", GAMES)
def test_a_game_keeps_the_protocol(name: str) -> None:
    game = registry.game(name)
    for seed, level in enumerate((0.0, 0.3, 0.5, 1.0)):
        assert begin(game, seed, level) == begin(game, seed, level)
        for state in walked(game, seed, level):
            assert thaw(game.state, freeze(state)) == state
            scores = game.score(state)
            assert len(scores) == game.players
            assert all(-1 <= it <= 1 for it in scores)
            assert not game.rivals or sum(scores) == 0
            if over(game, state):
                continue
            mover, moves = game.to_move(state), game.legal(state)
            assert len(set(moves)) == len(moves)
            text = game.shown(state, mover).text
            assert "  " not in text
            assert read(game, state, f"Hm. <answer>{game.write(moves[-1])}</answer>") == moves[-1]
            for move in moves[:40]:
                assert game.move(game.write(move)) == move
            for nothing in ("", "<answer></answer>", "<answer>9999</answer>", text):
                assert read(game, state, nothing) is None


@pytest.mark.parametrize("name", GAMES)
def test_a_level_or_a_seed_makes_another_game(name: str) -> None:
    game = registry.game(name)
    assert len({begin(game, seed, 1.0) for seed in range(30)}) > 15
    assert begin(game, 1, 0.0) != begin(game, 1, 1.0)
    with pytest.raises(UserError, match="level"):
        begin(game, 0, 1.5)


def test_what_is_hidden_is_not_shown() -> None:
    one, two = kuhn_poker.Hand((2, 1), 3, ()), kuhn_poker.Hand((2, 3), 3, ())
    assert kuhn_poker.shown(one, 0) == kuhn_poker.shown(two, 0)
    talk = begin(registry.game("negotiation"), 3, 0.5)
    other = negotiation.Talk(talk.things, talk.counts, (talk.worths[0], talk.worths[0]),
                             talk.rounds, (), False)  # fmt: skip
    assert negotiation.shown(talk, 0) == negotiation.shown(other, 0)


def test_the_planners_walkthrough_wins_the_adventure() -> None:
    game = registry.game("quest")
    for seed in range(5):
        place = begin(game, seed, 0.5)
        for command in quest.solve(adventure.world_of(place)) or ():
            assert read(game, place, f"<answer>{command}</answer>") == command
            place = game.step(place, command)
        assert over(game, place)
        assert game.score(place) == (1.0,)


def test_whoever_looks_to_the_end_does_not_lose() -> None:
    for name, level, depth in (("tic_tac_toe", 0.0, 9), ("nim", 0.0, 12), ("chomp", 0.0, 12)):
        games = play(registry.game(name), (Minimax(depth), AtRandom()), 8, level=level)
        lost = [it for it in games if it.rewards[it.players.index(f"minimax-{depth}")] < 0]
        # In tic-tac-toe nobody can be forced; in nim and chomp who begins may have lost already.
        assert len(lost) <= (0 if name == "tic_tac_toe" else 2)


def test_a_jump_over_two_is_one_move_and_kings_that_wander_draw() -> None:
    rows = ("......", ".b.b..", "......", ".b....", "w.....", "......")
    board = draughts_played.Board(rows, 0, 7, 6)
    game = registry.game("draughts")
    assert set(game.legal(board)) == {"a2-c4-a6", "a2-c4-e6"}
    after = game.step(board, "a2-c4-e6")
    assert after.rows == ("....W.", ".b....", "......", "......", "......", "......")
    assert (after.mover, after.quiet) == (1, 0)
    assert read(game, board, "<answer>a2xc4xe6</answer>") == "a2-c4-e6"
    assert read(game, board, "<answer>a2-e6</answer>") is None
    kings = draughts_played.Board(("...W..", *("......",) * 4, "..B..."), 0, 0, 6)
    for move in ("d6-e5", "c1-b2", "e5-d6", "b2-c1") * (draughts_played.QUIET // 4):
        assert not over(game, kings)
        kings = game.step(kings, move)
    assert over(game, kings)
    assert game.score(kings) == (0, 0)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_played_with_a_policy_a_fixed_opponent_and_itself(name: str) -> None:
    game = registry.game(name)

    def told(state: object, player: int) -> Prompt:
        """The prompt, and a move at its end for the policy to make."""
        prompt = game.shown(state, player)
        return replace(prompt, question=f"{prompt.text}\n{game.write(game.legal(state)[-1])}")

    game_told = replace(game, shown=told)
    legal = Scripted(lambda prompt: f"<answer>{prompt.splitlines()[-3]}</answer>", "the last")
    rivals: list[Player] = [AtRandom(), legal]
    if game.open:
        rivals += [Minimax(1), Minimax(2)]
    for rival in rivals:
        players = (legal, *(rival,) * (game.players - 1))[: game.players]
        games = play(game_told, players, 2, seed=3, level=0.0)
        assert [it.end for it in games] == ["finished", "finished"]
        for each in games:
            assert set(each.players) == {it.id for it in players}
            asked = [turn for turn in each.turns if turn.messages]
            assert asked
            assert all(turn.reply and turn.move in turn.reply.text for turn in asked)
            own = [turn for turn in each.turns if each.players[turn.seat] == legal.id]
            assert own == asked
    if game.players == 2 and game.open:
        better = play(game, (Minimax(3), AtRandom()), 10, seed=1, level=0.0)
        assert wins(better, "minimax-3")["won"] > wins(better, "random")["won"], name


def test_policies_are_asked_once_a_round_for_all_games() -> None:
    policy = Scripted(_first_free)
    games = play(registry.game("tic_tac_toe"), (policy, policy), 6, level=0.0)
    assert policy.batches[0] == 6
    assert len(policy.batches) == max(len(it.turns) for it in games)
    for each in games:
        assert each.end == "finished"
        assert [turn.seat for turn in each.turns[:4]] == [0, 1, 0, 1]
        assert all(turn.messages and turn.reply for turn in each.turns)


def test_an_illegal_move_loses_and_says_so() -> None:
    policy = Scripted(lambda prompt: "I take <answer>77</answer>")
    games = play(registry.game("connect_four"), (policy, AtRandom()), 4)
    for place, each in enumerate(games):
        seat = each.players.index("scripted")
        assert seat == place % 2
        assert each.end == "illegal move"
        assert each.rewards[seat] == -1
        assert each.rewards[1 - seat] == 1
        assert "no legal move" in each.fault
    assert wins(games, "scripted") == {"won": 0, "drawn": 0, "lost": 1, "illegal": 1}


def test_a_reply_that_could_not_be_had_loses_no_game() -> None:
    class Silent(Scripted):
        def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
            return [[Reply("", False, error="status 500")] * n for _ in questions]

    games = play(registry.game("connect_four"), (Silent(str), AtRandom()), 4)
    assert {each.end for each in games} == {"no reply"}
    assert {each.rewards for each in games} == {(0.0, 0.0)}
    assert set(wins(games, "scripted").values()) == {0}


def test_games_begin_alike_in_pairs_and_are_the_same_again() -> None:
    def some(players: tuple[AtRandom, ...]) -> list[Transcript]:
        return play(registry.game("negotiation"), players, 6, seed=5)

    games = some((AtRandom(), AtRandom()))
    assert games == some((AtRandom(), AtRandom()))
    assert [it.seed for it in games[::2]] == [it.seed for it in games[1::2]]
    assert len({it.seed for it in games}) == 3
    assert games[0].turns != games[1].turns


def test_what_cannot_be_played_is_told() -> None:
    with pytest.raises(UserError, match="hidden"):
        play(registry.game("kuhn_poker"), (Minimax(), AtRandom()), 1)
    with pytest.raises(UserError, match="for 1"):
        play(registry.game("quest"), (AtRandom(), AtRandom()), 1)
    with pytest.raises(UserError, match="did you mean 'nim'"):
        registry.game("nimm")


def test_the_tiny_policy_plays() -> None:
    pytest.importorskip("torch")
    from puzzlemill.difficulty.policies.tiny_policy import tiny

    policy = tiny(Sampling(max_tokens=12))
    games = play(registry.game("nim"), (policy, AtRandom()), 4, level=0.0)
    assert all(it.turns and policy.id in it.players for it in games)
    said = [turn for it in games for turn in it.turns if turn.reply]
    assert said
    assert all(len(turn.reply.tokens) == len(turn.reply.logps) for turn in said if turn.reply)


def _first_free(prompt: str) -> str:
    board = prompt.partition(":\n\n")[2].partition("\n\n")[0]
    signs = board.replace("\n", "").replace(" ", "")
    return f"<answer>{signs.index('.') + 1}</answer>"
