"""verl: an agent loop, as `verl` 0.9.1 runs one for each row.

actor_rollout_ref.rollout.agent.agent_loop_config_path=puzzlemill.yaml, which holds
- {name: puzzlemill, _target_: puzzlemill.serving.adapters.verl.AgentLoop, options: {tries: 2}}

The data has `prompt`, `task` and `agent_name`: `rows` beside this file makes them.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

from puzzlemill.serving.adapters.in_process import elsewhere, opened, replied, server_with, task_in


class AgentLoop(AgentLoopBase):  # type: ignore[misc]
    """The item or game of a row, turn by turn; `options` are settings of the server."""

    def __init__(self, *args: Any, options: Mapping[str, Any] | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.options = {str(name): value for name, value in (options or {}).items()}

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        server = server_with(self.options)
        episode = await elsewhere(opened(server, task_in(kwargs["task"])))
        own = {"role": "user", "content": episode.prompt}
        messages = [*list(kwargs.get("raw_prompt", ()))[:-1], own]
        tokens = await self.ct_build_initial_tokens(messages)
        mask, logprobs = list[int](), list[float]()
        metrics: dict[str, Any] = {}
        reward, turns, request = 0.0, 1, uuid4().hex
        facts: dict[str, Any] = {}
        while len(mask) < self.rollout_config.response_length:
            with simple_timer("generate_sequences", metrics):
                output = await self.server_manager.generate(
                    request_id=request, prompt_ids=tokens, sampling_params=sampling_params
                )
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                tokens, output.token_ids, mask, logprobs if output.log_probs else None,
                assistant_logprobs=output.log_probs or None,
            )  # fmt: skip
            tokens, logprobs, turns = merged.token_ids, logprobs or [], turns + 1
            reply = self.tokenizer.decode(output.token_ids, skip_special_tokens=True)
            with simple_timer("compute_score", metrics):
                turn = await elsewhere(replied(server, episode, reply))
            reward, facts = turn.reward, dict(turn.facts)
            if turn.done:
                break
            before = [*messages, {"role": "assistant", "content": reply}]
            messages = [*before, {"role": "user", "content": turn.text}]
            merged, longer, more = await self.ct_merge_context_msg(
                before, messages, tokens, mask, logprobs or None
            )
            if len(longer) >= self.rollout_config.response_length:
                break
            tokens, mask, logprobs, turns = merged.token_ids, longer, more or [], turns + 1
        return self._output(tokens, mask, logprobs, reward, turns, metrics, facts)

    def _output(
        self, tokens: list[int], mask: list[int], logprobs: list[float], reward: float,
        turns: int, metrics: dict[str, Any], facts: Mapping[str, Any],
    ) -> AgentLoopOutput:  # fmt: skip
        most, first = self.rollout_config.response_length, len(tokens) - len(mask)
        status = facts.get("status")
        shares = {name: float(status == name) for name in ("correct", "unparsed", "error")}
        extra = {"turn_scores": [], "tool_rewards": [], "reward_extra_info": shares}
        return AgentLoopOutput(
            prompt_ids=tokens[:first],
            response_ids=tokens[first:][:most],
            response_mask=mask[:most],
            response_logprobs=logprobs[:most] or None,
            reward_score=reward,
            num_turns=turns,
            metrics=metrics,
            extra_fields=extra,
        )
