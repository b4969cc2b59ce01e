"""What comes from elsewhere is refused in one line; it neither runs, nor leads away, nor grows."""

import json
import os
import pickle
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puzzlemill import pipelines
from puzzlemill.__main__ import main
from puzzlemill.core.errors import UserError
from puzzlemill.core.rows import SCHEMA
from puzzlemill.core.storage.files import checksum, read_json
from puzzlemill.core.storage.image_files import chosen
from puzzlemill.core.storage.image_files import sealed as pictures_at
from puzzlemill.core.storage.parquet import read_table, write_table
from puzzlemill.difficulty.policies import checkpoint
from puzzlemill.filters._evaluation import rows_in
from puzzlemill.outputs import hub_upload
from puzzlemill.outputs.finished_build import scored_rows
from puzzlemill.pipelines.recipe import read_recipe
from puzzlemill.pipelines.rescore import rescore_recipe

HEAD = 'name = "x"\n'
MAKE = '[[make]]\nfamilies = ["sums"]\ncount = 2\n'
NONE = '[policy]\nkind = "none"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "../../etc/x"\n' + MAKE, "becomes a folder"),
        ('name = "/etc/x"\n' + MAKE, "becomes a folder"),
        ('name = "x\\n"\n' + MAKE, "becomes a folder"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a = " + "{a = " * 3000 + "1" + "}" * 3000, "nested too deeply"),
        ("seed = " + "9" * 5000 + "\n" + HEAD + MAKE, "not TOML"),
        (f"seed = {2**63}\n" + HEAD + MAKE, "does not fit into 64 bits"),
        (HEAD + MAKE + f"seed = {2**63}\n", "does not fit into 64 bits"),
        (HEAD + MAKE + f"indices = [{2**70}]\n", "does not fit into 64 bits"),
        (HEAD + MAKE + "indices = [-1]\n", "place -1 is outside 0.."),
        (HEAD + MAKE + f"levels = [{', '.join(['0.5'] * 1001)}]\n", "levels holds 1001 numbers"),
        (HEAD + MAKE + "[score]\nbudget = inf\n", "score.budget is a finite number"),
        (HEAD + '[[make]]\nfamilies = ["gcd' + "+claim" * 300 + '"]\n', "has a claim"),
        ("#" * 1_000_001, "is it a recipe"),
        ("a" + ".a" * 100_000 + " = 1", "nested too deeply: a key has more than 32 parts"),
        ("[" + "a." * 100_000 + "a]", "nested too deeply: a key has more than 32 parts"),
        ("x = {" + ("a . " * 99 + "a = 1, ") * 9 + "}", "a key has more than 32 parts"),
    ],
)
def test_a_hostile_recipe_is_refused(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=told):
        read_recipe(path)


KEY = "sk-REALKEY0123456789"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"[policy]\nkey_variable = '{KEY}'\n", "names an environment variable, such as MY_KEY"),
        ("[policy]\nkey_variable = 'hf_REALKEYabcdefghij0123456789'\n", "names an environment"),
        ("[policy]\nkey_variable = 'REALKEY0123456789abcdef'\n", "names an environment variable"),
        ("[policy]\nkey_variable = '0_REALKEY'\n", "names an environment variable"),
        ("[policy]\nkey_variable = 'MY REALKEY'\n", "names an environment variable"),
        (f"[policy]\nkey_variable = ['{KEY}']\n", "names an environment variable"),
        (f"[policy]\nurl = 'https://me:{KEY}@host/v1'\n", "holds more than an address"),
        (f"[policy]\nurl = 'https://{KEY}@host/v1'\n", "holds more than an address"),
        (f"[policy]\nurl = 'https://host/v1?api_key={KEY}'\n", "holds more than an address"),
        (f"[policy]\nurl = ['http://host/v1', 'http://host/v1#{KEY}']\n", "more than an address"),
        (f"[policy]\nurl = '{KEY}'\n", "looks like http"),
        (f"[policy]\nurl = {{key = '{KEY}'}}\n", "looks like http"),
        (f"[train]\nserver = 'http://me:{KEY}@host/v1'\n", "holds more than an address"),
    ],
)
def test_a_key_in_a_recipe_is_refused_before_anything_is_written(
    text: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(HEAD + MAKE + text)
    with pytest.raises(UserError, match=told) as refused:
        pipelines.build(path, tmp_path)
    assert str(refused.value).startswith(f"{path}:6: ")
    assert "REALKEY" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [path]


def test_a_password_in_the_address_of_a_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f'{HEAD}store = "s3://me:{KEY}@bucket/builds"\n{MAKE}')
    with pytest.raises(UserError, match="store holds a password") as refused:
        pipelines.build(path, tmp_path)
    assert KEY not in str(refused.value)
    path.write_text(f'{HEAD}store = "sftp://me@host/builds"\n{MAKE}')
    assert read_recipe(path).store


