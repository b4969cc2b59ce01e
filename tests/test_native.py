"""The native engine: the same numbers as transformers, and replies that only their seed decides."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen3Config,
)

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies import checkpoint, decoding, kv_cache
from puzzlemill.difficulty.policies.cuda_graphs import size_class
from puzzlemill.difficulty.policies.native import NativePolicy
from puzzlemill.difficulty.policies.policy import Question, Sampling
from puzzlemill.difficulty.policies.token_draw import BLOCK, draw
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.difficulty.policies.transformer import Norm
from puzzlemill.difficulty.policies.weight_files import digest

SIZE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "intermediate_size": 48,
    "vocab_size": 100,
    "max_position_embeddings": 256,
    "eos_token_id": 0,
    "pad_token_id": 1,
    "bos_token_id": None,
}
STRETCHED = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
KINDS = {
    "qwen2": Qwen2Config(**SIZE, tie_word_embeddings=True),
    "qwen2 untied, a key a head": Qwen2Config(
        **{**SIZE, "num_key_value_heads": 4}, tie_word_embeddings=False
    ),
    "llama": LlamaConfig(**SIZE, tie_word_embeddings=False),
    "llama with biases": LlamaConfig(**SIZE, attention_bias=True, mlp_bias=True),
    "llama3 rope": LlamaConfig(**SIZE, tie_word_embeddings=True, rope_parameters=STRETCHED),
    "linear rope": LlamaConfig(
        **SIZE, rope_parameters={"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0}
    ),
    "qwen3": Qwen3Config(**SIZE, tie_word_embeddings=True),
}
SAMPLING = Sampling(max_tokens=24, stop=())


def make(folder: Path, config: Any, template: bool = True) -> Path:
    """A checkpoint with random weights, and a tokenizer of single characters."""
    source = torch.Generator().manual_seed(7)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0.0 if weight.dim() > 1 else 0.5, 0.25, generator=source)
    model.save_pretrained(folder)
    characters = ["Ġ", "Ċ", *map(chr, range(33, 127))]
    vocab = {piece: place for place, piece in enumerate(["<end>", "<pad>", *characters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<pad>")
    if template:
        fast.chat_template = (
            "{% for message in messages %}[{{ message.role[0] }}]{{ message.content }}{% endfor %}"
            "{% if add_generation_prompt %}[a]{% endif %}"
        )
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("checkpoint") / "small", KINDS["qwen2"])


@pytest.fixture(scope="module")
def policy(folder: Path) -> NativePolicy:
    return NativePolicy.load(folder, SAMPLING, device="cpu")


def ask(text: str, seed: int = 0) -> Question:
    return Question(({"role": "user", "content": text},), seed)


QUESTIONS = [ask("1+1=", 3), ask("Sort: 4 2 8 1 9", 4), ask("?", 5), ask("abc" * 15, 6)]


def logps_of(policy: NativePolicy, question: Question, said: tuple[int, ...]) -> list[float]:
    """Of each token of a reply, by one forward pass over the whole text."""
    prompt = policy.tokens.prompt(question)
    tokens_BT = torch.tensor([[*prompt, *said]])
    with torch.no_grad():
        logits_BTV = policy.model.logits(policy.model(tokens_BT))
    logp_TV = (logits_BTV[0] / policy.sampling.temperature).log_softmax(-1)
    places = range(len(prompt) - 1, len(prompt) + len(said) - 1)
    return [logp_TV[place, token].item() for place, token in zip(places, said, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_greedy_replies_are_those_of_transformers(kind: str, tmp_path: Path) -> None:
    theirs = AutoModelForCausalLM.from_pretrained(make(tmp_path, KINDS[kind])).eval()
    policy = NativePolicy.load(tmp_path, replace(SAMPLING, temperature=0.0), device="cpu")
    tokens_BT = torch.randint(0, 100, (3, 50), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        ours = policy.model.logits(policy.model(tokens_BT))
        torch.testing.assert_close(ours, theirs(tokens_BT).logits, atol=1e-4, rtol=1e-4)
    for question, (reply,) in zip(QUESTIONS, policy.sample(QUESTIONS, 1), strict=True):
        prompt = torch.tensor([policy.tokens.prompt(question)])
        mask = torch.ones_like(prompt)
        said = theirs.generate(prompt, attention_mask=mask, do_sample=False, max_new_tokens=24)
        assert list(reply.tokens) == said[0, prompt.shape[1] :].tolist()


@pytest.mark.parametrize("kind", ["qwen2", "llama3 rope", "qwen3"])
def test_a_saved_model_is_the_same_to_us_and_to_transformers(kind: str, tmp_path: Path) -> None:
    model, shape = checkpoint.load(make(tmp_path / "first", KINDS[kind]))
    checkpoint.save(model, tmp_path / "second", Tokens.load(tmp_path / "first"))
    checkpoint.save(model, tmp_path / "second", Tokens.load(tmp_path / "second"))  # over itself
    again, shape_again = checkpoint.load(tmp_path / "second")
    assert shape_again == shape
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "second")
    tokens_BT = torch.arange(60)[None]
    with torch.no_grad():
        ours = again.logits(again(tokens_BT))
        torch.testing.assert_close(ours, theirs(tokens_BT).logits, atol=1e-4, rtol=1e-4)
    assert Tokens.load(tmp_path / "second").ends == {0}


def test_logps_are_those_of_a_forward_pass(policy: NativePolicy) -> None:
    warm = replace(policy, sampling=replace(SAMPLING, temperature=0.7))
    for question, replies in zip(QUESTIONS, warm.sample(QUESTIONS, 3), strict=True):
        for reply in replies:
            assert reply.logps == pytest.approx(logps_of(warm, question, reply.tokens), abs=1e-4)


def test_bfloat16_is_sampled_with_logps_near_those_of_its_forward_pass(folder: Path) -> None:
    half = NativePolicy.load(folder, SAMPLING, device="cpu", dtype="bfloat16")
    assert half.model.dtype == torch.bfloat16
    for question, replies in zip(QUESTIONS, half.sample(QUESTIONS, 3), strict=True):
        for reply in replies:
            expected = logps_of(half, question, reply.tokens)
            assert np.abs(np.subtract(reply.logps, expected)).mean() < 0.1


def test_the_likeliest_token_is_drawn_for_certain(policy: NativePolicy) -> None:
    greedy = replace(policy, sampling=replace(SAMPLING, temperature=0.0))
    first, second = greedy.sample(QUESTIONS[:1], 2)[0]
    assert first == second
    assert set(first.logps) == {0.0}


def test_replies_do_not_depend_on_the_batch(policy: NativePolicy) -> None:
    """In float32: other batches round otherwise by some 1e-7, and of 480 draws none falls there."""
    together = policy.sample(QUESTIONS, 5)
    assert len({reply.tokens for replies in together for reply in replies}) == 20
    backwards = policy.sample(QUESTIONS[::-1], 5)[::-1]
    alone = [policy.sample([question], 5)[0] for question in QUESTIONS]
    # Room for 3 rows: replies enter as others end, and a question's are split.
    narrow = replace(policy, cache_tokens=150).sample(QUESTIONS, 5)
    fewer = policy.sample(QUESTIONS, 2)
    for other in (backwards, alone, narrow):
        assert [[r.tokens for r in replies] for replies in other] == [
            [r.tokens for r in replies] for replies in together
        ]
    assert [[r.tokens for r in replies] for replies in fewer] == [
        [r.tokens for r in replies[:2]] for replies in together
    ]


def test_a_seed_fixes_the_replies_and_another_gives_others(policy: NativePolicy) -> None:
    first, same, other = policy.sample([ask("2*3=", 1), ask("2*3=", 1), ask("2*3=", 2)], 3)
    assert [reply.tokens for reply in first] == [reply.tokens for reply in same]
    assert not {reply.tokens for reply in first} & {reply.tokens for reply in other}


def test_many_replies_that_end_early_are_evicted_in_good_order(policy: NativePolicy) -> None:
    """Every token of every reply is what the whole text says it should be, after many moves."""
    ends = frozenset(range(0, 100, 9))
    brief = replace(policy, tokens=replace(policy.tokens, ends=ends), cache_tokens=400)
    questions = [ask("x" * (1 + seed % 7), seed) for seed in range(30)]
    found = brief.sample(questions, 4)
    lengths = {len(reply.tokens) for replies in found for reply in replies}
    assert len(lengths) > 8
    for question, replies in zip(questions, found, strict=True):
        for reply in replies:
            assert reply.logps == pytest.approx(logps_of(brief, question, reply.tokens), abs=1e-4)
            assert reply.finished == (reply.tokens[-1] in ends)
            assert not ends & set(reply.tokens[:-1])


def test_replies_that_outgrow_their_buckets_are_what_they_were(
    policy: NativePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = frozenset(range(0, 100, 17))
    brief = replace(policy, tokens=replace(policy.tokens, ends=ends))
    questions = [ask("x" * (1 + seed % 5), seed) for seed in range(20)]
    whole = brief.sample(questions, 3)
    monkeypatch.setattr(kv_cache, "FIRST_BUCKET", 2)  # buckets of 2, 4, 8, 16 and 24 tokens
    monkeypatch.setattr(kv_cache, "FIRST_ROWS", 1)  # each has to grow
    monkeypatch.setitem(kv_cache.MAX_SEQUENCES, "cpu", 16)
    assert kv_cache.bucket_lengths(brief.model, 24) == [2, 4, 8, 16, 24]
    bucketed = brief.sample(questions, 3)
    assert len({len(reply.tokens) for replies in whole for reply in replies}) > 8
    for question, replies, others in zip(questions, bucketed, whole, strict=True):
        assert [reply.tokens for reply in replies] == [reply.tokens for reply in others]
        for reply in replies:
            assert reply.logps == pytest.approx(logps_of(brief, question, reply.tokens), abs=1e-4)


@pytest.mark.parametrize("kind", ["llama with biases", "qwen3"])
def test_weights_too_large_to_be_copied_give_the_same_replies(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = NativePolicy.load(make(tmp_path, KINDS[kind]), SAMPLING, device="cpu")
    transposed = policy.sample(QUESTIONS, 3)
    monkeypatch.setattr(decoding, "TRANSPOSED", 0)
    for replies, others in zip(policy.sample(QUESTIONS, 3), transposed, strict=True):
        for reply, other in zip(replies, others, strict=True):
            assert reply.tokens == other.tokens
            assert reply.logps == pytest.approx(other.logps, abs=1e-4)


def test_the_norm_and_its_gradient_are_torchs_own() -> None:
    source = torch.Generator().manual_seed(5)
    x_BTD, weigh_BTD = (torch.randn(3, 4, 6, generator=source) for _ in range(2))
    x_BTD[0, 0] = 0.0  # nothing is left but eps
    norm = Norm(6, 1e-2)
    norm.weight.data.normal_(generator=source)
    found = []
    for call in (norm, lambda x: torch.nn.functional.rms_norm(x, (6,), norm.weight, 1e-2)):
        given = x_BTD.clone().requires_grad_(True)
        norm.zero_grad()
        out = call(given)
        (out * weigh_BTD).sum().backward()
        found.append((out.detach(), given.grad, norm.weight.grad))
    for ours, torchs in zip(*found, strict=True):
        torch.testing.assert_close(ours, torchs)


def test_a_reply_ends_behind_the_first_stop_string(policy: NativePolicy) -> None:
    endless = replace(policy, tokens=replace(policy.tokens, ends=frozenset()))
    (free,) = endless.sample([ask("go", 8)], 1)[0]
    stop = free.text[4:7]
    halted = replace(endless, sampling=replace(SAMPLING, stop=(free.text[9:12], stop)))
    (reply,) = halted.sample([ask("go", 8)], 1)[0]
    end = free.text.find(stop) + 3
    assert reply.text == free.text[:end]
    assert reply.tokens == free.tokens[: len(reply.tokens)]
    assert policy.tokens.text(reply.tokens) == reply.text
    assert reply.finished
    assert not free.finished
    assert len(free.tokens) == 24


def test_a_stop_string_within_a_token_cuts_the_text_and_keeps_the_token(
    policy: NativePolicy, tmp_path: Path
) -> None:
    class Pairs:
        """Each token is written as two characters: its own and a bar."""

        chat_template = None
        eos_token_id = 0
        inner = policy.tokens.tokenizer

        def __len__(self) -> int:
            return len(self.inner)

        def __call__(self, text: str, **options: Any) -> Any:
            return self.inner(text, **options)

        def decode(self, ids: list[int], **options: Any) -> str:
            return "".join(f"{self.inner.decode([token])}|" for token in ids)

    paired = replace(policy, tokens=Tokens(Pairs(), frozenset()))
    (free,) = paired.sample([ask("go", 8)], 1)[0]
    stop = free.text[3:5]  # a bar, and the first half of the third token
    (reply,) = replace(paired, sampling=replace(SAMPLING, stop=(stop,))).sample([ask("go", 8)], 1)[
        0
    ]
    assert reply.text == free.text[:5]
    assert reply.tokens == free.tokens[:3]


def test_top_p_draws_from_the_fewest_tokens_that_hold_it() -> None:
    logits_BV = torch.tensor([0.1, 0.5, 0.1, 0.3]).log().expand(1000, 4)
    uniform_B = torch.linspace(0, 1, 1001, dtype=torch.float64)[:1000]
    token_B, logp_B = draw(logits_BV, uniform_B, Sampling(top_p=0.7))
    assert set(token_B.tolist()) == {1.0, 3.0}
    assert (token_B == 1).double().mean().item() == pytest.approx(0.625, abs=2e-3)
    assert logp_B[0].exp().item() == pytest.approx(0.625)
    token_B, logp_B = draw(logits_BV, uniform_B, Sampling())
    shares = [(token_B == token).double().mean().item() for token in range(4)]
    assert shares == pytest.approx([0.1, 0.5, 0.1, 0.3], abs=2e-3)


def test_a_token_without_mass_is_never_drawn() -> None:
    logits_BV = torch.tensor([[-torch.inf, 0.0, -torch.inf]]).expand(2, 3)
    uniform_B = torch.tensor([0.0, np.nextafter(1.0, 0.0)], dtype=torch.float64)
    assert draw(logits_BV, uniform_B, Sampling())[0].tolist() == [1, 1]


@pytest.mark.parametrize("vocab", [2 * BLOCK, 5 * BLOCK + 7])
def test_a_large_vocabulary_is_drawn_from_as_a_small_one_is(vocab: int) -> None:
    source = torch.Generator().manual_seed(4)
    logits_BV = 4 * torch.randn((300, vocab), generator=source)
    uniform_B = torch.rand(300, generator=source, dtype=torch.float64)
    uniform_B[:2] = torch.tensor([0.0, 1 - 2.0**-53])
    below_BV = logits_BV.softmax(-1, dtype=torch.float64).cumsum(-1)
    wanted_B = torch.searchsorted(below_BV, uniform_B[:, None] * below_BV[:, -1:])[:, 0]
    token_B, logp_B = draw(logits_BV, uniform_B, Sampling())
    # No draw but that at the upper end falls within rounding of a token's border.
    assert token_B[2:].tolist() == wanted_B[2:].tolist()
    assert token_B[0] == 0
    assert token_B[1] >= vocab - BLOCK
    logps_BV = logits_BV.log_softmax(-1)
    wanted_logps_B = logps_BV.gather(-1, token_B.long()[:, None])[:, 0].double()
    torch.testing.assert_close(logp_B, wanted_logps_B, rtol=0, atol=2e-6)


def test_of_a_large_vocabulary_a_token_without_mass_is_never_drawn() -> None:
    logits_BV = torch.full((200, 3 * BLOCK + 1), -torch.inf)
    logits_BV[:, [5, BLOCK, 3 * BLOCK]] = 0.0
    uniform_B = torch.linspace(0, 1, 200, dtype=torch.float64)
    token_B, _ = draw(logits_BV, uniform_B, Sampling())
    assert sorted(set(token_B.tolist())) == [5, BLOCK, 3 * BLOCK]


def test_rows_are_padded_up_to_a_few_sizes() -> None:
    assert [size_class(size) for size in (1, 2, 3, 7, 8, 9, 100, 500)] == [
        1,
        2,
        3,
        7,
        8,
        10,
        112,
        512,
    ]
    assert all(size <= size_class(size) < 1.25 * size + 1 for size in range(1, 2000))


def test_a_model_in_training_is_sampled_as_it_is_now(folder: Path) -> None:
    model, _ = checkpoint.load(folder)
    live = NativePolicy(model, Tokens.load(folder), SAMPLING, "mine-step1")
    assert live.id == "mine-step1/t1-p1-m24"
    before = live.sample(QUESTIONS, 2)
    model.logits(model(torch.arange(9)[None])).sum().backward()
    with torch.no_grad():
        for weight in model.parameters():
            weight -= 0.1 * weight.grad
    after = live.sample(QUESTIONS, 2)
    assert before != after
    expected = logps_of(live, QUESTIONS[0], after[0][0].tokens)
    assert after[0][0].logps == pytest.approx(expected, abs=1e-4)


def test_the_id_changes_with_the_weights(folder: Path, tmp_path: Path) -> None:
    model, _ = checkpoint.load(folder)
    checkpoint.save(model, tmp_path / "same")
    with torch.no_grad():
        model.model.norm.weight += 0.1
    checkpoint.save(model, tmp_path / "other")
    digests = {digest(path) for path in (tmp_path / "same", tmp_path / "other")}
    assert len(digests) == 2
    name = NativePolicy.load(folder, SAMPLING, device="cpu").id
    assert name == f"small-{digest(folder)}/t1-p1-m24"


def test_a_model_without_a_chat_template_gets_plain_text(tmp_path: Path) -> None:
    tokens = Tokens.load(make(tmp_path, KINDS["qwen2"], template=False))
    ids = tokens.ids([{"role": "ME", "content": "A B"}])
    assert tokens.text(ids) == "ME: A B\nassistant:"


def test_a_sharded_checkpoint_is_read_whole(folder: Path, tmp_path: Path) -> None:
    theirs = AutoModelForCausalLM.from_pretrained(folder)
    theirs.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    model, _ = checkpoint.load(tmp_path)
    whole, _ = checkpoint.load(folder)
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, model.state_dict()[name])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "mamba"}, "architecture 'mamba'; can: llama, qwen2, qwen3"),
        ({"use_sliding_window": True}, "use_sliding_window"),
        ({"rope_parameters": {"rope_type": "yarn"}}, "rope type 'yarn'"),
        ({"num_hidden_layers": 3}, "model.layers.2.input_layernorm.weight is missing"),
        ({"intermediate_size": 40}, "config.json says"),
    ],
)
def test_what_cannot_be_run_is_one_clear_error(
    change: dict[str, Any], message: str, folder: Path, tmp_path: Path
) -> None:
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, **change}))
    (tmp_path / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    with pytest.raises(UserError, match=message):
        checkpoint.load(tmp_path)


def test_pickles_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"anything")
    with pytest.raises(UserError, match=r"pytorch_model\.bin is a pickle"):
        checkpoint.load(tmp_path)


def test_pictures_and_prompts_that_fill_the_model_are_refused(policy: NativePolicy) -> None:
    with pytest.raises(UserError, match="reads text only"):
        policy.sample([Question(({"role": "user", "content": "<image>"},), 0, (b"png",))], 1)
    with pytest.raises(UserError, match="256 positions"):
        policy.sample([ask("x" * 300)], 1)


def test_a_reply_stops_where_the_positions_end(policy: NativePolicy) -> None:
    endless = replace(policy, tokens=replace(policy.tokens, ends=frozenset()))
    (reply,) = endless.sample([ask("x" * 240, 1)], 1)[0]
    assert len(policy.tokens.prompt(ask("x" * 240))) + len(reply.tokens) == 256
    assert not reply.finished


def test_nothing_is_asked_and_nothing_replied(policy: NativePolicy) -> None:
    assert policy.sample([], 4) == []
    assert policy.sample(QUESTIONS, 0) == [[], [], [], []]
