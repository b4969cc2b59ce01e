"""Teachers, their feedback, imitation beside RL and NFT: by hand, and on the bundled policy."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tiny_models
import torch

from puzzlemill import pipelines
from puzzlemill.core.errors import UserError
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.hints import solved
from puzzlemill.difficulty.policies import tiny_policy
from puzzlemill.difficulty.policies.hugging_face import HuggingFacePolicy
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.tokens import Tokens as Tokenizer
from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.advantages import advantages
from puzzlemill.trainer.build_items import BuildItems
from puzzlemill.trainer.collector import Collector
from puzzlemill.trainer.conversations import Attempt, Conversation
from puzzlemill.trainer.feedback import feedback_sample, share_at, share_with_feedback
from puzzlemill.trainer.feedback_loss import feedback_loss
from puzzlemill.trainer.imitation_weight import (
    averaged,
    balanced,
    gradient_of,
    meta_gradient,
    next_weight,
    product,
    solutions_of,
    weight_at,
)
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.micro_batch import Lesson, Sample
from puzzlemill.trainer.optimizer_step import add_gradients, minibatch_of
from puzzlemill.trainer.ratios import Tokens, policy_loss
from puzzlemill.trainer.rollout_json import buffers_from_json, buffers_to_json
from puzzlemill.trainer.rollouts import Buffers, Prompt, Rollouts, groups_of
from puzzlemill.trainer.run import train
from puzzlemill.trainer.schedule import Schedule, Ticket
from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.settings.losses import Loss
from puzzlemill.trainer.settings.rewards import Shaping
from puzzlemill.trainer.settings.teaching import Imitate, Teacher, Warm
from puzzlemill.trainer.settings.turns import Feedback
from puzzlemill.trainer.shapings import Groups, rewards
from puzzlemill.trainer.teacher import (
    divergence_from_teacher,
    lessons_for,
    load_teacher,
)
from puzzlemill.trainer.teacher import (
    weight_at as teacher_weight_at,
)
from puzzlemill.trainer.train_samples import samples_of
from puzzlemill.trainer.warm_start import warm_up
from puzzlemill.trainer.weights import full_state_dict

BUNDLED = Path(tiny_policy.__file__).parent / "tiny"
ROWS = [row_of(item) | {"mean": 0.5} for item in generate("sums", level=0.5, seed=1, n=6)]


def policy() -> Any:
    found: Any = tiny(Sampling(max_tokens=48))
    found.model.float().requires_grad_(True)
    return found


# NFT.


def test_nft_by_hand() -> None:
    """A right token of ratio 2; wrong ones of ratio 0.5 and 1.5, at a pass rate of one half."""
    logp_N = torch.log(torch.tensor([0.5, 0.1, 0.3])).requires_grad_()
    old_N = torch.log(torch.tensor([0.25, 0.2, 0.2]))
    advantage_N, rate_N = torch.tensor([1.0, -1.0, -1.0]), torch.full((3,), 0.5)
    tokens = Tokens(logp_N, old_N, advantage_N, torch.arange(3), rate_N)
    found = policy_loss(tokens, Loss(ratio="nft"))
    # (1 - 0.5 * 0.5) / 0.5 = 1.5, and (1 - 0.5 * 1.5) / 0.5 = 0.5, which counts as 1.
    assert found.tolist() == pytest.approx([-log(2), -log(1.5), 0.0])
    found.sum().backward()
    assert logp_N.grad is not None
    assert logp_N.grad.tolist() == pytest.approx([-1.0, 0.5 / 1.5, 1.5])


@pytest.mark.parametrize(
    ("advantage", "weight"),
    [("dr_grpo", lambda r: 1 - r), ("grpo", lambda r: ((1 - r) / r) ** 0.5)],
)
def test_nft_equals_grpo_on_policy(advantage: str, weight: Any) -> None:
    """The paper's loss, with its own weights, has the gradient of GRPO with that advantage: of
    `grpo` but for a factor, since the paper's standard deviation is that of a population."""
    scores, r = [1.0, 0.0, 0.0, 0.0], 0.25
    logp_N = torch.log(torch.tensor([0.3, 0.6, 0.2, 0.7])).requires_grad_()
    ratio_N = torch.exp(logp_N - logp_N.detach())
    likelihood_N = -torch.log((1 - r * ratio_N) / (1 - r))
    right_N = torch.tensor(scores) == 1
    (weight(r) * torch.where(right_N, -torch.log(ratio_N), likelihood_N)).sum().backward()
    assert logp_N.grad is not None
    wanted = logp_N.grad.clone()
    advantage_N = advantages(torch.tensor([scores]), Loss(advantage=advantage))[0]
    for ratio in ("nft", "clip"):
        logp_N.grad = None
        known = Tokens(logp_N, logp_N.detach(), advantage_N, torch.arange(4), torch.full((4,), r))
        policy_loss(known, Loss(ratio=ratio)).sum().backward()
        assert logp_N.grad is not None
        factor = (4 / 3) ** 0.5 if advantage == "grpo" else 1.0
        assert (logp_N.grad * factor).tolist() == pytest.approx(wanted.tolist(), abs=1e-3)


