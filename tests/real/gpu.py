"""The engine and the trainer on a real GPU: what they do there, held against what a CPU does.

    make gpu PYTHON=python3

It needs torch, transformers, numpy and pyarrow, and no environment of its own.
"""

from dataclasses import replace
from threading import Thread
from typing import Any

import pytest
import torch
from torch import Tensor

from puzzlemill.difficulty.policies import cuda_graphs, packed_attention
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.padding import packed
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling
from puzzlemill.difficulty.policies.tiny_policy import tiny
from puzzlemill.difficulty.policies.transformer import Shape, Transformer, fresh
from puzzlemill.trainer.rollout_queue import begun, own_stream

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
SAMPLING = Sampling(max_tokens=100)
WIDE = Shape(256, 4, 8, 2, 32, 512, 3000, positions=2048)


@pytest.fixture(scope="module")
def cpu() -> NativePolicy:
    return tiny(SAMPLING)


@pytest.fixture(scope="module")
def cuda(cpu: NativePolicy) -> NativePolicy:
    return replace(cpu, model=tiny(SAMPLING).model.to("cuda"))


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The graphs that are recorded."""
    graphs: list[Any] = []
    record = cuda_graphs.DecodeGraphs._record

    def noted(*given: Any) -> Any:
        graphs.append(record(*given))
        return graphs[-1]

    monkeypatch.setattr(cuda_graphs.DecodeGraphs, "_record", noted)
    return graphs


def questions(count: int) -> list[Question]:
    asked = []
    for place in range(count):
        digits = " ".join(str((7 * place + each) % 10) for each in range(3 + place % 6))
        asked.append(Question(({"role": "user", "content": f"Sort: {digits}"},), place))
    return asked


def tokens_of(replies: list[list[Reply]]) -> list[tuple[int, ...]]:
    return [each.tokens for group in replies for each in group]


@pytest.mark.parametrize(
    "changes", [{}, {"temperature": 0.7}, {"top_p": 0.9}, {"temperature": 0.0}], ids=str
)
def test_graphs_give_the_replies_of_a_cpu(
    cpu: NativePolicy, cuda: NativePolicy, recorded: list[Any], changes: dict[str, Any]
) -> None:
    """In float32, where rounding moves a draw in one of some 10^6 tokens."""
    sampling = replace(SAMPLING, **changes)
    here = replace(cpu, sampling=sampling).sample(questions(60), 4)
    narrow = replace(cuda, sampling=sampling, cache_tokens=100 * 150)  # replies enter as others end
    there = narrow.sample(questions(60), 4)
    assert recorded
    same = [one == other for one, other in zip(tokens_of(here), tokens_of(there), strict=True)]
    assert sum(same) >= 0.99 * len(same)
    for one, other in zip(here, there, strict=True):
        for first, second in zip(one, other, strict=True):
            if first.tokens == second.tokens:
                assert first.logps == pytest.approx(second.logps, abs=1e-3)


def test_a_recorded_step_is_the_launched_one(
    cuda: NativePolicy, recorded: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    as_graphs = tokens_of(cuda.sample(questions(40), 4))
    assert recorded
    monkeypatch.setattr(
        cuda_graphs.DecodeGraphs,
        "__call__",
        lambda graphs, inputs: graphs.work(inputs.to("cuda")),
    )
    assert tokens_of(cuda.sample(questions(40), 4)) == as_graphs


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("heads", "kv_heads", "wide"), [(14, 2, 64), (4, 4, 16), (32, 1, 128)])
def test_the_kernel_attends_as_torch_does(
    dtype: torch.dtype, heads: int, kv_heads: int, wide: int
) -> None:
    from puzzlemill.difficulty.policies.decode_kernel import attention

    source = torch.Generator("cuda").manual_seed(6)

    def normal(*size: int) -> Tensor:
        return torch.randn(size, generator=source, device="cuda", dtype=dtype)

    qkv = normal(5, heads + 2 * kv_heads, wide)
    prompts, replies = normal(2, 3, kv_heads, 150, wide), normal(2, 5, kv_heads, 90, wide)
    prompt_B, length_B, position_B = torch.tensor(
        [[0, 2, 2, 1, 0], [150, 1, 70, 64, 0], [0, 89, 63, 64, 0]], device="cuda"
    )
    before = replies.clone()
    out = attention(qkv, prompts, replies, prompt_B, length_B, position_B)
    for row, (prompt, length, position) in enumerate(
        zip(prompt_B.tolist(), length_B.tolist(), position_B.tolist(), strict=True)
    ):
        k_new, v_new = qkv[row, heads : heads + kv_heads], qkv[row, heads + kv_heads :]
        assert torch.equal(replies[0, row, :, position], k_new)
        assert torch.equal(replies[1, row, :, position], v_new)
        k, v = (
            torch.cat((prompts[part, prompt, :, :length], replies[part, row, :, : position + 1]), 1)
            for part in (0, 1)
        )
        wanted = torch.nn.functional.scaled_dot_product_attention(
            qkv[None, row, :heads, None].float(), k[None].float(), v[None].float(), enable_gqa=True
        )
        far = 1e-5 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(out[row].float(), wanted.flatten(), rtol=far, atol=far)
        before[:, row, :, position] = replies[:, row, :, position]
    assert torch.equal(before, replies), "nothing else is written"


def test_memory_does_not_grow_from_call_to_call(cuda: NativePolicy) -> None:
    """That which torch has, too: the memory of graphs is no other call's to use."""
    had = []
    for _ in range(6):
        cuda.sample(questions(40), 4)
        had.append((torch.cuda.memory_allocated(), torch.cuda.memory_reserved()))
    assert had[-1][0] <= had[1][0] + (1 << 20)
    assert had[-1][1] <= 1.1 * had[1][1]


