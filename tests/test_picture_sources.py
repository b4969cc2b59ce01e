"""Where pictures come from: kinds that are drawn, and a user's own, told on every item."""

import hashlib
import io
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
from PIL import Image

import puzzlemill as pm
from puzzlemill.core.errors import NoPuzzle, UserError
from puzzlemill.core.item import Item
from puzzlemill.generators.visual import _sources
from puzzlemill.generators.visual._clips import FRAME
from puzzlemill.generators.visual._picture import corner

PIXELS = {
    "painting": "7860953a5bf2cf57",
    "texture": "14b1ef235232eaad",
    "terrain": "353a99cedf710203",
    "fractal": "904a7b5b62d8f2dd",
    "countries": "6bad9ec1c422b304",
    "glyphs": "fb98dcc9e4cbbf6a",
    "chart": "17a7094353830fdf",
    "scene": "89263d18d4e36b36",
}


def photograph(seed: int) -> Image.Image:
    """A picture in full colour, wider than high."""
    made = Image.fromarray(_sources.KINDS["painting"](Random(seed), 300).colours.astype(np.uint8))
    return made.resize((400, 300))


def bytes_of(picture: Image.Image, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    picture.save(file, kind)
    return file.getvalue()


def asked(source: Path | str, count: int = 3) -> list[Item]:
    knobs = {"source": str(source), "columns": 3}
    return list(pm.generate("jigsaw_grid", level=0, n=count, knobs=knobs))


def test_every_kind_draws_the_same_pixels_for_good() -> None:
    seen = {}
    for name, kind in _sources.KINDS.items():
        made = kind(Random(5), 60)
        assert made.pixels.shape == (60, 60)
        assert made.pixels.max() < len(made.palette) <= 256
        text = made.pixels.tobytes() + repr(made.palette).encode()
        seen[name] = hashlib.sha256(text).hexdigest()[:16]
    assert seen == PIXELS


def test_a_folder_of_photographs_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "cats").mkdir()
    cats = [f"cats/{seed}.png" for seed in range(3)]
    for seed, cat in enumerate(cats):
        photograph(seed).save(tmp_path / cat)
    photograph(9).save(tmp_path / "dog.jpg")
    (tmp_path / "LICENSE").write_text("\nCC-BY-4.0\nmore\n")
    (tmp_path / "notes.txt").write_text("not a picture")
    items = asked(tmp_path, 6)
    assert {item.puzzle.licence for item in items} == {"CC-BY-4.0"}
    names = {item.puzzle.source for item in items}
    assert all("@" in name and "#" in name for name in names)
    assert {name.partition("#")[2] for name in names} <= {*cats, "dog.jpg"}
    sealed = items[0].puzzle.source.partition("#")[0]
    assert asked(sealed, 6) == items


def test_a_dataset_s_column_of_images_is_a_source(tmp_path: Path) -> None:
    images = [{"bytes": bytes_of(photograph(seed)), "path": None} for seed in range(4)]
    table = pa.table({"text": ["x"] * 4, "image": images, "license": ["CC0"] * 4})
    pq.write_table(table, tmp_path / "train.parquet")
    with pa.ipc.new_stream(str(tmp_path / "train.arrow"), table.schema) as writer:
        writer.write_table(table)
    for path in (tmp_path / "train.parquet", tmp_path / "train.arrow", tmp_path):
        item = asked(path)[0]
        assert item.certificate
        assert item.puzzle.licence == "CC0"
        assert item.puzzle.source.startswith(f"{path}@")
        assert item.puzzle.source[-2] == ":"


def test_pictures_that_have_changed_are_not_taken_for_the_old_ones(tmp_path: Path) -> None:
    for copy in range(4):  # one alone might be of another split, by where the folder lies
        photograph(0).save(tmp_path / f"{copy}.png")
    source = asked(tmp_path, 1)[0].puzzle.source.partition("#")[0]
    photograph(1).save(tmp_path / "b.png")
    with pytest.raises(UserError, match="bring the old ones back"):
        asked(source)


