"""What people get wrong at the command line is told in one line, with the word that helps."""

import errno
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlemill import pipelines
from puzzlemill.__main__ import main
from puzzlemill.commands._terminal import until_interrupted
from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import alone_in, whole, whole_folder
from puzzlemill.difficulty.policies.loading import load_policy
from puzzlemill.pipelines.progress import progress
from puzzlemill.pipelines.shards import Done

ROOT = Path(__file__).parent.parent
NAME = 'name = "x"\n'
MAKE = '[[make]]\nfamilies = ["sums"]\ncount = 2\n'
NONE = '[policy]\nkind = "none"\n'
GOOD = NAME + MAKE + NONE
ENDPOINT = NAME + MAKE + '[policy]\nkind = "endpoint"\nmodel = "m"\n'

Ran = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ran:
    """Runs a command in an empty folder: its exit code, and what it says."""

    def ran(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["puzzlemill", *arguments])
        monkeypatch.setattr("signal.signal", lambda *_: None)  # the handlers are the test run's own
        monkeypatch.setattr("sys.excepthook", sys.excepthook)
        monkeypatch.setattr("warnings.formatwarning", lambda *_: "")
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = capsys.readouterr()
        return code, said.err or said.out

    return ran


def one_line(told: tuple[int, str], *words: str) -> None:
    code, text = told
    assert code == 1, text
    assert text.startswith("puzzlemill: "), text
    assert text.count("\n") == 1, text
    for word in words:
        assert word in text, text


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("preview sudoko", "unknown family 'sudoko'; did you mean 'sudoku'?"),
        ("preview Sudoku", "did you mean 'sudoku'?"),
        ("preview grids", "grids is a category; its families: "),
        ("preview sums --level 2", "level 2.0 is outside 0..1"),
        ("preview sums --level nan", "level nan is outside 0..1"),
        ("preview sums -n 0", "-n is 0; it is 1 or more"),
        ("preview sums -n -3", "-n is -3; it is 1 or more"),
        ("preview sums --overview x.pdf", "an overview is a PNG; name it x.png"),
        ("preview sums --overview nope/x.png", "nope: there is no such folder to write x.png to"),
        ("preview sums --overview x.png -n 50", "leave out -n, --level"),
        ("preview sums --overview x.png --level .6", "leave out -n, --level"),
        ("sheet sums --per-page 0", "--per-page is 0; it is 1 or more"),
        ("families gird", "unknown family or category 'gird'; did you mean 'grids'?"),
        ("families sudoko", "unknown family or category 'sudoko'; did you mean 'sudoku'?"),
        ("families sudoku --markdown", "sudoku is a family, no category"),
        ("audit sums -n 0", "-n is 0; it is 1 or more"),
        ("audit sums -n -1", "-n is -1; it is 1 or more"),
        ("audit grid", "unknown family or category 'grid'; did you mean"),
        ("build nope.toml", "nope.toml: no such recipe"),
        ("build .", ".: Is a directory"),
        ("train nope.toml", "nope.toml: no such recipe"),
        ("train nope", "nope: not a build (no recipe.json)"),
        ("loop good.toml --rounds 0", "--rounds is 0; it is 1 or more"),
        ("rescore nope --plain --upcoming -1", "--upcoming is -1; it is 0 or more"),
        ("rescore nope --plain", "nope: not a build (no recipe.json)"),
        ("rescore nope --checkpoint nada --plain", "nope: not a build (no recipe.json)"),
        ("regenerate nope --plain", "nope: not a build"),
        ("export nope --to trl", "nope: no finished build"),
        ("export nope --to trk", "unknown export 'trk'; did you mean 'trl'?"),
        ("export nope --to trl --to verk", "unknown export 'verk'; did you mean 'verl'?"),
        ("export nope --to trl --to verl --out there", "give it one --to"),
        ("export nope --to trl --curriculum easy", "did you mean 'easy-to-hard'?"),
        ("export nope --to trl --curriculum tiny", "it is tiny:N"),
        ("publish nope me/x --dry-run", "nope"),
        ("fetch nothing", "'nothing' is no build in a store: it is URL/NAME"),
        ("mix nope.json", "nope.json: there is no such file"),
        ("mix good.toml", "good.toml: not JSON that can be read"),
        ("mix pilots.json --count 0", "--count is 0; it is 1 or more"),
        ("view nope", "nope"),
        ("view nope --port 99999", "port 99999 is outside 0..65535"),
        ("serve nope --port -1", "port -1 is outside 0..65535"),
        ("train-tiny good.toml", "good.toml: is there already; name a folder that is not"),
        ("train-tiny good.toml/tiny", "good.toml: File exists"),
        ("train good.toml --plain", "[policy] kind = 'none': training needs a policy whose"),
        ("loop good.toml", "[policy] kind = 'none': training needs a policy whose weights"),
        ("verify-build nope", "nope"),
        ("build good.toml --plain --builds good.toml", "good.toml/x: Not a directory"),
    ],
)
def test_a_wrong_command_is_told_in_one_line(
    run: Ran, tmp_path: Path, command: str, words: str
) -> None:
    (tmp_path / "good.toml").write_text(GOOD)
    one_line(run(*command.split()), words)
    assert {path.name for path in tmp_path.iterdir()} == {"good.toml"}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("bild x.toml", "Did you mean 'build'?"),
        ("build", "Missing argument 'RECIPE'"),
        ("build x.toml --dryrun", "--dry-run"),
        ("preview sums --level hard", "unable to parse"),
        ("preview", "Missing argument 'FAMILY'"),
        ("export x", "Missing option '--to'"),
        ("preview sums --sheet x.png", "No such option: --sheet"),
    ],
)
def test_a_command_that_cannot_be_read_says_what_is_there(
    run: Ran, command: str, words: str
) -> None:
    code, text = run(*command.split())
    assert code == 2
    assert words in text
    assert "Traceback" not in text


