"""`tapeviz mcp`, asked by the protocol's own client: a program is recorded, explained, mended and compared."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tapeviz.cli.answers import LIMIT, as_many, within
from tapeviz.cli.main import main
from tapeviz.cli.mcp import server
from tapeviz.cli.recordings import Recordings
from tapeviz.errors import LogError, TapevizError

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
import tapeviz as tf

w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.round(w)) + b
tape.gradient(loss, [w, b])
print("trained", *sys.argv[1:])
"""
FIXED = PROGRAM.replace("tf.round(w)", "w * 2.0")

Ask = Callable[..., Awaitable[str]]


def ask(folder: Path, questions: Callable[[Ask], Awaitable[None]], *program: str) -> None:
    """Start the server as a script in the background does, put questions to it, and hold answers to their length."""
    mcp = pytest.importorskip("mcp")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = shlex.join([sys.executable, "-m", "tapeviz", "mcp", *program])
    server = mcp.StdioServerParameters(
        command="sh", args=["-c", f"trap '' INT; exec {command}"], cwd=folder, env=environment
    )

    async def session() -> None:
        async with mcp.Client(server) as client:

            async def answer(tool: str, **arguments: object) -> str:
                result = await client.call_tool(tool, arguments)
                text = "\n".join(part.text for part in result.content)
                assert len(text) <= LIMIT
                return f"error: {text}" if result.is_error else text

            await questions(answer)

    asyncio.run(session())


def test_a_program_is_recorded_explained_mended_and_compared(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)

    async def questions(asked: Ask) -> None:
        assert "call record" in await asked("diagnose")
        ended = await asked("record")
        assert "exit code 0" in ended
        assert "error nondifferentiable_op" in ended
        assert "trained --lr 3" in ended
        told = await asked("diagnose")
        assert told.startswith("1. error: ")
        assert "train.py, line 7" in told
        assert "first=9: there are 1 finding" in await asked("diagnose", first=9)
        assert "[nondifferentiable_op]" in await asked("why", target="loss", source="w")
        assert "No tensor of this log is called 'v'" in await asked("why", target="loss", source="v")
        assert (await asked("table")).splitlines() == ["b: of loss 1", "w: of loss None [nondifferentiable_op]"]
        assert (await asked("value", name="w")).splitlines() == [
            "w: float32, shape (2,)",
            "value: [1.0, 2.0]",
            "gradient: None",
        ]
        assert "Two recordings are compared" in await asked("compare")
        (tmp_path / "train.py").write_text(FIXED)
        assert "Found: nothing" in await asked("record")
        assert "2.828" in await asked("compare")

    ask(tmp_path, questions, "train.py", "--lr", "3")


def test_a_program_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(f"{PROGRAM}\nimport time\ntime.sleep(600)\n")

    async def questions(asked: Ask) -> None:
        ended = await asked("record", seconds=12)
        assert "was interrupted after 12 seconds" in ended
        assert "error nondifferentiable_op" in ended

    ask(tmp_path, questions, "train.py")


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(TapevizError, match=r'pip install "tapeviz\[mcp\]"'):
        server(Recordings(["train.py"], tmp_path))


@pytest.mark.parametrize(
    ("program", "says"),
    [((), "which script?"), (("missing.py",), "there is no missing.py"), (("-m",), "which script?")],
)
def test_a_command_that_names_no_program(
    program: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["mcp", *program])
    assert says in capsys.readouterr().err


def test_a_program_that_leaves_no_log_is_an_error_with_what_it_printed(tmp_path: Path) -> None:
    recordings = Recordings([str(tmp_path / "train.py")], tmp_path)
    with pytest.raises(LogError, match="Recording 1: the program ended with exit code 2 and left no log") as told:
        recordings.record()
    assert "No such file" in str(told.value)


LINES = [f"line {number} " + "x" * 100 for number in range(40)]


def test_an_answer_says_how_to_ask_for_what_is_left() -> None:
    told = as_many(LINES, 1, "line")
    shown = told.count("line ")
    assert len(told) <= LIMIT
    assert told.endswith(f"And {40 - shown} lines more: ask again with first={shown + 1}.")
    assert as_many(LINES, 40, "line") == LINES[-1]


@pytest.mark.parametrize("text", ["x" * 5000, "\n".join(LINES), "short"])
def test_a_long_text_is_cut_within_the_limit(text: str) -> None:
    told = within(text)
    assert len(told) <= LIMIT
    assert told == text if len(text) <= LIMIT else told.endswith("…")