def test_all_parts_of_a_photograph_are_in_one_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the split of a photograph follows from its folder's name
    (tmp_path / "photographs").mkdir()
    for seed in range(60):
        photograph(seed).save(tmp_path / "photographs" / f"{seed}.png")
    seen = []
    for split in ("train", "test"):
        knobs = {"source": "photographs", "columns": 3}
        items = pm.generate("jigsaw_grid", level=0, n=12, split=split, knobs=knobs)
        seen.append({item.puzzle.source for item in items})
    assert not seen[0] & seen[1]


def test_odd_photographs_are_read(tmp_path: Path) -> None:
    picture = photograph(3)
    odd = {
        "grey.png": picture.convert("L"),
        "clear.png": picture.convert("RGBA"),
        "few.gif": picture.quantize(40),
        "small.png": picture.resize((90, 70)),
        "ink.jpg": picture.convert("CMYK"),
    }
    for name, made in odd.items():
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        for copy in range(4):  # one alone might be of another split
            made.save(folder / f"{copy}{name}")
        assert asked(folder, 1)[0].certificate, name


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken.png", b"\x89PNG no", "broken.png: cannot be read as a picture"),
        ("tiny.png", bytes_of(Image.new("RGB", (20, 20))), "smaller than 64 pixels"),
        ("notes.txt", b"hello", "holds no pictures"),
        ("table.parquet", b"PAR1", "cannot be read"),
        ("table.arrow", b"no", "cannot be read"),
    ],
)
def test_what_is_no_picture_is_told(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=said):
        asked(tmp_path)


def test_a_table_without_pictures_is_told(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(UserError, match="no column of pictures"):
        asked(tmp_path / "a.parquet")
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    column = pa.array([{"bytes": None, "path": "x.png"}], type=image)
    pq.write_table(pa.table({"image": column}), tmp_path / "b.parquet")
    with pytest.raises(UserError, match="holds no bytes"):
        asked(tmp_path / "b.parquet")


def test_a_misspelt_kind_is_told() -> None:
    with pytest.raises(UserError, match=r"no folder or file of pictures 'paintng'.*painting"):
        asked("paintng")


def film(folder: Path, count: int, seed: int = 0) -> None:
    """Frames of a slow pan over a picture, numbered without leading zeros."""
    folder.mkdir(parents=True)
    whole = photograph(seed)
    for place in range(count):
        whole.crop((place * 6, 0, place * 6 + 220, 220)).save(folder / f"frame{place}.png")


def test_a_folder_of_clips_is_put_in_order(tmp_path: Path) -> None:
    for seed in range(6):
        film(tmp_path / f"clip{seed}", 14, seed)
    (tmp_path / "LICENSE").write_text("CC0")
    knobs = {"motion": str(tmp_path), "frames": 5, "haste": 20}
    items = list(pm.generate("video_order", level=0, n=4, knobs=knobs))
    for item in items:
        assert item.certificate
        clip = item.puzzle.motion.partition("#")[2]
        assert item.puzzle.licence == "CC0"
        page = np.array(Image.open(io.BytesIO(item.images[0])).convert("RGB"), dtype=int)
        first, step = item.puzzle.plan
        for time, number in enumerate(map(int, item.answer.split(", "))):
            top, left = corner(number - 1, 4, FRAME, FRAME)
            shown = page[top : top + FRAME, left : left + FRAME]
            true = Image.open(tmp_path / clip / f"frame{first + step * time}.png").convert("RGB")
            assert np.abs(shown - np.array(true.resize((FRAME, FRAME)), dtype=int)).mean() < 12
    film(tmp_path / "short" / "deep", 3)
    short = {"motion": str(tmp_path / "short"), "frames": 9}
    with pytest.raises(UserError, match="holds 9 frames"):
        list(pm.generate("video_order", n=1, knobs=short))


def test_a_clip_that_stands_still_is_no_question(tmp_path: Path) -> None:
    for seed in range(4):
        folder = tmp_path / f"still{seed}"
        folder.mkdir()
        for place in range(6):
            photograph(seed).resize((160, 120)).save(folder / f"{place}.png")
    with pytest.raises(NoPuzzle):
        list(pm.generate("video_order", level=0, n=1, knobs={"motion": str(tmp_path)}))