TRAIN = GOOD + "[train]\n"
PLAY = "[train.play]\ngames = ['nim']\n"


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ('famlies = ["sums"]\n' + GOOD, "x.toml:1: unknown key in the recipe 'famlies'; did you"),
        ('famlies = ["sums"]\n' + GOOD, "did you mean 'families' of [make]?"),
        (GOOD.replace("families", "familes"), "x.toml:3: unknown key in [make] 'familes'; did you"),
        (GOOD.replace('["sums"]', '"sums"'), "x.toml:3: make.families is a list, not 'sums'"),
        (GOOD.replace("sums", "sudoko"), "x.toml:3: unknown family or category 'sudoko'; did you"),
        (GOOD.replace('["sums"]', "[]"), "x.toml:3: families is empty: name what is to be made"),
        (GOOD.replace("2", '"ten"'), "x.toml:4: make.count is a whole number, not 'ten'"),
        (GOOD.replace("2", "2.5"), "x.toml:4: make.count is a whole number, not 2.5"),
        (GOOD.replace("2", "0"), "x.toml:4: count = 0 is outside 1..1000000000"),
        (GOOD.replace("2", "-5"), "x.toml:4: count = -5 is outside"),
        (GOOD.replace("2", "100000000000"), "is outside 1..1000000000"),
        (GOOD.replace("2", "2\nlevels = []"), "x.toml:5: levels holds 0 numbers; give 1 to 1000"),
        (GOOD.replace("2", "2\nlevels = [2]"), "x.toml:5: level 2.0 is outside 0..1"),
        (GOOD.replace("2", "2\nlevels = [nan]"), "x.toml:5: make.levels is a finite number"),
        (GOOD.replace("2", "2\nlevel = 0.5"), "did you mean 'levels'?"),
        (GOOD.replace("2", '2\nsplit = "eval"'), "x.toml:5: unknown split 'eval'; there are: test"),
        (GOOD.replace("2", "2\nknobs = {foo = 3}"), "x.toml:5: unknown knob 'foo'; there are: "),
        (GOOD.replace("2", "2\nknobs = {phrasings = [99]}"), "x.toml:5: phrasings are numbers"),
        (GOOD.replace("2", "2\nknobs = {most = inf}"), "x.toml:5: make.knobs is a finite number"),
        (GOOD.replace("2", '2\nvariants = ["twim"]'), "unknown operator 'twim'; did you mean"),
        (
            GOOD.replace('"none"', '"openai"'),
            "x.toml:6: policy.kind: unknown kind of policy 'openai'",
        ),
        (GOOD.replace('"none"', '"openai"'), "did you mean 'endpoint'? there are: endpoint, nativ"),
        (GOOD.replace('"none"', '"hf"'), "did you mean 'transformers'? there are: endpoint, nativ"),
        (GOOD.replace('"none"', '"native"'), "a policy of kind native needs `model`"),
        (NAME + MAKE + '[policy]\nurl = "http://h:1/v1"\n', "x.toml:6: [policy] url has an effect"),
        (NAME + MAKE + '[policy]\nmodel = "Qwen"\n', "x.toml:6: [policy] model has an effect only"),
        (ENDPOINT, "x.toml:6: a policy of kind endpoint needs `url`, such as http://local"),
        (ENDPOINT + 'url = "h:1/v1"\n', "an endpoint's url looks like http://host:8000/v1"),
        (ENDPOINT + 'url = "http://h/v1?key=sk-1"\n', "put the key into the environment variable"),
        (NAME.rstrip() + "\n[[make\n", "x.toml: not TOML: Expected ']]'"),
        ("\x89PNG\x00", "x.toml: not TOML"),
        ("", "x.toml: name is missing"),
        (GOOD.replace('"x"', '"my build!"'), "becomes a folder: use letters, digits, . _ -"),
        (NAME, "x.toml: say what to make in a [[make]] table, or which build is the `parent`"),
        (NAME + 'parent = "nope"\n' + NONE, "nope: no finished build"),
        (NAME + 'store = "s4://x"\n' + MAKE, "x.toml:2: unknown kind of store 's4'; did you"),
        (NAME + 'store = "javascript:1"\n' + MAKE, "x.toml:2: store is a URL, such as s3://"),
        (NAME + 'store = "../../escape"\n' + MAKE, "x.toml:2: store is a URL, such as s3://"),
        (NAME + 'store = "file://../escape"\n' + MAKE, "x.toml:2: store is a URL, such as s3://"),
        (GOOD + '[score]\nuntil = "foo"\n', "x.toml:8: score.until: unknown value 'foo'; there ar"),
        (GOOD + '[score]\nearlier = "nope"\n', "nope: no finished build"),
        (GOOD + "[score]\nwidth = 0.2\n", "width has an effect only where until is 'precision'"),
        (GOOD + "[filters]\nband = [0.9, 0.1]\n", "x.toml:8: the band 0.9..0.1 of filters is no"),
        (GOOD + "[filters.also.too_lng]\n", "x.toml:7: unknown filter 'too_lng'; did you mean"),
        (GOOD + "[filters.also.too_long]\n", "other keys of the recipe set too_long: leave it out"),
        (GOOD + "[filters]\nalso = ['x']\n", "x.toml:8: filters.also is a table of keys, not ['x"),
        (GOOD + "[filter]\nlongest = 3\n", "unknown key in the recipe 'filter'; did you mean 'fil"),
        (GOOD + "[filters]\nsimilr = 3\n", "unknown key in [filters] 'similr'; did you mean 'sim"),
        ("workers = -1\n" + GOOD, "x.toml:1: workers = -1 is outside 0..65536"),
        ('runner = "rai"\n' + GOOD, "x.toml:1: runner: unknown runner 'rai'; did you mean 'ray'"),
        (GOOD + '[decontaminate]\nagainst = ["nope.jsonl"]\n', "no file or folder 'nope.jsonl'"),
        (GOOD + "[decontaminate]\nngram = 4\n", "ngram has an effect only where against is not"),
        (GOOD + "[regenerate]\ndensity = [nan]\n", "x.toml:8: regenerate.density is a finite num"),
        (GOOD + "[regenerate]\ndensity = [inf]\n", "x.toml:8: regenerate.density is a finite num"),
        (GOOD + "[policy.x]\n", "unknown key in [policy] 'x'"),
        (f"seed = {10**400}\n" + GOOD, "seed holds a number that does not fit into 64 bits"),
        (GOOD + f"temperature = {10**400}\n", "policy.temperature is a number that is too large"),
        (
            TRAIN + 'curriculum = "rulr"\n',
            "x.toml:8: train.curriculum: unknown curriculum 'rulr'; d",
        ),
        (TRAIN + 'curriculum = "rulr"\n', "did you mean 'ruler'?"),
        (TRAIN + "learning_rate = nan\n", "x.toml:8: train.learning_rate is a finite number"),
        (TRAIN + "learning_rate = inf\n", "x.toml:8: train.learning_rate is a finite number"),
        (TRAIN + "learning_rate = -1\n", "x.toml:8: learning_rate = -1.0 is outside 1e-12..1"),
        (TRAIN + "learning_rate = 1e9\n", "learning_rate = 1000000000.0 is outside"),
        (TRAIN + "gradient = -1\n", "x.toml:8: gradient = -1.0 is outside 1e-12.."),
        (TRAIN + "gradient = 0\n", "x.toml:8: gradient = 0.0 is outside"),
        (TRAIN + "decay = -1\n", "x.toml:8: decay = -1.0 is outside"),
        (TRAIN + "unseen_levels = [3]\n", "x.toml:8: level 3.0 is outside 0..1"),
        (TRAIN + 'extra_for = "hard"\n', "extra_for has an effect only where extra is above 0"),
        (
            TRAIN + "[train.loss]\nadvantage = 'grop'\n",
            "unknown advantage 'grop'; did you mean 'gr",
        ),
        (TRAIN + "[train.loss]\nratio = 'ppo'\n", "unknown ratio 'ppo'; did you mean 'clip'?"),
        (TRAIN + "[train.loss]\nratio = 3\n", "train.loss.ratio is a text, not 3"),
        (TRAIN + "[train.loss]\npositives = -5\n", "x.toml:9: positives = -5.0 is outside"),
        (TRAIN + "[train.loss]\nclip_low = 2\n", "x.toml:9: clip_low = 2.0 is outside 0..1"),
        (TRAIN + "[train.loss]\nclip_low = -1\n", "clip_low = -1.0 is outside"),
        (TRAIN + "[train.loss]\ndual = 0.5\n", "x.toml:9: dual = 0.5 is not above 1"),
        (TRAIN + "[train.loss]\nkl = -1\n", "x.toml:9: kl = -1.0 is outside"),
        (TRAIN + "[train.loss]\nkl_in = 'reward'\n", "kl_in has an effect only where kl is above"),
        (TRAIN + "[train.loss]\nreference_every = 5\n", "only where kl is above 0, and it is 0.0"),
        (TRAIN + "[train.loss]\nkl = 1\nreference_every = -1\n", "reference_every = -1 is outside"),
        (TRAIN + "[train.loss]\nkl = 1\nreference_kept = 1.5\n", "reference_kept = 1.5 is outside"),
        (TRAIN + "[train.loss]\nk = 2\n", "k has an effect only where advantage is 'passk'"),
        (TRAIN + "[train.loss]\nadvantage = 'passk'\nk = 0\n", "x.toml:10: k = 0 is outside 1.."),
        (TRAIN + "[train.loss]\nadvantage = 'passk'\nk = 8\n", "k = 8 is not below group = 8"),
        (TRAIN + "[train.loss]\ncorrection = 'icepop'\nleast = 3\n", "least = 3.0 is above most"),
        (
            TRAIN + "[train.self_imitation]\nreplies = 4\nperplexity_high = 0.5\n",
            "x.toml:10: no reply has a perplexity from 0.0 to 0.5",
        ),
        (TRAIN + "[train.loss]\nmost = 3\n", "most has an effect only where correction is 'ice"),
        (TRAIN + "[train.loss]\nratio = 'none'\ndual = 3\n", "dual has an effect only where ratio"),
        (TRAIN + "[train.reward]\noverlong = -5\n", "overlong = -5 is outside"),
        (TRAIN + "[train.reward]\nalso = ['brevty']\n", "x.toml:9: train.reward.also: unknown sha"),
        (TRAIN + "[train.reward]\nalso = ['brevity']\n", "other keys of the recipe set brevity:"),
        (TRAIN + "[train.reward]\nbrevity = 1\nbrief_from = 7\n", "brief_from = 7.0 is outside"),
        (TRAIN + "[train.reward]\nbrief_from = 0.7\n", "brief_from has an effect only where brev"),
        (TRAIN + "[train.reward]\npaid_wrong = -0.1\n", "paid_wrong = -0.1 is outside"),
        (TRAIN + "[train.warm]\nsteps = -1\n", "x.toml:9: steps = -1 is outside"),
        (TRAIN + "[train.warm]\ntries = 8\n", "tries has an effect only where steps is above 0"),
        (TRAIN + "[train.lora]\nrank = 2\nalpha = -3\n", "x.toml:10: alpha = -3 is outside"),
        (TRAIN + "[train.lora]\nalpha = 3\n", "alpha has an effect only where rank is above 0"),
        (TRAIN + "[train.retry]\ndecay = 0.3\n", "[train.retry] has an effect only where tries"),
        (
            TRAIN + "curiculum = 'uniform'\n",
            "x.toml:8: unknown key in [train] 'curiculum'; did you",
        ),
        (TRAIN + "steps = 1e3\n", "x.toml:8: train.steps is a whole number, not 1000.0"),
        (
            TRAIN + "[train.plya]\ngames = ['nim']\n",
            "unknown key in [train] 'plya'; did you mean 'pl",
        ),
        (GOOD + PLAY, "x.toml:7: a run plays games or learns from items"),
        (
            NAME + "[train]\nprompts = 4\n" + PLAY,
            "x.toml:3: prompts is for learning from items, and",
        ),
        (
            NAME + "[train]\ngroup = 8\n" + PLAY,
            "x.toml:3: group is for learning from items, and thi",
        ),
        (
            NAME + "[train.loss]\nkl_in = 'loss'\n" + PLAY,
            "x.toml:3: kl_in is for learning from items",
        ),
        (
            NAME + "[train.reward]\nbrevity = 1\n" + PLAY,
            "x.toml:3: brevity is for learning from item",
        ),
        (
            NAME + "[train.loss]\nadvantag = 1\n" + PLAY,
            "x.toml:3: unknown key in [train.loss] 'advan",
        ),
        (NAME + "[train.loss]\ndual = 0.5\n" + PLAY, "x.toml:3: dual = 0.5 is not above 1"),
        (NAME + PLAY.replace("nim", "nimm"), "x.toml:3: unknown game 'nimm'; did you mean 'nim'?"),
        (NAME + PLAY + "levels = []\n", "x.toml:4: levels holds 0 numbers; give 1 to 1000"),
        (NAME + "[train.play]\nstarts = 4\n", "name the `games` to play"),
        (NAME + MAKE + MAKE.replace("2", "0") + NONE, "x.toml:7: count = 0 is outside"),
        (NAME + MAKE + MAKE + 'split = "tset"\n' + NONE, "x.toml:8: unknown split 'tset'; did you"),
    ],
)
def test_a_wrong_recipe_is_told_before_its_folder_is_begun(
    run: Ran, tmp_path: Path, recipe: str, words: str
) -> None:
    (tmp_path / "x.toml").write_text(recipe, encoding="latin-1")
    for more in ("--plain", "--dry-run"):
        one_line(run("build", "x.toml", more), words)
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


