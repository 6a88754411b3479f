"""`tapeviz run`: a program does what it does under Python, then comes the diagnosis; `show` and `why` read its log."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tapeviz as tv
from tapeviz.views.page.document import unpacked
from tests.cli.scripts import FRAMEWORK_PROGRAMS, PROGRAMS, TRAINING, UNHEARD, hear_ctrl_c, in_shell, script, start
from tests.forks import Forks

UNSTABLE = re.compile(r"^[IWE]\d{4} .*\n|^WARNING: All log messages.*\n|^\d{4}-.*\n|^To enable the following.*\n", re.M)
"""What TensorFlow logs with the time and its process."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text("")
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_script_does_what_it_does_under_python(name: str, folder: Path) -> None:
    path, arguments = script(folder, PROGRAMS[name]), ("--html", "x", "--", "-m", "--log=3")
    plain = start(folder, path, *arguments)
    ours = start(folder, "-m", "tapeviz", "run", path, *arguments)
    assert ours.stdout == plain.stdout
    assert ours.returncode == plain.returncode
    assert ours.stderr.startswith(plain.stderr)
    said = ours.stderr[len(plain.stderr) :].decode()
    assert said.startswith("\ntapeviz: ")
    assert said.count("tapeviz: ") == 1
    assert ("[not_watched]" in said) == (name in ("trains", "trains_and_fails"))


@pytest.mark.parametrize("name", UNHEARD)
def test_stdout_and_exit_code_of_what_says_little(name: str, folder: Path) -> None:
    path = script(folder, UNHEARD[name])
    plain, ours = start(folder, path), start(folder, "-m", "tapeviz", "run", path)
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)


@pytest.mark.parametrize("name", ["prints", "trains_and_fails", "exit_text"])
@pytest.mark.parametrize("streams", ["2>&-", ">/dev/full", "2>/dev/full", ">&- 2>&-"])
def test_streams_that_cannot_be_written(name: str, streams: str, folder: Path) -> None:
    path = script(folder, PROGRAMS[name])
    plain, ours = (in_shell(folder, streams, *before, path) for before in ((), ("-m", "tapeviz", "run")))
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)


@pytest.mark.parametrize("name", ["arguments", "is_main", "exit_code", "raises", "syntax_error", "trains"])
def test_a_module_does_what_it_does_under_python(name: str, folder: Path) -> None:
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    (folder / "package" / "__main__.py").write_text(PROGRAMS[name])
    for module in ("package", "package.__main__"):
        assert_the_same_module(module, folder)


@pytest.mark.parametrize("module", ["package.absent", "absent"])
def test_a_module_that_is_not_there(module: str, folder: Path) -> None:
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("")
    assert_the_same_module(module, folder)


def assert_the_same_module(module: str, folder: Path) -> None:
    """A module, run by `tapeviz run -m`, prints what it prints under Python, ends alike, and tells its error first."""
    plain = start(folder, "-m", module, "-x", "y")
    ours = start(folder, "-m", "tapeviz", "run", "-m", module, "-x", "y")
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)
    assert ours.stderr.startswith(plain.stderr)


@pytest.mark.slow
@pytest.mark.tensorflow
@pytest.mark.torch
@pytest.mark.parametrize("name", FRAMEWORK_PROGRAMS)
def test_a_frameworks_program_does_what_it_does_under_python(name: str, folder: Path) -> None:
    path = script(folder, FRAMEWORK_PROGRAMS[name])
    plain, ours = start(folder, path), start(folder, "-m", "tapeviz", "run", path)
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)
    plainly, said = (UNSTABLE.sub("", each.stderr.decode()) for each in (plain, ours))
    assert said.startswith(plainly)
    assert "\ntapeviz: " in said[len(plainly) - 1 :]


def test_a_script_that_is_not_there(folder: Path) -> None:
    plain, ours = start(folder, "absent.py"), start(folder, "-m", "tapeviz", "run", "absent.py")
    assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, plain.stderr, plain.returncode)


def test_a_script_elsewhere_through_a_link(folder: Path) -> None:
    (folder / "there").mkdir()
    (folder / "there" / "program.py").write_text(PROGRAMS["arguments"] + "\nprint(__file__)\n1 / 0")
    (folder / "link.py").symlink_to(folder / "there" / "program.py")
    plain, ours = start(folder, "link.py"), start(folder, "-m", "tapeviz", "run", "link.py")
    assert ours.stdout == plain.stdout
    assert ours.stderr.startswith(plain.stderr)


