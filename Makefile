# `make demo` and `make test` are all that a newcomer needs; `make help` tells the others.
.DEFAULT_GOAL := help
.PHONY: help demo test check docs style types suite deep audit truth splits fuzz bench vllm models loaders doors gyms browser
.PHONY: site examples giveaways harnesses papers pictures scale pipeline chaos schedule clean set-up portable resume distributed methods learning learning-gym learning-rl learning-pretrained gpu

export OMP_NUM_THREADS ?= 1
# Empty: bytecode is kept. Without it, each process that imports torch compiles it for ten seconds.
export PYTHONDONTWRITEBYTECODE =

help: ## Say what there is.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

set-up: ## Make .venv with what the demo and the tests need; instant the second time.
	@tools/set-up.sh

demo: set-up ## Build a dataset, train the bundled policy on it, and regenerate.
	@.venv/bin/puzzlemill loop recipes/demo.toml --flow

test: style ## Style, types, layers and the tests.
	@$(MAKE) --no-print-directory -j 2 types suite

check: style types

style: set-up
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .

types: set-up
	@.venv/bin/mypy

suite: set-up
	@.venv/bin/python -m pytest -n auto

portable: set-up ## The tests as on a CPU without AVX-512, where PyTorch rounds in other places.
	@ONEDNN_MAX_CPU_ISA=AVX2 ATEN_CPU_CAPABILITY=avx2 .venv/bin/python -m pytest -n auto

deep: set-up ## Hold every family against the contract, in depth.
	@.venv/bin/python -m pytest -n auto tests/test_families.py --deep

docs: set-up ## Write the pages that follow from the code: families, variants, commands, keys, papers.
	@.venv/bin/python tools/make_docs.py

audit: set-up ## Try to break every family's verifier; the figures go to docs/audit/, by category.
	@.venv/bin/puzzlemill audit --json docs/audit

truth: set-up ## Look for disagreements on 100,000 items a family; hours, and it may be interrupted.
	@.venv/bin/python benchmarks/truth.py --seconds 86400

giveaways: set-up ## Learn to tell claims and options apart without the problem; hours, and it may be interrupted.
	@.venv/bin/python benchmarks/giveaways.py --seconds 86400
	@$(MAKE) docs

splits: set-up ## Look for a puzzle in two splits, in all families; half an hour, and it may be interrupted.
	@.venv/bin/python benchmarks/splits.py --variants 6

fuzz: set-up ## Fuzz extraction and every answer kind for half an hour.
	@.venv/bin/python -m pip install --quiet atheris
	@.venv/bin/python tools/fuzz.py builds/fuzz -max_total_time=1800 -max_len=600

bench: set-up ## Measure how fast items are made, beside Reasoning Gym in the same process.
	@[ -x .venv-peers/bin/python ] || .venv/bin/python -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet -e . reasoning-gym==0.1.25
	@.venv-peers/bin/python benchmarks/generation.py

resume: set-up ## Kill training runs of every setting, go on, and compare them with undisturbed ones.
	@.venv/bin/python -m pytest -W ignore tests/real/resume.py

distributed: set-up ## Train with every setting in two processes, and compare with one.
	@.venv/bin/python -m pytest -W ignore tests/real/distributed.py
	@.venv/bin/python -m pytest tests/test_together.py --deep

methods: set-up ## Measure advantages, ratios and shapings over seeds; hours, and it may be interrupted.
	@nice .venv/bin/python benchmarks/trainer/methods.py
	@.venv/bin/python benchmarks/trainer/methods_plot.py

learning: set-up ## Train small students on few and many families; hours, and it may be interrupted.
	@nice .venv/bin/python -m benchmarks.learning.run
	@nice .venv/bin/python -m benchmarks.learning.bundled
	@.venv/bin/python -m benchmarks.learning.summary
	@.venv/bin/python -m benchmarks.learning.plots
	@.venv/bin/python -m benchmarks.learning.gains_plot

learning-gym: set-up ## Train a student on Reasoning Gym's items and on ours; it may be interrupted.
	@[ -x .venv-peers/bin/python ] || .venv/bin/python -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet reasoning-gym==0.1.25
	@.venv-peers/bin/python benchmarks/learning/gym_items.py builds/learning/gym.json
	@nice .venv/bin/python -m benchmarks.learning.beside_gym
	@.venv/bin/python -m benchmarks.learning.summary

learning-rl: set-up ## Warm a larger student, and train it by RL on few and many families: for a GPU.
	@$(or $(PYTHON),.venv/bin/python) -m benchmarks.learning.reinforce --size 30m --warm 10000 --tokens 65536 \
		--processes 6 --device cuda --jobs 4 --steps 30 --prompts 64 --rate 2e-4 --minutes 9 \
		--only breadth imitation wrong difficulty