def test_a_large_vocabulary_in_bfloat16_has_the_logps_of_its_forward_pass() -> None:
    """Those of a sampler and a trainer of the same type differ by rounding alone."""
    shape = replace(WIDE, vocab=150_001, layers=2)
    model = fresh(shape, seed=1).to("cuda", torch.bfloat16)
    policy = replace(tiny(SAMPLING), model=model, sampling=replace(SAMPLING, stop=()))
    policy = replace(policy, tokens=replace(policy.tokens, ends=frozenset()))
    apart: list[float] = []
    for question, replies in zip(questions(6), policy.sample(questions(6), 2), strict=True):
        prompt = policy.tokens.prompt(question)
        for reply in replies:
            texts = torch.tensor([[*prompt, *reply.tokens]], device="cuda")
            with torch.no_grad():
                logps = model.logits(model(texts)[0, len(prompt) - 1 : -1]).float().log_softmax(-1)
            own = logps.gather(-1, texts[0, len(prompt) :, None])[:, 0].tolist()
            apart += [abs(one - other) for one, other in zip(own, reply.logps, strict=True)]
    assert sum(apart) / len(apart) < 0.01
    assert max(apart) < 0.1


def test_another_thread_may_learn_while_graphs_are_recorded(
    cuda: NativePolicy, recorded: list[Any]
) -> None:
    wanted = tokens_of(cuda.sample(questions(40), 4))
    found: list[tuple[int, ...]] = []
    worker = Thread(target=lambda: found.extend(tokens_of(cuda.sample(questions(40), 4))))
    model = fresh(WIDE, seed=2).to("cuda")
    texts = torch.randint(2, WIDE.vocab, (8, 200), device="cuda")
    worker.start()
    learned = 0
    while worker.is_alive():
        model.logits(model(texts)).square().mean().backward()
        model.zero_grad()
        learned += 1
    worker.join()
    assert learned > 1
    assert found == wanted


def passed(device: str, dtype: torch.dtype) -> tuple[Transformer, float]:
    """A model with the gradient of prompts and replies of unequal lengths; and the loss."""
    source = torch.Generator().manual_seed(5)
    model = fresh(WIDE, seed=3).to(device)
    prompts = torch.randint(2, WIDE.vocab, (3, 20), generator=source).to(device)
    replies = torch.randint(2, WIDE.vocab, (7, 60), generator=source).to(device)
    lengths = torch.tensor([20, 3, 11], device=device)
    ends = torch.tensor([60, 1, 7, 30, 2, 59, 60], device=device)
    mask = torch.arange(60, device=device) < ends[:, None]
    owner = torch.tensor([0, 0, 1, 1, 1, 2, 2], device=device)
    with torch.autocast(device, dtype, enabled=dtype != torch.float32):
        states = model.reply_states(prompts, lengths, replies, owner, mask)
        logps = model.logits(states).float().log_softmax(-1)
    loss = -logps.gather(-1, replies[mask][:, None]).mean()
    loss.backward()
    return model, loss.item()


@pytest.mark.parametrize(("dtype", "far"), [(torch.float32, 1e-4), (torch.bfloat16, 0.05)])
def test_loss_and_gradient_are_those_of_a_cpu(dtype: torch.dtype, far: float) -> None:
    wanted, loss = passed("cpu", torch.float32)
    found, own_loss = passed("cuda", dtype)
    assert own_loss == pytest.approx(loss, rel=far)
    own = dict(found.named_parameters())
    apart = size = 0.0
    for name, weight in wanted.named_parameters():
        ours, theirs = own[name].grad, weight.grad
        assert ours is not None
        assert theirs is not None
        apart += (ours.cpu() - theirs).square().sum().item()
        size += theirs.square().sum().item()
    assert (apart / size) ** 0.5 < far


def test_the_flash_kernel_is_taken_in_half_precision_and_no_scores_are_in_memory() -> None:
    texts = 4096
    q = torch.randn((texts, 8, 64), device="cuda", dtype=torch.bfloat16, requires_grad=True)
    k, v = (torch.randn((texts, 2, 64), device="cuda", dtype=torch.bfloat16) for _ in range(2))
    assert packed_attention._flash(q) is not None
    mask = torch.ones((1, texts - 9), dtype=torch.bool, device="cuda")
    one = torch.zeros(1, dtype=torch.long, device="cuda")
    layout = packed(torch.zeros((1, 10), device="cuda").long(), one + 10, one, mask)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    out: Tensor = packed_attention.packed_attention((q, k, v), layout)
    out.float().sum().backward()
    scores = texts * texts * 8 * 2
    assert torch.cuda.max_memory_allocated() - before < scores / 2


def test_sampling_on_its_own_stream_does_not_wait_for_learning(cuda: NativePolicy) -> None:
    """A long product is given to the trainer's stream first: replies are there before its end."""
    wanted = tokens_of(cuda.sample(questions(40), 4))
    device = torch.device("cuda", 0)
    ready = begun(device)
    block = torch.randn(8192, 8192, device=device)
    ends = torch.cuda.Event()
    for _ in range(400):  # a second at least
        block = torch.tanh(block @ block)
    ends.record()
    still = []
    with own_stream(device, ready):
        small = torch.ones(4, device=device).sum().item()
        still.append(not ends.query())
    assert small == 4
    assert still == [True], "it waited for the products"
    with own_stream(device, begun(device)):
        found = tokens_of(cuda.sample(questions(40), 4))
    assert found == wanted