def test_what_has_no_effect_on_ratios_that_are_all_1_is_told_before_the_build(
    run: Ran, tmp_path: Path
) -> None:
    (tmp_path / "x.toml").write_text(TRAIN + "[train.loss]\nratio = 'gspo'\n")
    code, told = run("build", "x.toml", "--dry-run")
    assert code == 0
    assert told.startswith("puzzlemill: [train.loss] ratio: without effect, since every importance")


@pytest.mark.parametrize("kind", ["native", "transformers"])
def test_a_model_of_the_hub_is_told_how_to_download(run: Ran, tmp_path: Path, kind: str) -> None:
    policy = f'[policy]\nkind = "{kind}"\nmodel = "Qwen/Qwen2.5-1.5B"\n'
    (tmp_path / "x.toml").write_text(NAME + MAKE + policy)
    hint = 'hf download Qwen/Qwen2.5-1.5B --local-dir Qwen2.5-1.5B, then model = "Qwen2.5-1.5B"'
    one_line(run("build", "x.toml", "--plain"), "name the folder of a downloaded checkpoint", hint)


@pytest.mark.parametrize("near", ["x", "x/training", "x/training/checkpoint"])
def test_a_path_that_almost_names_a_checkpoint_is_told_the_newest(
    run: Ran, tmp_path: Path, near: str
) -> None:
    for step in ("000002", "000010", "1000000"):
        folder = tmp_path / "x" / "training" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        (folder / "config.json").touch()
    policy = f'[policy]\nkind = "native"\nmodel = "{tmp_path / near}"\n'
    (tmp_path / "x.toml").write_text(NAME + MAKE + policy)
    newest = tmp_path / "x" / "training" / "checkpoint-1000000"
    one_line(run("build", "x.toml", "--plain"), f"the newest of a run here is {newest}")