learning-pretrained: set-up ## Train SmolLM2 of 135M weights by RL on 1, 4 and 16 families: for a GPU (eight hours with DEVICE=cpu).
	@[ -d builds/smollm2 ] || .venv/bin/python -m benchmarks.learning.smollm2 builds/smollm2
	@nice .venv/bin/python -m benchmarks.learning.pretrained builds/smollm2 --device $(or $(DEVICE),cuda)

gpu: ## Try and measure engine and trainer on a GPU, in pieces of minutes; it may be interrupted (PYTHON=python3, AGAIN=--again).
	@PYTHONPATH=. $(or $(PYTHON),python3) -m pytest --noconftest -W ignore -p no:xdist tests/real/gpu.py
	@PYTHONPATH=. $(or $(PYTHON),python3) benchmarks/gpu/run.py --device cuda $(AGAIN)
	@$(or $(PYTHON),python3) benchmarks/gpu/plot.py

chaos: set-up ## Kill builds at random moments, fifty rounds, and compare them with undisturbed ones.
	@.venv/bin/python benchmarks/pipeline/chaos.py

schedule: set-up ## Start a Prefect server and worker, and wait for a scheduled build to run.
	@.venv/bin/python -m pytest -W ignore tests/real/schedule.py
	@.venv/bin/python -m pytest tests/test_flows.py --deep

vllm: set-up ## Test the vLLM and endpoint policies against the real engine, on a CPU.
	@tools/set-up-vllm.sh
	@.venv-vllm/bin/python -m pytest -W ignore tests/real/decode_kernel.py
	@.venv-vllm/bin/python -m pytest -W ignore -s tests/real/vllm_on_cpu.py
	@.venv-vllm/bin/python -m pytest -W ignore -s tests/real/vllm_placement.py

models: set-up ## Hold many architectures against transformers, on a CPU.
	@.venv/bin/python -m pytest -W ignore tests/real/models.py

loaders: ## Test exports and losses beside the real trainers, and two GRPO steps, on a CPU.
	@tools/set-up-loaders.sh
	@.venv-loaders/bin/python -m pytest -W ignore tests/real/loaders.py tests/real/losses.py tests/real/adapters_env.py
	@.venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_rl.py tests/real/adapters_verifiers.py
	@.venv-loaders/bin/python -m pytest -W ignore tests/real/adapters_page.py tests/real/served_build.py

doors: ## Test the server with the clients of its protocols.
	@tools/set-up-doors.sh
	@.venv-doors/bin/python -m pytest -W ignore tests/real/doors.py tests/real/every_door.py

harnesses: ## Test every family in inspect_ai and lm-eval, a Hub benchmark, and lighteval.
	@tools/set-up-harnesses.sh
	@.venv-harnesses/bin/pytest -W ignore -o pythonpath= tests/real/harnesses.py

gyms: ## Test exported folders with Harbor, NeMo Gym and OpenEnv (PYTHON=python3.12).
	@tools/set-up-gyms.sh
	@.venv-gyms/bin/python -m pytest -W ignore tests/real/folders.py tests/real/nemo_gym_agents.py

site: set-up ## Make the site: docs/ and a gallery of all families, in builds/site; tried in Chromium (CHROMIUM=FILE).
	@tools/set-up-site.sh
	@.venv/bin/python tools/make_gallery.py
	@NO_MKDOCS_2_WARNING=1 .venv-site/bin/mkdocs build --quiet --strict
	@.venv-site/bin/python -m pytest -W ignore tests/real/documents.py

examples: set-up ## Run the examples and the notebooks of examples/.
	@.venv/bin/python -m pytest -W ignore tests/real/examples.py

browser: set-up ## Test the viewer and the report in Chromium (CHROMIUM=/usr/bin/chromium).
	@.venv/bin/python -m pip install --quiet playwright
	@.venv/bin/python -m pytest -W ignore tests/real/browser.py

scale: ## Test builds in a Ray cluster of two nodes, and in an S3-compatible store, on this machine.
	@tools/set-up-scale.sh
	@.venv-scale/bin/python -m pytest -W ignore tests/real/ray_cluster.py tests/real/s3_store.py

pipeline: set-up ## Build 10,000, 100,000 and a million items, and measure; an hour, and it may be interrupted.
	@.venv/bin/python benchmarks/pipeline/run.py

papers: set-up ## Run the recipes of recipes/papers, and say how long each takes.
	@.venv/bin/python tools/run_papers.py

pictures: ## Test the way of pictures with a small model that sees: endpoint, build, TRL, verl.
	@tools/set-up-loaders.sh
	@.venv-loaders/bin/python -m pytest -W ignore -s tests/real/pictures.py

clean: ## Remove what was built.
	@rm -rf builds build dist .prefect .mypy_cache .ruff_cache .pytest_cache
