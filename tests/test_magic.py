"""%%tape: the cell does what it would have done, and the debugger of its tapes is below it."""

from __future__ import annotations

import asyncio
import builtins
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import RichOutput, capture_output
from nbclient import NotebookClient

import tapeviz as tv
from tapeviz.events import ErrorRaised, OpRecorded
from tapeviz.recorders.record import record
from tests.leaving.guests import ops_of, python_state
from tests.leaving.interrupts import Tracer

CELL = """
import tapeviz as tf
w = tf.Variable(3.0, name="w")
with tf.GradientTape() as tape:
    loss = w * w
tape.gradient(loss, w)
"""


class Shell:
    """An IPython of its own; `run` gives what a cell printed, and what it displayed."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.names = shell.user_ns
        self.result: Any = None
        self.complaints = ""

    def run(self, cell: str) -> tuple[str, list[RichOutput]]:
        with capture_output() as captured:
            self.result = self.shell.run_cell(cell, store_history=True)
        self.complaints = captured.stderr
        return captured.stdout, captured.outputs


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.delattr(builtins, "_", raising=False)  # where another test's prompt left one, IPython names no result
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    yield Shell(shell)
    shell.history_manager.end_session()
    shell.reset()
    InteractiveShell.clear_instance()


@pytest.fixture
def loaded(shell: Shell) -> Shell:
    shell.run("%load_ext tapeviz")
    return shell


def pages(outputs: list[RichOutput]) -> list[str]:
    return [output.data["text/html"] for output in outputs if "<iframe" in output.data.get("text/html", "")]


def test_the_cell_runs_and_its_tapes_are_below(loaded: Shell) -> None:
    printed, outputs = loaded.run("%%tape" + CELL)
    assert "Out[2]: <tf.Tensor: shape=(), dtype=float32, numpy=6.0>" in printed
    assert len(pages(outputs)) == 1
    assert loaded.result.success
    assert float(loaded.names["_"]) == 6.0
    assert {"tf", "w", "tape", "loss"} <= loaded.names.keys()
    assert not record.is_open(loaded.names["tape"].log)


def test_nothing_else_is_printed_than_without(shell: Shell) -> None:
    plain = shell.run(CELL + "\n'done'")[0]
    shell.run("%load_ext tapeviz")
    recorded = shell.run("%%tape" + CELL + "\n'done'")[0]
    assert recorded.replace("Out[3]", "Out[1]") == plain


def test_a_name_gets_the_log(loaded: Shell) -> None:
    loaded.run("%%tape seen --no-show" + CELL)
    log = loaded.names["seen"]
    assert [event.op for event in log.events if isinstance(event, OpRecorded)] == ["mul"]
    assert str(tv.why(log, "loss", "w")).startswith("The gradient of `loss` arrives at `w`")
    assert log.closed
    assert {site.filename for site in log.sites} == {"Cell In[2]"}
    assert log.sites[log.events[0].site].text == 'w = tf.Variable(3.0, name="w")'
    assert log.sites[log.events[0].site].line == 3


def test_a_cell_may_keep_no_values_and_show_nothing(loaded: Shell) -> None:
    _, outputs = loaded.run("%%tape seen --values none --no-show" + CELL)
    assert pages(outputs) == []
    assert loaded.names["seen"].value(loaded.names["seen"].id_of("loss")) is None


@pytest.mark.parametrize("line", ["%%tape --nonsense", "%%tape a b", "%%tape --values some", "%%tape 3x"])
def test_a_wrong_first_line_is_said_and_nothing_runs(line: str, loaded: Shell) -> None:
    loaded.run(line + "\nran = True")
    assert "UsageError" in loaded.complaints
    assert "ran" not in loaded.names
    assert not loaded.result.success


def test_it_goes_with_other_magics(loaded: Shell) -> None:
    _, outputs = loaded.run("%%time\n%%tape" + CELL)
    assert len(pages(outputs)) == 1
    assert loaded.run("%%tape\n%%capture out\nprint('inside')\n")[0] == ""
    assert loaded.names["out"].stdout == "inside\n"


def test_it_documents_itself(loaded: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    loaded.shell.run_cell("%%tape?")
    told = capsys.readouterr().out
    assert "Run the cell as ever" in told
    assert "--no-show" in told


ERROR = """%%tape log
import tapeviz as tf
w = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = w * w
    1 / 0