@pytest.mark.parametrize("named", ["./there/program.py", "there/../there/program.py", "there", "there.zip"])
def test_a_script_by_other_names(named: str, folder: Path) -> None:
    text = PROGRAMS["arguments"] + "\nprint(__file__, __name__, __package__)\n1 / 0"
    (folder / "there").mkdir()
    for name in ("program", "__main__"):
        (folder / "there" / f"{name}.py").write_text(text)
    shutil.make_archive(str(folder / "there"), "zip", folder / "there")
    plain, ours = start(folder, named, "--lr", "1"), start(folder, "-m", "tapeviz", "run", named, "--lr", "1")
    assert (ours.stdout, ours.returncode) == (plain.stdout, plain.returncode)
    assert ours.stderr.startswith(plain.stderr)


def test_what_is_recorded_is_written_also_after_an_exception(folder: Path) -> None:
    path = script(
        folder, PROGRAMS["trains_and_fails"].replace("print(", "import os; os.mkdir('x'); os.chdir('x'); print(")
    )
    ours = start(folder, "-m", "tapeviz", "run", "--log", "a.tape", "--html", "a.html", path)
    assert ours.returncode == 1
    log = tv.load(folder / "a.tape")
    assert "[not_watched]" in str(tv.diagnose(log))
    assert {site.filename for site in log.sites} <= {str(folder / "program.py"), "program.py", "../program.py"}
    assert "not_watched" in unpacked((folder / "a.html").read_text())["tapeviz-payload"]


@pytest.mark.parametrize(
    ("text", "fail_on", "code"),
    [
        (TRAINING, "none", 1),
        (TRAINING, "nan,inf", 0),
        (TRAINING + "raise SystemExit(5)\n", "none", 5),
        (TRAINING.replace("[w, c])[0]", "w)"), "none,nan,inf", 0),
        (TRAINING.replace("w * c", "tf.sqrt(w - 3.0)").replace("[w, c])[0]", "w)"), "inf", 1),
        (TRAINING.replace("w * c", "tf.sqrt(w - 4.0) * 0.0 / 0.0").replace("[w, c])[0]", "w)"), "nan", 1),
    ],
)
def test_a_gradient_that_is_not_to_be_fails_the_run(
    text: str, fail_on: str, code: int, folder: Path, with_tapeviz: Forks
) -> None:
    ours = with_tapeviz.start(folder, "-m", "tapeviz", "run", "--fail-on", fail_on, script(folder, text))
    assert ours.returncode == code
    assert (f"--fail-on {fail_on}: the gradient of `".encode() in ours.stderr) == (code != 0)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("look", "option", "code"),
    [
        ("print(v.grad)", "--fail-on", 1),
        ("print(h.grad)", "--fail-on", 1),
        ("print(v.grad)", "--stop-on", 1),
        ("if v.grad is None: print('no gradient')", "--fail-on", 1),
        ("if v.grad is None: print('no gradient')", "--stop-on", 1),
        ("if v.grad is None: v.grad = torch.zeros(2)", "--fail-on", 0),
        ("if v.grad is None: v.grad = torch.zeros(2)", "--stop-on", 0),
        ("if v.grad is not None: print(v.grad)", "--stop-on", 0),
        ("w.grad = None; print(w.grad)", "--stop-on", 1),
        ("print(w.grad)", "--fail-on", 0),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_gradient_that_pytorch_did_not_leave(
    look: str, option: str, code: int, folder: Path, with_torch: Forks
) -> None:
    text = f"""\
import torch
w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
v.grad
h = w * 2
h.sum().backward()
{look}
print("went on")
"""
    ours = with_torch.start(folder, "-m", "tapeviz", "run", option, "none", script(folder, text))
    assert ours.returncode == code
    assert (b"went on" in ours.stdout) == (option == "--fail-on" or code == 0)
    assert (b"--fail-on none: " in ours.stderr) == (option == "--fail-on" and code == 1)


def test_what_cannot_be_written_is_said_and_the_rest_is_done(folder: Path) -> None:
    path = script(folder, "import os\nos.mkdir('a.tape')\n" + TRAINING)
    ours = start(folder, "-m", "tapeviz", "run", "--log", "a.tape", "--html", "a.html", path)
    assert ours.returncode == 1
    assert b"tapeviz: writing the log failed: IsADirectoryError" in ours.stderr
    assert b"[not_watched]" in ours.stderr
    assert (folder / "a.html").exists()


@pytest.mark.jax
def test_a_program_of_jax_is_recorded_as_it_is(folder: Path) -> None:
    pytest.importorskip("jax")
    ours = start(folder, "-m", "tapeviz", "run", script(folder, "import jax"))
    assert b"Nothing was recorded" in ours.stderr
    assert b"JAX took no gradient" in ours.stderr
    plain = start(folder, "-m", "tapeviz", "run", script(folder, "import math"))
    assert b"JAX" not in plain.stderr
    nan = "import jax, jax.numpy as jnp\nprint(jax.jit(jax.grad(lambda x: jnp.sqrt(x) * x))(0.0))"
    told = start(folder, "-m", "tapeviz", "run", "--fail-on", "nan", script(folder, nan))
    assert told.returncode == 1
    assert b"[domain_edge]" in told.stderr


def test_stop_on_and_steps(folder: Path) -> None:
    path = script(folder, TRAINING + "print('went on')")
    stopped = start(folder, "-m", "tapeviz", "run", "--stop-on", "none", path)
    assert (stopped.returncode, stopped.stdout) == (1, b"")
    assert b"tapeviz.errors.StoppedError: error: The source is not watched" in stopped.stderr
    body = "    with tf.GradientTape() as t:\n        y = w * w\n    t.gradient(y, w)\n"
    loop = script(folder, f"import tapeviz as tf\nw = tf.Variable(1.0)\nfor _ in range(20):\n{body}")
    assert start(folder, "-m", "tapeviz", "run", "--steps", "2", "--log", "a.tape", loop).returncode == 0
    log = tv.load(folder / "a.tape")
    assert log.begins_late


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "-m"],
        ["run", "--fail-on", "zero", "x.py"],
        ["run", "--log", "no/such/folder/a.tape", "x.py"],
        ["run", "--steps", "0", "neighbour.py"],
        ["run", "--values", "none", "--stop-on", "nan", "neighbour.py"],
        ["run", "--values", "none", "--fail-on", "nan", "neighbour.py"],
        ["run", "--ht", "a.html", "x.py"],
        ["why", "a.tape", "loss"],
        [],
    ],
)
def test_wrong_arguments_are_told_with_the_usage(arguments: list[str], folder: Path, with_tapeviz: Forks) -> None:
    ours = with_tapeviz.start(folder, "-m", "tapeviz", *arguments)
    assert ours.returncode == 2
    assert ours.stderr.startswith(b"usage: tapeviz")
    assert b"Traceback" not in ours.stderr


