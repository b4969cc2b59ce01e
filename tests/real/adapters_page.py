"""The lines to paste of docs/adapters-more.md. Not part of the plain run:

    tools/set-up-loaders.sh
    .venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_page.py

What a reader is to fill in is filled in here. Trainers that are on no package index, or need a GPU,
are played by functions that keep what they are given. docs/adapters.md is run beside its adapters.
"""

import asyncio
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.serving.adapters.rows import rows

sys.path.insert(0, str(Path(__file__).parents[1]))
from tiny_models import bytewise

PAGE = (Path(__file__).parents[2] / "docs" / "adapters-more.md").read_text()
NOTHING = "I do not know."


def pasted(heading: str, language: str = "python") -> str:
    """The one block of a section."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (code,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(code)


def run(code: str, **names: Any) -> dict[str, Any]:
    exec(compile(code.replace(", …", ""), "docs/adapters-more.md", "exec"), names)
    return names


def named(path: str) -> Any:
    module, _, name = path.replace(":", ".").rpartition(".")
    return getattr(import_module(module), name)


def gold(row: Any) -> str:
    return f"<answer>{pm.item(json.loads(row['task'])).answer}</answer>"


def test_rows_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    run(pasted("What is asked").replace("range(4096)", "range(64)"))
    found = pq.read_table(tmp_path / "train.parquet").to_pylist()
    assert len(found) == 64
    assert {"prompt", "task", "index", "split", "env_class"} <= found[0].keys()


def test_gem_steps() -> None:
    pytest.importorskip("gem")
    names = run(pasted("GEM"))
    assert names["observation"]
    assert names["reward"] < 1


def test_skyrl_makes_what_was_registered() -> None:
    skyrl = pytest.importorskip("skyrl_gym")
    run(pasted("SkyRL-Gym"))
    (row,) = rows("sums", [0], columns={"env_class": "puzzlemill"})
    env = skyrl.make(row["env_class"], env_config={"tries": 2}, extras=row)
    env.init(row["prompt"])
    assert [env.step(reply)["reward"] for reply in (NOTHING, gold(row))] == [0.0, 1.0]


def test_tinker_is_configured(tmp_path: Path) -> None:
    pytest.importorskip("tinker_cookbook")
    from tinker_cookbook.tokenizer_utils import register_tokenizer

    register_tokenizer("bytes", bytewise)
    code = pasted("tinker-cookbook").replace('"qwen3"', '"role_colon"')
    code = code.replace("model_name=…", 'model_name="bytes"')
    filled = 'recipe_name="x", learning_rate=1e-4, max_tokens=64, model_name="bytes", log_path=log'
    code = code.replace("dataset_builder=tasks, …", f"dataset_builder=tasks, {filled}")
    names = run(code, log=str(tmp_path))
    train, _ = asyncio.run(names["config"].dataset_builder())
    assert train.get_batch(0)


def test_verl_instantiates_its_agent_loop() -> None:
    pytest.importorskip("verl")
    import hydra
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap

    (config,) = OmegaConf.create(pasted("verl", "yaml"))
    lengths = {"prompt_length": 512, "response_length": 512}
    trainer = OmegaConf.create({"actor_rollout_ref": {"rollout": lengths}})
    loop = hydra.utils.instantiate(
        config, trainer_config=DictConfigWrap(trainer), server_manager=None,
        tokenizer=bytewise(), processor=None, hf_model_type="llama", dataset_cls=None,
        data_config=DictConfigWrap(OmegaConf.create({})), tools=None,
    )  # fmt: skip
    assert loop.options == {"tries": 2}


def test_areal_names_a_reward_and_an_agent() -> None:
    reward, agent = pasted("AReaL").splitlines()
    kept = run(reward, RLVRWorkflow=dict)["workflow"]
    (row,) = rows("sums", [0])
    assert named(kept["reward_fn"])("", gold(row), [], [], **row) == 1.0
    assert named(run(agent)["workflow"])().run


def test_rllm_makes_environments_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    base = ModuleType("rllm.environments.base.base_env")
    base.BaseEnv = type("BaseEnv", (), {})  # type: ignore[attr-defined]
    for name in ("rllm", "rllm.environments", "rllm.environments.base"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, base.__name__, base)
    kept = run(pasted("rLLM"), AgentTrainer=dict)["trainer"]
    (row,) = rows("sums", [0])
    env = kept["env_class"].from_dict({**row, **kept["env_args"]})
    env.reset()
    assert [env.step(reply)[1] for reply in (NOTHING, gold(row))] == [0.0, 1.0]


def test_slime_names_a_reward() -> None:
    (path,) = re.findall(r"--custom-rm-path (\S+)", pasted("slime", "console"))
    assert asyncio.iscoroutinefunction(named(path))
