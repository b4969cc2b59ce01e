"""A policy in vLLM's engine, in this process. Its log-probabilities are those after temperature
and top_p: of the distribution that the tokens were drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from puzzlemill.core.errors import UserError
from puzzlemill.difficulty.policies.endpoint import (
    BROKEN,
    conversation,
    first_seed,
    plain_prompt,
)
from puzzlemill.difficulty.policies.policy import Question, Reply, Sampling


@dataclass(slots=True)
class VllmPolicy:
    model: str | Path  # a checkpoint's folder
    sampling: Sampling
    sees: bool = False
    engine: Mapping[str, Any] = field(default_factory=dict)  # further arguments of vllm.LLM
    id: str = field(init=False)
    _llm: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        from puzzlemill.difficulty.policies.checkpoint import digest

        folder = Path(self.model)
        self.id = f"{folder.resolve().name}-{digest(folder)}/{self.sampling}"
        self._llm = _engine(folder, self.engine)

    @property
    def gpus(self) -> int:
        from vllm.platforms import current_platform

        parallel = int(self.engine.get("tensor_parallel_size", 1))
        return 0 if current_platform.is_cpu() else parallel

    def takes(self, question: Question) -> bool:
        """Pictures if it sees; text if there is room for a whole reply behind it."""
        if question.images:
            return self.sees
        tokenizer = self._llm.get_tokenizer()
        if tokenizer.chat_template:
            text = tokenizer.apply_chat_template(
                list(question.messages), tokenize=False, add_generation_prompt=True
            )
        else:
            text = plain_prompt(question)
        room = self._llm.llm_engine.model_config.max_model_len - self.sampling.max_tokens
        return bool(len(tokenizer(text)["input_ids"]) <= room)

    def sample(self, questions: Sequence[Question], n: int) -> list[list[Reply]]:
        """A question's replies hang on its seed; the last bits of a logit on the batch as well."""
        drawn = n if self.sampling.temperature > 0 else 1  # likeliest tokens: no two replies
        if n == 0 or not questions:
            return [[] for _ in questions]
        parameters = [self._parameters(question, drawn) for question in questions]
        outputs = self._outputs(questions, parameters)
        found = [[self._reply(choice) for choice in output.outputs] for output in outputs]
        return [replies * n if n > drawn else replies for replies in found]

    def _outputs(self, questions: Sequence[Question], parameters: list[Any]) -> Any:
        from vllm.exceptions import VLLMValidationError

        talks = bool(self._llm.get_tokenizer().chat_template)
        ask = self._llm.chat if talks else self._llm.generate
        prompts = [
            conversation(question, self.sees) if talks else plain_prompt(question)
            for question in questions
        ]
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
            logprobs=0,  # of the drawn token alone
        )

    def _reply(self, choice: Any) -> Reply:
        assert choice.finish_reason not in BROKEN, f"vLLM gave up on a reply: {choice}"
        tokens = tuple(choice.token_ids)
        logps = tuple(
            float(place[token].logprob)
            for place, token in zip(choice.logprobs, tokens, strict=True)
        )
        if self.sampling.temperature == 0:  # vLLM gives those of temperature 1
            logps = (0.0,) * len(tokens)
        return Reply(choice.text, choice.finish_reason != "length", tokens, logps)


def _engine(folder: Path, settings: Mapping[str, Any]) -> Any:
    try:
        from vllm import LLM
        from vllm.platforms import current_platform
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
            "enable_chunked_prefill": not current_platform.is_cpu(),
            **settings,
        },
    )