def test_a_sample_knows_the_pass_rate_of_its_group_and_games_have_none() -> None:
    some = policy()
    group = [said("a", right=True), said("b"), said("c"), said("d")]
    for each in built(some, [group], [[1.0, 0.0, 0.0, 0.0]], Train()):
        assert each.rate == 0.25
    with pytest.raises(UserError, match="games have none"):
        recipe_from(
            {"name": "x", "train": {"play": {"games": ["chomp"]}, "loss": {"ratio": "nft"}}}
        )


# Teachers.


def said(text: str, right: bool = False) -> Conversation:
    tokens = (5, 6, 7)
    reply = Reply(text, tokens=tokens, logps=(-0.5,) * 3)
    attempt = Attempt(tuple(ROWS[0]["prompt"]), reply)
    return Conversation((attempt,), Verdict(float(right), right, "correct" if right else "wrong"))


def rollouts_of(
    groups: Sequence[Sequence[Conversation]], scores: Sequence[Sequence[float]]
) -> Rollouts:
    prompts = [Prompt(Ticket(0), ROWS[0]) for _ in groups]
    return Rollouts(prompts, [[*group] for group in groups], torch.tensor(scores))


def built(some: Any, groups: Any, scores: Any, settings: Train, **more: Any) -> list[Sample]:
    kept = rollouts_of(groups, scores)
    of_shaping = groups_of(kept, settings, 48, 0)
    return samples_of(some, kept, of_shaping, rewards(of_shaping), **more)


def collector(right: Sequence[bool], **settings: Any) -> Collector:
    """Of a policy whose replies to each prompt are right as listed, over and over."""

    def sample(questions: Sequence[Question], n: int) -> list[list[Reply]]:
        texts = ["right" if each else "wrong" for each in right] * n
        return [[Reply(text, tokens=(5,), logps=(-0.5,)) for text in texts[:n]] for _ in questions]

    def judge(rows: Any, replies: Sequence[str]) -> list[Verdict]:
        return [Verdict(float(text == "right"), text == "right", "wrong") for text in replies]

    some: Any = SimpleNamespace(sample=sample)
    train_settings = Train(**{"prompts": 2, "group": 2} | settings)
    schedule = Schedule(BuildItems(ROWS), "ranked")
    return Collector(some, schedule, train_settings, judge, Buffers(), 48)


@pytest.mark.parametrize(
    ("right", "where", "groups"),
    [
        ([False], "all", 2),
        ([False], "failed", 2),
        ([False], "failed_groups", 2),
        ([True], "all", 2),
        ([True], "failed", 0),
        ([True, False], "failed_groups", 2),  # useful to the advantage, and not taught
    ],
)
def test_groups_of_which_a_teacher_has_something_to_say_reach_the_loss(
    right: list[bool], where: Any, groups: int
) -> None:
    teacher = Teacher(model="hinted", where=where)
    kept = collector(right, teacher=teacher).collect(0).kept
    assert len(kept) == groups
    lessons = lessons_for(policy(), None, kept, teacher, 0)
    taught = {"all": 4, "failed": 2 if True in right else 4, "failed_groups": 4}[where]
    assert len(lessons) == (0 if True in right and where != "all" else taught)


def test_only_replies_that_fail_are_taught_and_the_weight_falls() -> None:
    some, groups = policy(), [[said("a", right=True), said("b")]]
    teacher = Teacher("hinted", weight=0.005, fall=0.002, least=0.002, where="failed")
    kept = rollouts_of(groups, [[1.0, 0.0]])
    for step, weight in ((0, 0.005), (1, 0.003), (2, 0.002), (9, 0.002)):
        assert teacher_weight_at(teacher, step) == pytest.approx(weight)
    lessons = lessons_for(some, None, kept, teacher, 1)
    assert [*lessons] == [(0, 1, 0)]
    right, wrong = built(some, groups, [[1.0, 0.0]], Train(), lessons=lessons)
    assert right.lesson is None
    assert wrong.lesson is not None
    assert wrong.lesson.weight == pytest.approx(0.003)