@pytest.mark.parametrize("name", ["MY_KEY", "_", "openai_key_2_of_my_team", "K8S_TOKEN"])
def test_a_name_of_a_variable_is_taken(name: str, tmp_path: Path) -> None:
    policy = "[policy]\nkind = 'endpoint'\nmodel = 'm'\nurl = 'http://localhost:1/v1'\n"
    policy += f"key_variable = '{name}'\n"
    (tmp_path / "x.toml").write_text(f"{HEAD}{MAKE}{policy}")
    assert read_recipe(tmp_path / "x.toml").policy.key_variable == name


def test_what_a_terminal_would_obey_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pq.write_table(pa.table({"\x1b]0;owned\x07": ["a"]}), tmp_path / "set.parquet")
    against = f"[decontaminate]\nagainst = ['{tmp_path / 'set.parquet'}']\n"
    (tmp_path / "x.toml").write_text(HEAD + MAKE + NONE + against)
    told = run_here(["build", "x.toml", "--plain"], tmp_path, monkeypatch, capsys)
    assert "name the one of its prompts" in told
    assert "\\x1b]0;owned\\x07" in told
    assert not {"\x1b", "\x07"} & set(told)


def run_here(
    arguments: list[str],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What a command that fails says."""
    monkeypatch.chdir(place)
    monkeypatch.setattr("sys.argv", ["puzzlemill", *arguments])
    monkeypatch.setattr("signal.signal", lambda *_: None)  # the handlers are the test run's own
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "x.toml").write_text(HEAD + MAKE + NONE)
    return pipelines.build(folder / "x.toml", folder)


@pytest.fixture
def build(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "x"))


def rewritten(build: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = read_json(build / "manifest.json")
    change(manifest)
    (build / "manifest.json").write_text(json.dumps(manifest))


def test_a_manifest_cannot_name_files_outside_its_dataset(build: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    entry = {"sha256": checksum(secret), "rows": 1}
    rewritten(build, lambda manifest: manifest["files"].update({"../../secret.txt": entry}))
    with pytest.raises(UserError, match="the name of a file of a dataset"):
        hub_upload.parcel(build, "me/it")


def test_a_dataset_cannot_lead_elsewhere_by_a_link(build: Path, tmp_path: Path) -> None:
    (path,) = (build / "dataset" / "data").glob("*.parquet")
    path.rename(tmp_path / "elsewhere.parquet")
    path.symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(UserError, match="no file of a dataset"):
        hub_upload.parcel(build, "me/it")


def test_an_earlier_build_of_other_columns_or_torn_json_is_refused(
    build: Path, tmp_path: Path
) -> None:
    (path,) = (build / "dataset" / "data").glob("*.parquet")
    rows = read_table(path)
    again = tmp_path / "again.toml"
    again.write_text(f'name = "again"\nparent = "{build}"\n[policy]\nkind = "tiny"\n')
    nested = "[" * 5000 + "]" * 5000
    history = pa.array([nested] * len(rows), SCHEMA.field("history").type)
    for columns, told in (
        (rows.drop_columns(["canon"]), "not the columns of a build"),
        (
            rows.set_column(SCHEMA.get_field_index("history"), SCHEMA.field("history"), history),
            "history is no list of scores",
        ),
    ):
        write_table(path, columns)
        with pytest.raises(UserError, match="not the bytes that the manifest names"):
            pipelines.build(again, tmp_path)
        name = str(path.relative_to(build / "dataset"))
        sealed = {"rows": len(rows), "sha256": checksum(path)}
        rewritten(build, lambda manifest: manifest["files"].update({name: sealed}))  # noqa: B023
        with pytest.raises(UserError, match=told):
            pipelines.build(again, tmp_path)
    write_table(path, pa.table({"x": [1]}))
    with pytest.raises(UserError, match="not the bytes"):
        scored_rows(build)
    (build / "recipe.json").write_text(nested)
    with pytest.raises(UserError, match=r"recipe\.json: not JSON"):
        rescore_recipe(build, None)


def test_puzzles_in_an_evaluation_set_can_neither_hang_nor_break_a_build(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    puzzles = (
        "[" * 4000 + "]" * 4000,
        '{"terms":' + "[" * 4000 + "]" * 4000 + "}",
        '{"terms": [1e999]}',
        '{"nodes": 100000000}',
        "null",
    )
    rows = [
        {"prompt": "?", "family": family, "puzzle": puzzle}
        for family in ("sums", "chromatic_number", "sudoku", "nowhere")
        for puzzle in puzzles
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [asked.canon for asked in rows_in(path, "")] == [""] * len(rows)
    path.write_text("[" * 100_000)
    with pytest.raises(UserError, match="not a JSON object"):
        list(rows_in(path, ""))


def mutated(whole: bytes, count: int) -> Iterator[bytes]:
    from random import Random

    chance = Random(1)
    for _ in range(count):
        held = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            held[chance.randrange(len(held))] = chance.randrange(256)
        yield bytes(held[: len(held) - chance.choice((0, 0, 1, 9, len(held) // 2))])


def test_damaged_parquet_files_from_elsewhere_are_told_or_read(tmp_path: Path) -> None:
    path = tmp_path / "set.parquet"
    table = pa.table({"prompt": [f"What is {n}?" for n in range(40)], "image": [b"x" * 9] * 40})
    pq.write_table(table, path)
    whole, refused = path.read_bytes(), 0
    for held in mutated(whole, 60):
        path.write_bytes(held)
        try:
            for _ in rows_in(path, ""):
                pass
        except UserError:
            refused += 1
    assert refused > 20
    path.write_bytes(b"PAR1" + b"\xff" * 64 + b"PAR1")
    with pytest.raises(UserError, match="cannot be read"):
        chosen(__import__("random").Random(0), pictures_at(str(path)))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    source = Path(str(files("puzzlemill.difficulty.policies") / "tiny"))
    return Path(shutil.copytree(source, tmp_path / "model"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 10**9),
        ("hidden_size", 10**12),
        ("vocab_size", 10**15),
        ("head_dim", -1),
        ("intermediate_size", "8"),
        ("num_attention_heads", 0),
        ("num_key_value_heads", 2.5),
        ("dtype", "__class__"),
    ],
)
def test_a_checkpoint_of_absurd_size_is_refused_before_memory_is_taken(
    key: str, value: Any, model: Path
) -> None:
    config = read_json(model / "config.json") | {key: value}
    (model / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"config\.json: .*(whole number|unknown dtype)"):
        checkpoint.load(model)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model_type", ["qwen2"]),
        ("model_type", {"qwen2": 1}),
        ("rope_scaling", "linear"),
        ("rope_parameters", [1]),
        ("rope_parameters", {"rope_type": "linear", "factor": 0, "rope_theta": 1e4}),
        ("rope_parameters", {"rope_type": "linear", "factor": "8"}),
        ("rope_parameters", {"rope_type": ["linear"]}),
        ("rope_parameters", {"rope_type": "llama3", "original_max_position_embeddings": 1e9}),
        ("rope_theta", "abc"),
        ("rope_theta", float("nan")),
        ("rope_theta", 10**400),
        ("rms_norm_eps", float("nan")),
        ("rms_norm_eps", "1e-6"),
        ("rms_norm_eps", -1),
        ("rms_norm_eps", None),
        ("num_attention_heads", 4096),
        ("max_position_embeddings", True),
        ("quantization_config", [[[]]] * 2),
        ("dtype", ["float32"]),
    ],
)
def test_a_checkpoint_s_config_of_another_shape_is_told_in_one_line(
    key: str, value: Any, model: Path
) -> None:
    config = read_json(model / "config.json") | {key: value}
    (model / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"model(/config\.json)?: ") as told:
        checkpoint.load(model)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "index",
    [[], {}, {"weight_map": []}, {"weight_map": {"a": 1}}, {"weight_map": {"a": ["b"]}}, "x"],
)
def test_an_index_of_weights_of_another_shape_is_told_in_one_line(index: Any, model: Path) -> None:
    (model / "model.safetensors").unlink()
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(UserError, match=r"model\.safetensors\.index\.json: "):
        checkpoint.load(model)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(float("nan"), None), (float("inf"), None), (-float("inf"), "bfloat16"), (1e5, "float16")],
)
def test_weights_that_are_not_finite_are_refused(
    value: float, dtype: str | None, model: Path
) -> None:
    from safetensors.torch import load_file

    weights = load_file(model / "model.safetensors")
    name = max(weights, key=lambda each: weights[each].numel())
    weights[name] = weights[name].float()
    weights[name].view(-1)[-1] = value
    checkpoint.save_weights(weights, model)
    with pytest.raises(UserError, match=rf"model\.safetensors: the weight {name} holds NaN or inf"):
        checkpoint.load(model, dtype)


@pytest.mark.parametrize("ends", ["</s>", {"a": 1}, [1, "2"], -1])
def test_tokens_that_end_a_reply_are_numbers(ends: Any, model: Path) -> None:
    from puzzlemill.difficulty.policies.tokens import Tokens

    (model / "generation_config.json").write_text(json.dumps({"eos_token_id": ends}))
    with pytest.raises(UserError, match=r"generation_config\.json: eos_token_id"):
        Tokens.load(model)


def test_sizes_that_the_weights_do_not_have_are_refused(model: Path) -> None:
    config = read_json(model / "config.json") | {"hidden_size": 1 << 17, "vocab_size": 1 << 23}
    (model / "config.json").write_text(json.dumps(config))  # 4 TiB, were it made
    with pytest.raises(UserError, match=r"the weight .* config\.json says"):
        checkpoint.load(model)


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


def test_a_pickle_is_never_opened(model: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").unlink()
    (model / "pytorch_model.bin").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(UserError, match="is a pickle"):
        checkpoint.load(model)
    shutil.copy(model / "pytorch_model.bin", model / "model.safetensors")  # under a better name
    with pytest.raises(UserError, match="cannot be read"):
        checkpoint.load(model)
    assert not (tmp_path / "sprung").exists()


def test_an_index_of_weights_cannot_lead_elsewhere(model: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").rename(tmp_path / "other.safetensors")
    index = {"weight_map": {"a": "../other.safetensors"}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(UserError, match="is a file beside it"):
        checkpoint.load(model)


def test_an_endpoints_key_is_in_no_file_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, seen = "sk-very-secret-0123456789", []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(self.headers["Authorization"])
            choice = {"finish_reason": "stop", "message": {"content": f"<answer>{key}</answer>"}}
            told = json.dumps({"choices": [choice] * asked["n"]}).encode()
            self.send_response(200 if len(seen) < 8 else 401)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setenv("MY_KEY", key)
    monkeypatch.setenv("no_proxy", "*")
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        (tmp_path / "x.toml").write_text(
            HEAD + MAKE + "[policy]\nkind = 'endpoint'\nmodel = 'm'\nkey_variable = 'MY_KEY'\n"
            f"url = 'http://127.0.0.1:{server.server_port}/v1'\n[score]\nmost = 8\nprobe = 9\n"
        )
        with pytest.raises(UserError, match="MY_KEY") as told:
            pipelines.build(tmp_path / "x.toml", tmp_path)
        server.shutdown()
    assert f"Bearer {key}" in seen
    assert key not in str(told.value)
    written = [path for path in (tmp_path / "x").rglob("*") if path.is_file()]
    assert any(path.name == "log.jsonl" for path in written)
    assert not [path for path in written if key.encode() in path.read_bytes()]