def test_ctrl_c_keeps_what_was_recorded(folder: Path) -> None:
    path = script(folder, TRAINING + "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    environment = os.environ | {"PYTHONPATH": str(Path(tv.__file__).parents[1])}
    command = [sys.executable, "-m", "tapeviz", "run", "--log", "a.tape", path]

    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=-1, stderr=-1, preexec_fn=hear_ctrl_c
    ) as process:
        while b"ready" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
    assert process.returncode == -signal.SIGINT
    assert told.count(b"KeyboardInterrupt") == 1
    assert b"[not_watched]" in told
    assert "[not_watched]" in str(tv.diagnose(tv.load(folder / "a.tape")))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["run", "--log", "no/a.html", "x.py"],
            b"--log writes a log, and 'no/a.html' ends in .html: --html",
        ),
        (["run", "--html", "a.txt", "x.py"], b"--html writes an HTML file, and 'a.txt' does not end in .html."),
        (["show", "a.tape", "--text", "--html", "a.html"], b"--html: not allowed with argument --text"),
    ],
)
def test_arguments_are_told_in_words_of_the_command_line(
    arguments: list[str], told: bytes, folder: Path, with_tapeviz: Forks
) -> None:
    ours = with_tapeviz.start(folder, "-m", "tapeviz", *arguments)
    assert (ours.returncode, told in ours.stderr) == (2, True)


# ----- show and why -----


@pytest.fixture
def log(folder: Path) -> str:
    x = tv.Variable(3.0, name="x")
    with tv.GradientTape() as tape:
        y = x * tv.constant(2.0)
    tape.gradient(y, x)
    return tv.save(tape, folder / "a.tape").name


def test_why_explains_a_log_file(log: str, folder: Path) -> None:
    assert start(folder, "-m", "tapeviz", "why", log).stdout.startswith(b"Nothing found. Checked: ")
    assert start(folder, "-m", "tapeviz", "why", log, "y", "x").stdout.startswith(b"The gradient of `y` arrives at `x`")
    wrong = start(folder, "-m", "tapeviz", "why", log, "y", "z")
    assert (wrong.returncode, wrong.stderr.splitlines()[-1]) == (
        1,
        b"tapeviz: No tensor of this log is called 'z'. It has: x, y.",
    )


def test_show_opens_a_page_of_a_log_file_or_prints_it(log: str, folder: Path) -> None:
    browser = folder / "browser"
    browser.write_text('#!/bin/sh\nprintf "$1" > opened\n')
    browser.chmod(0o755)
    shown = start(folder, "-m", "tapeviz", "show", log)
    page = Path(shown.stdout.decode().strip())
    assert "tapeviz-payload" in unpacked(page.read_text())
    printed = start(folder, "-m", "tapeviz", "show", log, "--text").stdout.decode()
    assert printed.startswith("log: 1 op, y = 6.0\n")
    assert "gradient of y:\n  x  " in printed
    os.environ["BROWSER"] = str(browser)
    try:
        shown = start(folder, "-m", "tapeviz", "show", log, "--html", "page.html")
    finally:
        del os.environ["BROWSER"]
    assert shown.stdout.decode() == f"{folder / 'page.html'}\n"
    deadline = time.monotonic() + 10
    while not (folder / "opened").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (folder / "opened").read_text() == (folder / "page.html").as_uri()