def test_a_teacher_that_is_the_policy_reads_the_reply_behind_a_solution() -> None:
    some, kept = policy(), rollouts_of([[said("b")]], [[0.0]])
    lessons = lessons_for(some, None, kept, Teacher("hinted"), 0)
    plain = lessons_for(some, some.model, kept, Teacher(str(BUNDLED)), 0)
    assert ROWS[0]["answer"] in solved(ROWS[0])["prompt"][-1]["content"]
    assert lessons[0, 0, 0].logps != plain[0, 0, 0].logps
    own = plain[0, 0, 0].logps
    told = divergence_from_teacher(kept, plain)["from teacher"]
    assert told == pytest.approx(sum(exp(x + 0.5) - 1 - 0.5 - x for x in own) / 3, rel=1e-5)
    pictured = replace(kept.prompts[0], row={**ROWS[0], "images": [{"bytes": b""}]})
    with pytest.raises(UserError, match="not for items with pictures"):
        lessons_for(some, None, replace(kept, prompts=[pictured]), Teacher("hinted"), 0)


def test_a_lesson_has_the_gradient_of_the_divergence_from_a_reference() -> None:
    """With the teacher for a reference, and an advantage of 0."""
    gradients = []
    for kl in (0.0, 0.25):
        some, other = policy(), policy()
        with torch.no_grad():
            for weight in other.model.parameters():
                weight.mul_(0.9)
        kept = rollouts_of([[said("a"), said("b")]], [[0.0, 0.0]])
        lessons = {}
        if not kl:
            teacher = Teacher(str(BUNDLED), weight=0.25)
            lessons = lessons_for(some, other.model, kept, teacher, 0)
        samples = built(some, kept.conversations, [[0.0, 0.0]], Train(), lessons=lessons)
        reference = other.model if kl else None
        add_gradients(some, minibatch_of(some.model, samples), Loss(kl=kl), reference)
        gradients.append(torch.cat([each.grad.flatten() for each in some.model.parameters()]))
    assert gradients[0].norm() > 1e-3
    # As a whole: where its terms cancel, a single value is off by the rounding of large ones.
    assert (gradients[0] - gradients[1]).norm() < 2e-6 * gradients[1].norm()


def test_a_teacher_has_the_policys_tokenizer(tmp_path: Path) -> None:
    some = policy()
    loaded = load_teacher(some, Teacher(str(BUNDLED)))
    assert loaded is not None
    for name, weight in loaded.state_dict().items():
        assert torch.equal(weight, some.model.state_dict()[name])
    shutil.copytree(BUNDLED, tmp_path / "other", ignore=shutil.ignore_patterns("__*"))
    Tokenizer(tiny_models.bytewise(), frozenset([1])).save(tmp_path / "other")
    with pytest.raises(UserError, match="another tokenizer than the policy"):
        load_teacher(some, Teacher(str(tmp_path / "other")))
    with pytest.raises(UserError, match="nowhere"):
        load_teacher(some, Teacher(str(tmp_path / "nowhere")))
    assert load_teacher(some, Teacher("hinted")) is None


# Feedback.


class Student:
    """It is wrong at first, and right behind feedback."""

    id = "student"

    def __init__(self) -> None:
        self.asked = list[Question]()

    def takes(self, question: Question) -> bool:
        return True

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        self.asked += questions
        return [[self.reply(each.messages)] * n for each in questions]

    def reply(self, messages: Any) -> Reply:
        text = "wrong"
        if messages[-1]["role"] == "assistant":
            text = "right"
        elif "A student was given" in messages[-1]["content"]:
            text = "Look again."
        return Reply(text, tokens=(5,), logps=(-0.5,))