"""
ENDS = ["raise KeyboardInterrupt", "raise SystemExit(3)", "def broken(:", "await nothing()"]


def test_an_exception_is_shown_as_ever_and_what_was_recorded_below(loaded: Shell) -> None:
    printed, outputs = loaded.run(ERROR)
    assert not loaded.result.success
    assert isinstance(loaded.result.error_in_exec, ZeroDivisionError)
    assert "----> 6     1 / 0" in printed
    assert "magic.py" not in printed
    assert len(pages(outputs)) == 1
    raised = [event for event in loaded.names["log"].events if isinstance(event, ErrorRaised)]
    assert [(each.error, loaded.names["log"].sites[each.site].line) for each in raised] == [("ZeroDivisionError", 6)]


def shown_traceback(shell: Shell, cell: str) -> str:
    with capture_output() as captured:
        shell.shell.run_cell(cell)
    return captured.stdout + captured.stderr


@pytest.mark.torch
def test_a_traceback_has_no_frames_of_a_recorder(loaded: Shell) -> None:
    failing = "import torch\nnet = torch.nn.Linear(2, 1)\nnet(torch.ones(2)).detach().backward()"
    plain = shown_traceback(loaded, "# as ever\n" + failing)
    assert shown_traceback(loaded, "%%tape --no-show\n" + failing).startswith(plain)
    assert "element 0 of tensors does not require grad" in plain
    assert loaded.shell.custom_exceptions == ()


def test_a_way_of_ones_own_to_show_exceptions_stays(loaded: Shell) -> None:
    seen: list[str] = []
    loaded.shell.set_custom_exc((ZeroDivisionError,), lambda shell, kind, *rest, **more: seen.append(kind.__name__))
    loaded.run(ERROR)
    assert seen == ["ZeroDivisionError"]
    assert loaded.shell.custom_exceptions == (ZeroDivisionError,)


@pytest.mark.parametrize("raising", ENDS)
def test_however_a_cell_ends_nothing_stays_on(raising: str, loaded: Shell) -> None:
    with pytest.warns(UserWarning, match="exit") if "Exit" in raising else capture_output():
        loaded.run(f"%%tape first --no-show{CELL}{raising}\n")
    before = len(loaded.names["first"].raw)
    loaded.run(CELL)
    assert len(loaded.names["first"].raw) == before
    _, outputs = loaded.run("%%tape" + CELL)
    assert len(pages(outputs)) == 1


def test_ctrl_c_at_any_line_of_a_cell_leaves_nothing_on(loaded: Shell) -> None:
    """Before it, in it, and after it: the next cell is recorded as if nothing had been."""
    cell = "%%tape log --no-show" + CELL

    def run(tracer: Tracer) -> int:
        tracer.on()
        try:
            loaded.run(cell)
        except KeyboardInterrupt:
            pass
        finally:
            tracer.off()
        return tracer.count

    loaded.run(cell)
    before, lines = python_state(), min(run(Tracer()) for _ in range(2))
    for at in (*range(0, lines, lines // 40), lines - 1):
        run(tracer := Tracer(at))
        assert python_state() == before, tracer.place
        assert loaded.shell.custom_exceptions == (), tracer.place
        loaded.names.pop("log", None)
        loaded.run(cell)
        assert ops_of(loaded.names["log"]) == ["mul"], tracer.place


def test_cells_may_await(loaded: Shell) -> None:
    loaded.names["asyncio"] = asyncio
    loaded.run("%%tape log --no-show\nawait asyncio.sleep(0)" + CELL)
    assert loaded.result.success
    assert any(isinstance(event, OpRecorded) for event in loaded.names["log"].events)


def test_a_cell_that_runs_cells_is_one_recording(loaded: Shell) -> None:
    inner = f"get_ipython().run_cell({'%%tape inner --no-show' + CELL!r})\nget_ipython().run_cell('w * 2.0')\n"
    loaded.run("%%tape outer --no-show\n" + inner + "w * 3.0")
    ops = [event.op for event in loaded.names["outer"].events if hasattr(event, "op") and isinstance(event.op, str)]
    assert ops == ["mul"] * 3
    assert loaded.names["inner"] is loaded.names["outer"]


def test_a_cell_without_tapes_says_so(loaded: Shell) -> None:
    loaded.run("%%tape\n1 + 1")
    assert "Nothing was recorded: no tape was opened" in loaded.complaints


def test_loading_twice_and_unloading(loaded: Shell) -> None:
    loaded.run("%reload_ext tapeviz")
    _, outputs = loaded.run("%%tape" + CELL)
    assert len(pages(outputs)) == 1
    loaded.run("%unload_ext tapeviz")
    loaded.run("%%tape\n1")
    assert "`%%tape` not found" in loaded.complaints
    assert all("tapeviz" not in repr(each) for each in loaded.shell.input_transformers_cleanup)


@pytest.mark.slow
def test_in_a_kernel() -> None:
    """A kernel runs each cell in a task of its own; the error comes first, then the tapes, and the cell has failed."""
    cells = [
        "%load_ext tapeviz",
        "%%tape log" + CELL,
        "w * 5.0",
        "len(log.raw)",
        "x = len(log.raw)\nx",
        ERROR,
        "print('after')",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, timeout=120, allow_errors=True).execute()
    kinds = [[output.output_type for output in cell.outputs] for cell in book.cells]
    assert kinds[1] == ["execute_result", "display_data"]
    assert book.cells[3].outputs[0].data == book.cells[4].outputs[0].data
    assert kinds[5] == ["error", "display_data"]
    assert "<iframe" in book.cells[5].outputs[1].data["text/html"]
    assert kinds[6] == ["stream"]
