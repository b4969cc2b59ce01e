"""Draws what `make gpu` measured on a device, as docs/gpu.svg: sampling, learning and memory.

    python benchmarks/gpu/plot.py [--from benchmarks/gpu/cuda] [--to docs/gpu.svg]

Standard library alone, since it runs where the GPU is. A bar is one measurement; a piece that is
not there has none.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
INK, GREY, OURS, OTHERS = "#1d1d1f", "#6b6b70", "#0072b2", "#d55e00"
LEFT, WIDE, RIGHT, ROW, TOP, GAP = 250, 360, 90, 22, 44, 34  # pixels


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    value: float
    text: str
    colour: str = OURS


def bars(figures: dict[str, Any]) -> dict[str, list[Bar]]:
    """By panel, what was measured."""
    rates = [
        ("512 replies of 256 tokens", "sampling tokens_a_second", OURS),
        ("the same without graphs", "sampling without_graphs", OURS),
        ("the same, transformers.generate", "generate tokens_a_second", OTHERS),
        ("2,048 replies of 256 tokens", "sampling four_times_the_prompts", OURS),
        ("2,048 that end by chance", "sampling ending tokens_a_second", OURS),
    ]
    learned = [
        ("8 replies of 512 tokens", "learning without_recompute"),
        ("the same, activations recomputed", "learning"),
        ("recomputed, FSDP2 with one rank", "sharded"),
        ("recomputed, LoRA of rank 16", "adapters"),
        ("2 replies of 7,000 tokens, recomputed", "long_replies"),
    ]
    return {
        "Sampling, tokens a second": [
            Bar(name, value, f"{value:,.0f}", colour)
            for name, key, colour in rates
            if (value := at(figures, key)) is not None
        ],
        "Forward and backward, tokens a second": [
            Bar(name, value, f"{value:,.0f}")
            for name, key in learned
            if (value := at(figures, f"{key} tokens_a_second")) is not None
        ],
        "Memory of that, at most, GB": [
            Bar(name, value / 1e9, f"{value / 1e9:.1f}")
            for name, key in learned
            if (value := at(figures, f"{key} peak_bytes")) is not None
        ],
    }


def at(figures: dict[str, Any], key: str) -> float | None:
    """The number under a piece's name and keys inside of it."""
    found: Any = figures
    for part in key.split():
        found = found.get(part) if isinstance(found, dict) else None
    return None if found is None else float(found)


def drawn(panels: Mapping[str, Sequence[Bar]], device: str) -> str:
    inside, top = [*text(12, 22, f"{device}, Qwen2.5-0.5B's shape, bfloat16", INK, bold=True)], TOP
    for title, some in panels.items():
        if not some:
            continue
        inside += text(12, top + 14, title, INK, bold=True)
        top += ROW
        most = max(each.value for each in some)
        for each in some:
            long = max(WIDE * each.value / most, 1.0)
            inside += text(LEFT - 8, top + 15, each.name, GREY, "end")
            inside.append(
                f'<rect x="{LEFT}" y="{top + 3}" width="{long:.1f}" height="{ROW - 6}"'
                f' fill="{each.colour}"/>'
            )
            inside += text(LEFT + long + 6, top + 15, each.text, INK)
            top += ROW
        top += GAP - ROW
    body = "\n".join(inside)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + RIGHT} {top}"'
        ' font-family="system-ui, sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
    )


def text(
    x: float, y: float, said: str, colour: str, anchor: str = "start", bold: bool = False
) -> Iterator[str]:
    weight = ' font-weight="600"' if bold else ""
    yield (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{escape(said)}</text>"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--from", dest="source", type=Path, default=HERE / "cuda")
    parser.add_argument("--to", type=Path, default=HERE.parents[1] / "docs" / "gpu.svg")
    options = parser.parse_args()
    figures = {
        file.stem: json.loads(file.read_text()) for file in sorted(options.source.glob("*.json"))
    }
    devices = sorted({each["device"] for each in figures.values() if "device" in each})
    if len(devices) != 1:
        parser.error(
            f"{options.source}: figures of {len(devices)} devices ({', '.join(devices)}): measure"
            " all pieces on one, with --again"
        )
    options.to.write_text(drawn(bars(figures), devices[0]))


if __name__ == "__main__":
    main()