@pytest.mark.parametrize("teacher", ["solution", "policy"])
def test_a_share_of_replies_goes_on_behind_feedback_which_is_learned_too(teacher: Any) -> None:
    it = collector([False], group=4, feedback=Feedback(0.5, teacher), prompts=1)
    student: Any = Student()
    judged: Any = lambda rows, texts: [  # noqa: E731
        Verdict(float(text.endswith("right")), text.endswith("right"), "wrong") for text in texts
    ]
    it = replace(it, policy=student, judge=judged)
    sampled = it.collect(0).sampled
    (group,) = sampled.conversations
    assert share_with_feedback([group]) == {"with feedback": 0.5}
    assert [len(each.attempts) for each in group] == [3, 3, 1, 1]
    assert sampled.scores() == [[1.0, 1.0, 0.0, 0.0]], "one try, not discounted"
    first, feedback, again = group[0].attempts
    said_before = feedback.messages[-1]["content"]
    assert said_before == first.reply.text == "wrong"
    assert again.messages[-1]["content"] == "wrong" + feedback.reply.text
    assert ("Look again." in feedback.reply.text) == (teacher == "policy")
    assert group[0].text == f"wrong{feedback.reply.text}right"
    assert len(sampled.replies) == 6, "the teacher's are not the policy's own"
    assert len({each.seed for each in student.asked}) == len(student.asked)
    data = json.loads(json.dumps(buffers_to_json(Buffers(overflow=sampled))))
    assert buffers_from_json(data, it.schedule).overflow.conversations == sampled.conversations

    some, scored = policy(), groups_of(sampled, it.settings, 48, 0)
    samples = samples_of(some, sampled, scored, rewards(scored))
    by_teacher = [each for each in samples if each.loss == "feedback"]
    assert len(samples) == 8
    assert len(by_teacher) == 2
    for each in by_teacher:
        assert each.source == "teacher"
        assert each.advantage == samples[0].advantage
        assert (
            some.tokens.text(each.reply).split()
            == some.tokens.text(some.tokens.continuation(feedback.reply.text)).split()
        )
    assert feedback_sample(some, (3,), "1 + 1", (0.0, 1.0)).advantage == 0.5
    of_feedback, whole = (
        gradient_of(some, each, it.settings.loss) for each in (by_teacher, samples)
    )
    assert product(of_feedback, of_feedback) > 0
    assert product(of_feedback, whole) > 0


def test_feedback_falls_in_a_line() -> None:
    settings = Feedback(0.5, fall=4, least=0.1)
    assert [share_at(settings, step) for step in (0, 2, 4, 9)] == pytest.approx(
        [0.5, 0.3, 0.1, 0.1]
    )
    assert share_at(Feedback(0.5), 9) == 0.5


def test_the_advantage_shapes_the_loss_of_feedback() -> None:
    """-A p / (stop-gradient of p + gamma), gamma = 0.001 A / 4; by its gradient -A p / (p + gamma)
    for each unit of log p. An unlikely token of what is worse keeps the policy's loss."""
    p = [0.5, 0.5, 0.002, 0.002, 0.5]
    logp_N = torch.log(torch.tensor(p)).requires_grad_()
    advantage_N = torch.tensor([4.0, -2.0, 2.0, -2.0, 1.0])
    tokens = Tokens(logp_N, logp_N.detach(), advantage_N, torch.arange(5))
    feedback_N = torch.tensor([True, True, True, True, False])
    own_N = policy_loss(tokens, Loss(ratio="none"))
    feedback_loss(tokens, own_N, feedback_N).sum().backward()
    assert logp_N.grad is not None
    wanted = [-4 * 0.5 / 0.501, 2 * 0.5 / 0.4995, -2 * 0.002 / 0.0025, 2.0, -1.0]
    assert logp_N.grad.tolist() == pytest.approx(wanted, rel=1e-5)
    sure_N = torch.zeros(2, requires_grad=True)  # a sum above 1 or below 0 is no probability
    tokens = Tokens(sure_N, sure_N.detach(), torch.tensor([4.0, -4.0]), torch.arange(2))
    found = feedback_loss(tokens, sure_N, torch.tensor([True, True]))
    assert found.tolist() == pytest.approx([-4 * 0.9999, 4 / 0.999])


# Imitation.


def test_the_weight_of_imitation_falls_or_follows_what_helps() -> None:
    cosine = Imitate(0.8, "cosine", least=0.2)
    assert [weight_at(cosine, step, 4, None) for step in (0, 2, 4)] == pytest.approx(
        [0.8, 0.5, 0.2]
    )
    assert weight_at(Imitate(0.3), 3, 4, 0.9) == 0.3
    meta = Imitate(0.5, "meta", least=0.1, most=0.9, rate=0.2, entropy_rate=0.5, entropy_aim=0.4)
    assert weight_at(meta, 0, 4, None) == 0.5
    assert weight_at(meta, 1, 4, 0.7) == 0.7
    assert next_weight(0.5, 0.5, 0.4, meta) == pytest.approx(0.6)
    assert next_weight(0.5, 0.0, 0.6, meta) == pytest.approx(0.4), "the entropy is high"
    assert next_weight(0.5, -1.0, 0.2, meta) == pytest.approx(0.4)
    assert next_weight(0.5, 9.0, 0.0, meta) == 0.9
    assert next_weight(0.5, -1.0, 9.0, meta) == 0.1


