"""A policy in vLLM's engine, in this process.

Its log-probabilities are those after temperature and top_p, of the distribution that the tokens
were sampled from.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.checkpoint import fingerprint, rounded, save_weights
from puzzlemill.difficulty.policies.endpoint import conversation, first_seed, plain_prompt
from puzzlemill.difficulty.policies.openai_answer import ABORTED
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling, checked_logps
from puzzlemill.difficulty.policies.weight_files import digest
from puzzlemill.difficulty.prompt_styles import template_switches

if TYPE_CHECKING:
    import torch
    from torch import Tensor


SHARED = Path("/dev/shm")  # in memory; a folder of our own is made in it


@dataclass(slots=True)
class VllmPolicy:
    model: str | Path  # a checkpoint's folder
    sampling: Sampling
    sees: bool = False
    engine: Mapping[str, Any] = field(default_factory=dict)  # further arguments of vllm.LLM
    weights: str = field(init=False)  # which ones it replies with now
    _llm: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.engine.get("data_parallel_size", 1) != 1:
            raise UserError(
                "one process holds one copy of the model: start servers, or one with"
                " --data-parallel-size, and name their addresses in the url of an endpoint"
            )
        self.weights = digest(Path(self.model))
        self._llm = _engine(Path(self.model), self.engine)

    @property
    def id(self) -> str:
        return f"{Path(self.model).resolve().name}-{self.weights}/{self.sampling}"

    def update(self, weights: Mapping[str, "Tensor"]) -> None:
        """Sample with these weights from now on. Names are those of a checkpoint. They are handed
        over in the engine's own type, in memory where the system has a folder that lies there."""
        handed = rounded(weights, self.dtype)
        with TemporaryDirectory(prefix="puzzlemill-weights-", dir=_memory(handed)) as name:
            save_weights(handed, Path(name))
            self._llm.collective_rpc("reload_weights", kwargs={"weights_path": name})
        if _on_cpu():
            self._llm.apply_model(_pack_output)
        self.renew(handed)

    def renew(self, weights: Mapping[str, "Tensor"]) -> None:
        """These weights have come: nothing of those before is left."""
        self.weights = fingerprint(weights)
        assert self._llm.reset_prefix_cache(), "vLLM is still replying: its cache cannot be emptied"

    @property
    def llm(self) -> Any:
        """vLLM's own engine."""
        return self._llm

    @property
    def dtype(self) -> "torch.dtype":
        found: torch.dtype = self._llm.llm_engine.model_config.dtype
        return found

    def sleep(self, level: int = 1) -> None:
        """Free the GPU: the KV cache is dropped; weights are offloaded to the CPU, or at level 2
        dropped, too. It needs enable_sleep_mode in `engine`; on a CPU nothing happens."""
        self._llm.sleep(level=level)

    def wake(self, *tags: str) -> None:
        """Take the GPU again: all of it, or `weights` and `kv_cache` apart."""
        self._llm.wake_up(tags=list(tags) or None)

    @property
    def gpus(self) -> int:
        from vllm.platforms import current_platform

        parallel = int(self.engine.get("tensor_parallel_size", 1))
        return 0 if current_platform.is_cpu() else parallel

    def at_most(self, max_tokens: int) -> "VllmPolicy":
        """With replies of so many tokens at most, by the same engine."""
        limited = copy(self)
        limited.sampling = replace(self.sampling, max_tokens=max_tokens)
        return limited

    def takes(self, question: Question) -> bool:
        """Pictures if it sees; text if there is room for a whole reply behind it."""
        if question.images:
            return self.sees
        length, room = self.lengths(question)
        return length <= room

    def lengths(self, question: Question) -> tuple[int, int]:
        tokenizer = self._llm.get_tokenizer()
        if tokenizer.chat_template:
            text = tokenizer.apply_chat_template(
                list(question.messages),
                tokenize=False,
                add_generation_prompt=True,
                **template_switches(self.sampling.style),
            )
        else:
            text = plain_prompt(question)
        room = self._llm.llm_engine.model_config.max_model_len - self.sampling.max_tokens
        return len(tokenizer(text, verbose=False)["input_ids"]), int(room)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        """Replies depend on the question's seed, and in a logit's last bits on the batch."""
        # Greedy decoding gives the same reply every time: one is enough.
        distinct = n if self.sampling.temperature > 0 else 1
        if n == 0 or not questions:
            return [[] for _ in questions]
        parameters = [self._parameters(question, distinct) for question in questions]
        outputs = self._outputs(questions, parameters)
        groups = [[self._reply(choice) for choice in output.outputs] for output in outputs]
        return [group * n if n > distinct else group for group in groups]

    def _outputs(self, questions: Sequence[Question], parameters: list[Any]) -> Any:
        from vllm.exceptions import VLLMValidationError

        told = any(question.tokens for question in questions)  # all of them, or none
        talks = bool(self._llm.get_tokenizer().chat_template) and not told
        switches = template_switches(self.sampling.style)
        chat = partial(self._llm.chat, chat_template_kwargs=switches or None)
        ask = chat if talks else self._llm.generate
        prompts: list[Any] = [
            conversation(question, self.sees) if talks else plain_prompt(question)
            for question in questions
        ]
        if told:
            prompts = [{"prompt_token_ids": [*question.tokens]} for question in questions]
        try:
            return ask(prompts, parameters, use_tqdm=False)
        except (ValueError, VLLMValidationError) as error:
            raise UserError(f"vLLM refused a question: {error}") from error

    def _parameters(self, question: Question, n: int) -> Any:
        from vllm import SamplingParams

        return SamplingParams(
            n=n,
            seed=first_seed(question),
            temperature=self.sampling.temperature,
            top_p=self.sampling.top_p,
            max_tokens=self.sampling.max_tokens,
            stop=list(self.sampling.stop),
            include_stop_str_in_output=True,
            logprobs=0,  # of the sampled token alone
        )

    def _reply(self, choice: Any) -> Reply:
        if choice.finish_reason in ABORTED:
            return Reply("", False, error=f"vLLM gave up on it ({choice.finish_reason})")
        tokens = tuple(map(int, choice.token_ids))
        sampled = zip(choice.logprobs, tokens, strict=True)
        try:
            tokens, logps = checked_logps(
                tokens, [float(place[it].logprob) for place, it in sampled]
            )
        except ValueError as error:
            return Reply("", False, error=str(error))
        if self.sampling.temperature == 0:  # vLLM gives those of temperature 1
            logps = (0.0,) * len(tokens)
        return Reply(choice.text, choice.finish_reason != "length", tokens, logps)


