"""A notebook's cell that begins with %%tape -> the same cell run as ever, recorded, and the debugger of it below.

The cell is not handed to a function: its first line is taken away before IPython reads it, and events of IPython say
when it runs. So the namespace, the last expression, line numbers, tracebacks and `await` are what they would be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextvars import Context, copy_context
from functools import partial
from typing import Any

from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from tapeviz.events.defaults import VALUES
from tapeviz.events.log import EventLog
from tapeviz.events.program.tracebacks import clean_traceback
from tapeviz.events.undo import Undo, ended_by
from tapeviz.recorders.bindings import note_names
from tapeviz.recorders.frameworks import nothing_recorded
from tapeviz.recorders.record import record
from tapeviz.views.page.show import show

MARK = "%%tape"


@magic_arguments()
@argument("name", nargs="?", default=None, help="A variable that is to hold the log of the cell.")
@argument("--values", choices=VALUES, default=None, help="What the log keeps of values: themselves, norms, or shapes.")
@argument("--no-show", action="store_true", help="Record, and show nothing.")
def tape(line: str, cell: str | None = None) -> None:
    """Run the cell as ever, record every tape in it, and show their debugger below.

    It must be the first line of a cell, or come right after other cell magics. Programs of every framework that
    `record` records are recorded like those of tapeviz. A cell that raises shows what was recorded until then.

        %%tape log
        with tf.GradientTape() as tape:
            loss = w * w
        tape.gradient(loss, w)

        tv.why(log, "loss", "w")    # in a later cell
    """
    _arguments(line)
    raise UsageError(f"{MARK} must be the first line of a cell.")


def _arguments(line: str) -> Any:
    """The arguments of the first line.

    Raises:
        UsageError: they are none.
    """
    arguments = parse_argstring(tape, line)
    if arguments.name is not None and not arguments.name.isidentifier():
        raise UsageError(f"{MARK}: {arguments.name!r} cannot be the name of a variable.")
    return arguments


def _arguments_of(lines: Iterable[str]) -> Any:
    """The arguments of a cell that begins with the magic, or with other cell magics and then this one.

    None for other cells, and for wrong arguments: `tape` says so.
    """
    for line in filter(str.strip, lines):
        mark, *rest = line.split(maxsplit=1)
        if mark == MARK:
            try:
                return _arguments("".join(rest))
            except UsageError:
                return None
        if not mark.startswith("%%"):
            break
    return None


def without_mark(lines: list[str]) -> list[str]:
    """The lines of a cell with an empty one in place of the magic, so that all others keep their numbers."""
    if not lines or _arguments_of(lines[:1]) is None:
        return lines
    return lines[1:] if "".join(lines[1:]).lstrip().startswith("%%") else ["\n", *lines[1:]]


class RecordedCell:
    """One cell that is being recorded, from its begin to its end."""

    def __init__(self, shell: InteractiveShell, info: Any, arguments: Any) -> None:
        self.info = info
        self.arguments = arguments
        self._shell = shell
        self._undo = Undo()
        self._recording = record(values=arguments.values)
        self._context: Context | None = None
        try:
            self._begin()
        except BaseException:
            self._undo.run()
            raise

    def _begin(self) -> None:
        self._undo.add(partial(self._leave, None))
        self.log: EventLog = self._recording.__enter__()
        tracebacks = Tracebacks(self._shell)
        self._undo.add(tracebacks.close)
        tracebacks.open()
        self._context = copy_context()

    @ended_by(lambda self, *_: self._undo.run())
    def end(self, error: BaseException | None) -> None:
        """Stop recording."""
        note_names(self.log, self._shell.user_ns)
        self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        """A kernel runs a cell in a task of its own, and what is being recorded is known only there."""
        leave: Callable[..., None] = self._recording.__exit__
        if self._context is not None and not record.is_open(self.log):
            leave = partial(self._context.run, leave)
        leave(None if error is None else type(error), error, None if error is None else error.__traceback__)


class Tracebacks:
    """Shows exceptions, from `open` until `close`, without the frames of recorders; not if the user shows them in a way
    of his own."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._is_ours = not shell.custom_exceptions

    def open(self) -> None:
        """Begin."""
        if self._is_ours:
            self._shell.set_custom_exc((Exception,), self._show)

    def close(self) -> None:
        """Exceptions are shown as before."""
        if self._is_ours:
            self._shell.set_custom_exc((), None)

    @staticmethod
    def _show(shell: InteractiveShell, kind: Any, error: Any, traceback: Any, tb_offset: int | None = None) -> None:
        clean_traceback(error)
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset, running_compiled_code=True)


class TapeCells:
    """What listens to a shell for cells that begin with the magic."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._running: list[RecordedCell] = []

    def install(self) -> None:
        """From here on the shell knows the magic."""
        self._shell.register_magic_function(tape, "cell")
        self._shell.input_transformers_cleanup.append(without_mark)
        self._shell.events.register("pre_run_cell", self._begin)
        self._shell.events.register("post_run_cell", self._end)

    def remove(self) -> None:
        """The shell is as before."""
        self._shell.events.unregister("pre_run_cell", self._begin)
        self._shell.events.unregister("post_run_cell", self._end)
        self._shell.input_transformers_cleanup.remove(without_mark)
        self._shell.magics_manager.magics["cell"].pop("tape", None)

    def _begin(self, info: Any) -> None:
        arguments = _arguments_of(info.raw_cell.splitlines())
        if arguments is not None:
            self._running.append(RecordedCell(self._shell, info, arguments))

    def _stop(self, result: Any) -> RecordedCell | None:
        """Stop recording the cell that has run, if one is recorded."""
        if not self._running or (result is not None and result.info is not self._running[-1].info):
            return None
        running = self._running[-1]
        running.end(None if result is None else result.error_in_exec)
        self._running.pop()
        return running

    @ended_by(lambda self, result: result and self._stop(result))
    def _end(self, result: Any) -> None:
        """The cell has run, and shown its last expression or its traceback. No result: it was cancelled."""
        running = self._stop(result)
        if running is None:
            return
        if running.arguments.name is not None:
            self._shell.user_ns[running.arguments.name] = running.log
        if running.arguments.no_show:
            return
        nothing = nothing_recorded(running.log)
        if nothing:
            print(f"{MARK}: {nothing}", file=sys.stderr)
        else:
            show(running.log)


def load(shell: InteractiveShell) -> None:
    """`%load_ext tapeviz`."""
    if _installed(shell) is None:
        TapeCells(shell).install()


def unload(shell: InteractiveShell) -> None:
    """`%unload_ext tapeviz`."""
    cells = _installed(shell)
    if cells is not None:
        cells.remove()


def _installed(shell: InteractiveShell) -> TapeCells | None:
    listeners = (getattr(each, "__self__", None) for each in shell.events.callbacks["post_run_cell"])
    return next((each for each in listeners if isinstance(each, TapeCells)), None)