def test_solutions_stand_beside_the_replies_with_their_share_of_the_loss() -> None:
    some, hinted = policy(), Prompt(Ticket(2), ROWS[2], hint_share=0.5)
    prompts = [Prompt(Ticket(each), ROWS[each]) for each in (0, 1, 0)] + [hinted]
    found = averaged(solutions_of(some, prompts), Loss(), 48)
    assert len(found) == 2, "each item once, without a hint"
    for each, row in zip(found, ROWS, strict=False):
        assert f"<answer>{row['answer']}</answer>" in some.tokens.text(each.reply)
        assert each.loss == "imitation"
    rl = built(some, [[said("a", right=True), said("b")]], [[1.0, 0.0]], Train())
    mixed = balanced(rl, found, 0.25)
    share = dict.fromkeys(("policy", "imitation"), 0.0)
    for each in mixed:
        share[each.loss] += each.weight * len(each.reply)
    assert share == pytest.approx({"policy": 0.75, "imitation": 0.25})


def test_a_step_has_the_same_weight_however_few_of_its_groups_carry_signal() -> None:
    """RAPO scales advantages up for that; here the loss is a mean over those groups alone."""
    some, group = policy(), [said("a", right=True), said("b")]
    one = built(some, [group], [[1.0, 0.0]], Train())
    three = built(some, [group] * 3, [[1.0, 0.0]] * 3, Train())
    for samples in (one, three):
        pushed = sum(each.weight * sum(map(abs, each.advantages)) for each in samples)
        assert pushed == pytest.approx(1.0, rel=1e-5), "but for what keeps 0 from dividing"


def test_the_meta_gradient_is_what_a_step_of_imitation_gains_above_one_of_rl() -> None:
    """As one finite difference has it: the loss on another item after a step of either. RL here
    unlearns the solution of a third one."""
    some = policy()
    solutions, others, third = (
        averaged(solutions_of(some, [Prompt(Ticket(at), ROWS[at])]), Loss(), 48) for at in range(3)
    )
    rl = [replace(each, advantage=-1.0) for each in third]
    moves = [gradient_of(some, each, Loss()) for each in (solutions, rl)]
    slope = gradient_of(some, others, Loss())
    step, losses = 1e-3, []
    for gradients in moves:
        changed = policy()
        with torch.no_grad():
            for weight, move in zip(changed.model.parameters(), gradients, strict=True):
                weight -= step * move
        sums, _ = add_gradients(changed, minibatch_of(changed.model, others), Loss(), None)
        losses.append(sums["loss"])
    gained = (losses[1] - losses[0]) / step
    apart = [one - other for one, other in zip(*moves, strict=True)]
    scale = (product(apart, apart) * product(slope, slope)) ** 0.5
    found = meta_gradient(some, rl, solutions, others, Loss())
    assert gained > 0
    assert found == pytest.approx(gained / scale, rel=0.02)
    assert meta_gradient(some, solutions, rl, others, Loss()) == pytest.approx(-found)
    assert meta_gradient(some, rl, solutions, [], Loss()) == 0.0
    assert all(weight.grad is None for weight in some.model.parameters())


def test_a_run_with_a_meta_gradient_and_a_teacher_goes_on_as_if_it_had_not_been_stopped(
    tmp_path: Path,
) -> None:
    changes = {
        "imitate": {"weight": 0.5, "schedule": "meta", "items": 2, "entropy_rate": 0.1},
        "teacher": {"model": "hinted", "where": "failed"},
        "feedback": {"share": 0.5},
    }
    (tmp_path / "recipe.toml").write_text(RECIPE)
    folder = pipelines.build(tmp_path / "recipe.toml", tmp_path / "builds")
    recipe = json.loads((folder / "recipe.json").read_text())
    recipe["policy"] |= {"kind": "tiny"}
    recipe["train"] |= changes
    (folder / "recipe.json").write_text(json.dumps(recipe))
    shutil.copytree(folder, tmp_path / "broken")

    def stop(step: Any, steps: int) -> None:
        raise InterruptedError

    straight = train(folder)
    with pytest.raises(InterruptedError):
        train(tmp_path / "broken", stop)
    last = train(tmp_path / "broken")
    for name in ("model.safetensors", "optimizer.safetensors", "memory.safetensors"):
        assert (straight / name).read_bytes() == (last / name).read_bytes()
    log = (folder / "training" / "metrics.jsonl").read_text().splitlines()
    first, second = (json.loads(line)["also"] for line in log)
    assert first["weight of imitation"] == 0.5
    assert second["weight of imitation"] != 0.5
    assert {"with feedback", "from teacher"} <= first.keys() | second.keys()