def _memory(weights: Mapping[str, "Tensor"]) -> str | None:
    """A folder in memory with room for the weights; None: the system's own for temporary files."""
    size = sum(each.numel() * each.element_size() for each in weights.values())
    room = disk_usage(SHARED).free if SHARED.is_dir() else 0
    return str(SHARED) if room > 2 * size else None


def _on_cpu() -> bool:
    from vllm.platforms import current_platform

    return bool(current_platform.is_cpu())


def _pack_output(model: Any) -> None:
    """On a CPU vLLM multiplies with a packed copy of the output matrix, which a reload forgets."""
    output = getattr(model, "lm_head", None)
    if output is not None:
        output.quant_method.process_weights_after_loading(output)


def _engine(folder: Path, settings: Mapping[str, Any]) -> Any:
    try:
        from vllm import LLM
    except ImportError as error:
        raise UserError(
            f"vLLM cannot be imported ({error}): pip install 'puzzlemill[vllm]'"
        ) from error
    return LLM(
        str(folder),
        **{
            "enable_prefix_caching": True,
            "load_format": "safetensors",  # never a pickle
            "trust_remote_code": False,
            "logprobs_mode": "processed_logprobs",
            # On a CPU vLLM 0.32 fails when the prompt of a seeded reply is read in pieces.
            "enable_chunked_prefill": not _on_cpu(),
            **settings,
        },
    )
