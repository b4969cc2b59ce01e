"""The script for the first run on a GPU, on a CPU with a small model."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest
import torch

from benchmarks.gpu import plot, run
from puzzlemill.trainer.execution_plan import read_rates


def test_every_piece_is_measured_once_and_its_rates_make_a_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device = torch.device("cpu")
    for done in ("generate", "kernels"):
        (tmp_path / f"{done}.json").write_text('{"tokens_a_second": 1.0}\n')  # before
    run.measured(device, tiny=True, out=tmp_path)
    found = {file.stem: json.loads(file.read_text()) for file in tmp_path.glob("*.json")}
    assert found.keys() == {*run.NAMES, "rates"}
    assert found["generate"] == {"tokens_a_second": 1.0}, "not done again"
    assert "generate.json is there: --again measures it anew" in capsys.readouterr().out
    assert 0 < found["agreement"]["mean"] < found["agreement"]["largest"] < 0.1
    assert found["sharded"]["gradient_apart"] < 1e-5
    rates = read_rates(tmp_path / "rates.json")
    assert rates.sampled_tokens_a_second == found["sampling"]["tokens_a_second"]
    assert rates.learned_tokens_a_second == found["learning"]["tokens_a_second"]


def test_a_plot_has_a_bar_for_each_measurement_and_none_for_what_is_missing(
    tmp_path: Path,
) -> None:
    figures = {
        "sampling": {"tokens_a_second": 200.0, "ending": {"tokens_a_second": 50.0}},
        "learning": {"tokens_a_second": 3.0, "peak_bytes": 2e9},
        "kernels": {"a < b": 1.0},
    }
    panels = plot.bars(figures)
    sampled, learned, memory = panels.values()
    assert [each.value for each in sampled] == [200.0, 50.0]
    assert [each.value for each in learned] == [3.0]
    assert [(each.value, each.text) for each in memory] == [(2.0, "2.0")]
    drawn = plot.drawn(panels, "A & B")
    widths = re.findall(r'<rect x="250" y="\d+" width="([\d.]+)"', drawn)
    assert widths == ["360.0", "90.0", "360.0", "360.0"], (
        "a quarter of the tokens, a quarter of the bar"
    )
    parse(io.StringIO(drawn))  # it is XML


def test_the_committed_plot_is_of_the_committed_figures(tmp_path: Path) -> None:
    there = tmp_path / "gpu.svg"
    subprocess.run([sys.executable, plot.__file__, "--to", there], check=True)
    assert there.read_text() == (Path(__file__).parents[1] / "docs" / "gpu.svg").read_text()


def test_figures_of_two_devices_make_no_plot(tmp_path: Path) -> None:
    for name in ("sampling", "learning"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"device": name}))
    command = [sys.executable, plot.__file__, "--from", tmp_path, "--to", tmp_path / "x.svg"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "figures of 2 devices (learning, sampling)" in done.stderr