def test_a_recipe_may_be_mended_where_nothing_was_made_yet(run: Ran, tmp_path: Path) -> None:
    wrong = GOOD.replace('"none"', '"native"\nmodel = "nope"')
    (tmp_path / "x.toml").write_text(wrong)
    one_line(run("build", "x.toml", "--plain"), "nope: no config.json")
    (tmp_path / "x.toml").write_text(wrong.replace("nope", "nada"))
    one_line(run("build", "x.toml", "--plain"), "nada: no config.json")
    (tmp_path / "x.toml").write_text(GOOD)
    assert run("build", "x.toml", "--plain")[0] == 0
    (tmp_path / "x.toml").write_text(wrong)
    one_line(run("build", "x.toml", "--plain"), "holds a build of another recipe")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_in_one_plain_line(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        with until_interrupted():
            signal.raise_signal(number)
            pytest.fail("it goes on")
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert capsys.readouterr().err == "puzzlemill: the server has ended\n"


def test_a_log_grows_while_a_long_step_is_at_work(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for every in (0.0, 60.0):
        with progress(every) as tell:
            for shard in range(2):
                tell(Done("generate", shard, 3, dropped=1, made=True, seconds=1.0, path=""), 2)
        said.append(capsys.readouterr().err.splitlines())
    (first, last), (only,) = said
    assert "1 of 2 shards  3 of 6 items, 1 dropped" in first
    assert "2 shards  6 items, 2 dropped" in last
    assert "2 shards  6 items, 2 dropped" in only


@pytest.mark.parametrize("cores", ["many", "0", "-1", "1.5", "²", "9" * 5000])
def test_cores_that_are_no_number_are_told_in_one_line(
    run: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cores: str
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    monkeypatch.setenv("PUZZLEMILL_CORES", cores)
    one_line(run("build", "x.toml", "--plain"), "PUZZLEMILL_CORES is", "a whole number from 1")
    assert [path.name for path in tmp_path.iterdir()] == ["x.toml"]


@pytest.mark.parametrize("epoch", ["today", "9" * 30, "9" * 5000])
def test_a_date_that_is_no_number_is_told_in_one_line(
    run: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, epoch: str
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    one_line(run("build", "x.toml", "--plain"), "SOURCE_DATE_EPOCH is", "seconds since 1970")


@pytest.mark.parametrize(
    ("missing", "command", "words"),
    [
        ("torch", "train x.toml --plain", "torch: pip install 'puzzlemill[train]'"),
        ("torch", "train nope --plain", "torch: pip install 'puzzlemill[train]'"),
        ("torch", "train x.toml", "torch: pip install 'puzzlemill[train]'"),
        ("torch", "train-tiny there", "torch: pip install 'puzzlemill[train]'"),
        ("torch", "loop x.toml", "torch: pip install 'puzzlemill[train]'"),
        ("prefect", "build x.toml --flow", "prefect: pip install 'puzzlemill[flows]', or --plain"),
        ("prefect", "loop tiny.toml --flow", "prefect: pip install 'puzzlemill[flows]'"),
        ("fsspec", "fetch s3://bucket/x", "fsspec: pip install 'puzzlemill[store]'"),
        ("fsspec", "build stored.toml --plain", "fsspec: pip install 'puzzlemill[store]'"),
        ("s3fs", "build stored.toml --plain", "pip install 'puzzlemill[store]'"),
        ("torch", "build tiny.toml", 'set [policy] kind to another one, such as "none"'),
        ("torch", "build native.toml", "puzzlemill[train]', or set [policy] kind to another one"),
        ("transformers", "build hf.toml", "puzzlemill[train]', or set [policy] kind to another"),
        ("vllm", "build vllm.toml", "puzzlemill[vllm]', or set [policy] kind to another one"),
        ("ray", "build ray.toml", "ray: pip install 'puzzlemill[ray]', or set runner to"),
    ],
)
def test_what_a_light_install_lacks_is_named_with_its_extra(
    run: Ran,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    command: str,
    words: str,
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    (tmp_path / "stored.toml").write_text('store = "s3://bucket/x"\n' + GOOD)
    (tmp_path / "ray.toml").write_text('runner = "ray"\n' + GOOD)
    (tmp_path / "tiny.toml").write_text(NAME + MAKE)
    for name, kind in {"native": "native", "hf": "transformers", "vllm": "vllm"}.items():
        policy = f'[policy]\nkind = "{kind}"\nmodel = "m"\n'
        (tmp_path / f"{name}.toml").write_text(NAME + MAKE + policy)
    monkeypatch.setitem(sys.modules, missing, None)
    load_policy.cache_clear()  # another test's policy
    one_line(run(*command.split()), words)
    assert not (tmp_path / "builds" / "x" / "stages").exists()


@pytest.mark.parametrize(
    ("missing", "command", "extra"),
    [
        ("torch", "rescore {} --checkpoint nope --plain", "train"),
        ("huggingface_hub", "publish {} me/x", "hub"),
    ],
)
def test_what_a_light_install_cannot_do_with_a_build_names_the_extra(
    run: Ran,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
    command: str,
    extra: str,
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    build = pipelines.build(tmp_path / "x.toml", tmp_path / "builds")
    monkeypatch.setitem(sys.modules, missing, None)
    one_line(run(*command.format(build).split()), f"pip install 'puzzlemill[{extra}]'")


def test_a_build_needs_no_prefect(
    run: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    monkeypatch.setitem(sys.modules, "prefect", None)
    assert run("build", "x.toml")[0] == 0


def test_a_folder_that_may_not_be_written_is_named(
    run: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    made = os.mkdir

    def mkdir(path: str, *more: object, **options: object) -> None:
        if Path(path).name == "x":  # as in a folder of somebody else; root may write everywhere
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        made(path, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "mkdir", mkdir)
    one_line(run("build", "x.toml"), "builds/x: Permission denied")


def test_a_thousand_million_items_are_told_with_hours_and_bytes(run: Ran, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD.replace("count = 2", "count = 1000000000"))
    code, said = run("build", "x.toml", "--dry-run")
    assert code == 0
    assert "1,000,000,000 items in 1,000,000 shards" in said
    assert " hours on " in said
    assert " GB of dataset" in said


def test_where_nobody_answers_the_recipe_may_be_mended(run: Ran, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    (tmp_path / "x.toml").write_text(ENDPOINT + f'url = "http://127.0.0.1:{port}/v1"\n')
    one_line(run("build", "x.toml"), "nobody answers (Connection refused); start the server, or")
    assert not (tmp_path / "builds" / "x").exists()
    (tmp_path / "x.toml").write_text(GOOD)
    assert run("build", "x.toml")[0] == 0
    again = ["rescore", "builds/x", "--url", f"http://127.0.0.1:{port}/v1", "--model", "m"]
    one_line(run(*again), "nobody answers (Connection refused); start the server, or")
    assert [path.name for path in (tmp_path / "builds").iterdir()] == ["x"]


def test_a_build_that_cannot_start_leaves_what_lies_in_its_folder(run: Ran, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD.replace('"none"', '"native"\nmodel = "nope"'))
    (tmp_path / "builds" / "x").mkdir(parents=True)
    (tmp_path / "builds" / "x" / "notes.txt").write_text("mine")
    one_line(run("build", "x.toml", "--plain"), "nope: no config.json")
    assert (tmp_path / "builds" / "x" / "notes.txt").read_text() == "mine"


def test_a_key_that_is_not_there_is_told_before_anything_is_made(run: Ran, tmp_path: Path) -> None:
    key = 'url = "http://127.0.0.1:9/v1"\nkey_variable = "NO_SUCH_KEY"\n'
    (tmp_path / "x.toml").write_text(ENDPOINT + key)
    one_line(run("build", "x.toml"), "NO_SUCH_KEY is not set: put the endpoint's key into that")
    assert not (tmp_path / "builds" / "x" / "stages").exists()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("rescore {}", "its recipe asks no policy; name one whose pass rate to measure"),
        ("rescore {} --checkpoint nada", "nada: no config.json; name the folder of a downloaded"),
        ("regenerate {}", "no item has a pass rate to go by, since its recipe asks no policy"),
        ("train {}", "training needs a policy whose weights"),
        ("export {} --to sft --replies", "kept none; set keep_replies = true"),
        ("export {} --to trl --out x.toml", "x.toml: there already, and no export; name another"),
        ("export {} --to trl --out full", "full: there already, and no export; name another fold"),
        ("verify-build {} -n -1", "-n -1: make 0 rows or more again"),
        ("publish {} foo", "foo"),
    ],
)
def test_a_wrong_step_after_a_build_is_told_in_one_line(
    run: Ran, tmp_path: Path, command: str, words: str
) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    build = pipelines.build(tmp_path / "x.toml", tmp_path / "builds")
    one_line(run(*command.format(build).split()), words)


def test_a_line_of_help_is_a_whole_sentence(run: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, said = run("--help")
    assert code == 0
    listed = said.partition("Commands:\n")[2].splitlines()
    assert len(listed) > 20
    assert all(line.endswith(".") and not line.endswith("...") for line in listed)


def test_a_full_disk_is_named_with_the_remedy(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "Error writing bytes to file")  # as pyarrow says it
    for held in (
        whole(tmp_path / "data" / "x"),
        whole_folder(tmp_path / "x"),
        alone_in(tmp_path, "a build"),
    ):
        with pytest.raises(UserError, match=r"/.*: the disk is full; free some space"), held:
            raise full
        assert not list(tmp_path.rglob("*.new"))


def test_an_export_is_written_for_every_trainer_that_is_named(run: Ran, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(GOOD)
    build = pipelines.build(tmp_path / "x.toml", tmp_path / "builds")
    code, _ = run("export", str(build), "--to", "trl", "--to", "verl")
    assert code == 0
    written = sorted(path.name for path in (build / "exports").iterdir() if path.is_dir())
    assert written == ["trl", "verl"]


def test_an_overview_is_written_where_its_folder_is(run: Ran, tmp_path: Path) -> None:
    assert run("preview", "sums", "--overview", "x.png")[0] == 0
    assert (tmp_path / "x.png").is_file()


@pytest.mark.parametrize(
    "pilots",
    [
        "[]",
        '{"sources": "sums", "pilots": 3}',
        "[" * 100_000,
        '{"sources": ["sums"], "pilots": [{"weights": [NaN], "score": 1}]}',
        '{"sources": ["sums"], "pilots": [{"weights": [1], "score": 1e999},'
        ' {"weights": [1], "score": 1}]}',
        '{"sources": ["sumz"], "pilots": [{"weights": [1], "score": 1},'
        ' {"weights": [2], "score": 1}]}',
        '{"sources": [], "pilots": [{"weights": [], "score": 1}, {"weights": [], "score": 1}]}',
    ],
)
def test_pilots_that_are_none_are_told_in_one_line(run: Ran, tmp_path: Path, pilots: str) -> None:
    (tmp_path / "pilots.json").write_text(pilots)
    one_line(run("mix", "pilots.json"), "pilots.json")


def test_the_version_is_said(run: Ran) -> None:
    assert run("--version") == (0, "puzzlemill 0.1.0\n")


def test_a_bug_keeps_its_traceback_and_is_called_one() -> None:
    code = "import puzzlemill.__main__ as door; door.app = lambda: 1 / 0; door.main()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert told.returncode == 1
    assert "ZeroDivisionError" in told.stderr
    assert "this is a bug in Puzzlemill" in told.stderr.splitlines()[-1]