RECIPE = """name = "taught"
seed = 5
[[make]]
families = ["sums"]
count = 6
levels = [0.5]
[policy]
kind = "none"
max_tokens = 64
[train]
steps = 2
prompts = 2
group = 4
save_every = 1
heldout = 1
"""


def test_items_with_pictures_are_imitated_before_rl(tmp_path: Path) -> None:
    model = tiny_models.seeing_model(tmp_path / "model")
    seeing: Any = HuggingFacePolicy.load(model, Sampling(max_tokens=8), device="cpu")
    seeing.model.requires_grad_(True)
    rows = [
        row_of(item) for name in ("jigsaw_pair", "sums") for item in generate(name, level=0.0, n=2)
    ]
    before = {name: each.clone() for name, each in full_state_dict(seeing.model).items()}
    losses = [*warm_up(seeing, rows, Warm(steps=6, tokens=1000, learning_rate=3e-3))]
    after = full_state_dict(seeing.model)
    assert sum(losses[-2:]) < sum(losses[:2])
    assert any("vision" in name and (after[name] != before[name]).any() for name in after)


# Exploration.


def test_exploring_is_paid_apart_from_the_answer() -> None:
    texts = ["a\nb\n a \n<answer>1</answer>", "a\n<answer>2</answer>", "", "a\nb\nc\nd\ne"]
    group = [said(text, right=at == 0) for at, text in enumerate(texts)]
    settings = Train(reward=Shaping(exploration=0.2, exploration_steps=4))
    scores_PG = torch.tensor([[1.0, 0.0, 0.0, 0.0]])
    found = rewards(Groups([{}], [group], scores_PG, settings, 9, 0)).replies_PG
    assert found.tolist() == [pytest.approx([0.8 + 0.1, 0.05, 0.0, 0.2])]


@pytest.mark.parametrize(
    ("train_table", "told"),
    [
        ({"feedback": {"share": 0.5}, "tries": 2}, "one try, and goes on once"),
        ({"feedback": {"share": 0.5}, "rethink": {"share": 0.5}}, "goes on once"),
        ({"feedback": {"share": 0.5}, "sampler": "vllm"}, "cannot go on with a reply"),
        ({"feedback": {"share": 0.1, "fall": 2, "least": 0.5}}, "above share"),
        ({"feedback": {"fall": 2}}, "fall has an effect only where share"),
        ({"teacher": {"where": "failed"}}, "where has an effect only where model"),
        ({"teacher": {"model": "hinted", "fall": 0.1, "least": 0.5}}, "above weight"),
        ({"imitate": {"weight": 0.1, "schedule": "meta", "least": 0.2}}, "not between least"),
        ({"imitate": {"weight": 0.1, "rate": 0.2}}, "rate has an effect only where schedule"),
        ({"imitate": {"weight": 0.1}, "style": "answer-only"}, "imitates solutions that reason"),
    ],
)
def test_teaching_that_cannot_be_is_told(train_table: dict[str, Any], told: str) -> None:
    table: dict[str, Any] = {"name": "x", "make": [{"families": ["sums"]}]}
    style = {key: train_table[key] for key in ("style",) if key in train_table}
    kept = {key: value for key, value in train_table.items() if key not in style}
    with pytest.raises(UserError, match=told):
        recipe_from(table | {"policy": {"kind": "tiny"} | style, "train": kept})


def test_a_step_of_items_tells_what_its_teachers_did() -> None:
    settings = Train(prompts=1, group=2, steps=2, imitate=Imitate(0.5), teacher=Teacher("hinted"))
    task = ItemTask(settings, Schedule(BuildItems(ROWS), "ranked"))
    some, it = policy(), collector([False], teacher=settings.teacher, prompts=1)
    batch = task.batch(it.collect(0), some, None, 0)
    assert batch.also["weight of imitation"] == 0.5
    assert batch.also["from teacher"] > 0
    assert batch.also["of demonstration"] == pytest.approx(1 / 3)
    assert all(isinstance(each.lesson, Lesson) for each in batch.samples[:2])