@pytest.mark.parametrize("command", ["show", "why"])
def test_what_is_intact_of_a_damaged_file_is_read(command: str, log: str, folder: Path) -> None:
    data = (folder / log).read_bytes()
    (folder / log).write_bytes(data[: len(data) * 3 // 4])
    ours = start(folder, "-m", "tapeviz", command, log)
    assert ours.returncode == 0
    assert b"a.tape is damaged: it is cut short" in ours.stderr
    (folder / log).write_bytes(b"nothing")
    for path in (log, "absent.tape"):
        ours = start(folder, "-m", "tapeviz", command, path)
        assert ours.returncode == 1
        assert re.match(rb"tapeviz: .*(not a tapeviz log|no) file", ours.stderr)


def test_progress_is_told_on_a_terminal_only() -> None:
    code = "import time; from tapeviz.cli.progress import progress\nwith progress('counting'): time.sleep(1.4)"
    leader, follower = pty.openpty()
    subprocess.run([sys.executable, "-c", code], cwd=Path(tv.__file__).parents[1], stderr=follower, check=True)
    os.close(follower)
    assert b"tapeviz: counting \xe2\x80\xa6 1 s" in os.read(leader, 1000)
    silent = subprocess.run([sys.executable, "-c", code], cwd=Path(tv.__file__).parents[1], capture_output=True)
    assert (silent.returncode, silent.stderr) == (0, b"")


FAULTY = """
import tapeviz as tv
x = tv.constant(1.0)
with tv.GradientTape() as tape:
    y = x * 2.0
print(tape.gradient(y, x))
"""


def test_findings_for_other_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files, and on GitHub with `--fail-on` its commands; without that there are none."""
    path = script(folder, FAULTY)
    files = ("--json", "found.json", "--sarif", "found.sarif")
    quiet = start(folder, "-m", "tapeviz", "run", *files, path)
    [found] = json.loads((folder / "found.json").read_text())["findings"]
    assert (found["cause"], found["place"]["file"], found["place"]["line"]) == ("not_watched", "program.py", 3)
    [result] = json.loads((folder / "found.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "not_watched"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "program.py"}
    assert (quiet.returncode, quiet.stdout, b"::error" in quiet.stderr) == (0, b"None\n", False)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    loud = start(folder, "-m", "tapeviz", "run", "--fail-on", "none", path)
    assert loud.returncode == 1
    assert b"\n::error file=program.py,line=3,endLine=3,title=" in loud.stderr


def test_a_report_that_cannot_be_written(folder: Path) -> None:
    path = script(folder, FAULTY)
    refused = start(folder, "-m", "tapeviz", "run", "--json", "no/found.json", path)
    assert refused.returncode == 2
    assert b"there is no folder" in refused.stderr


WATCHED = {
    "healthy": ("(w * w).sum()", 0, ""),
    "nan": ("(w * 0).sqrt().sum() * 0", 0, "[domain_edge]"),
    "fails": ("(w * w).sum() + {}['loss']", 1, "KeyError: 'loss'"),
}


TRAINS = """
import torch
w = torch.ones(2, requires_grad=True)
for _ in range(9):
    ({}).backward()
print(w.grad)
"""


@pytest.mark.torch
@pytest.mark.parametrize(("loss", "code", "said"), WATCHED.values(), ids=WATCHED)
def test_a_watched_program_ends_as_ever(loss: str, code: int, said: str, folder: Path, with_torch: Forks) -> None:
    path = script(folder, TRAINS.format(loss))
    plain, ours = (with_torch.start(folder, *before, path) for before in ((), ("-m", "tapeviz", "watch")))
    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
    assert ours.returncode == code
    told = ours.stderr.decode()
    assert told.startswith(plain.stderr.decode())
    assert said in told
    assert told.count("tapeviz: ") == ("[" in said)
    assert (told == "") == (said == "")


@pytest.mark.slow
@pytest.mark.torch
def test_a_program_that_imports_tapeviz_is_watched_where_the_environment_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss, code, said = WATCHED["nan"]
    path = script(folder, f"import tapeviz\n{TRAINS.format(loss)}")
    assert start(folder, path).stderr == b""
    monkeypatch.setenv("TAPEVIZ", "1")
    ours = start(folder, path)
    assert ours.returncode == code
    assert said in ours.stderr.decode()
