"""EventLog or History -> what another tool opens: a trace, a graph, scalars."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tapeviz.events.store import atomic
from tapeviz.live.history import History
from tapeviz.live.scalars import Scalars, logger, scalars
from tapeviz.phrases import not_installed
from tapeviz.validation import folder, output_file, whole
from tapeviz.views.exports.chrome_trace import chrome_trace
from tapeviz.views.exports.model_explorer import model_explorer
from tapeviz.views.exports.netron import netron

FORMATS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "chrome_trace": chrome_trace,
    "model_explorer": model_explorer,
    "netron": netron,
}
"""The formats of files, and what makes the content of each."""
TENSORBOARD = "tensorboard"
ENDINGS = {".json": "chrome_trace", ".gz": "chrome_trace", ".netron": "netron", "": TENSORBOARD}
"""How a path ends -> the format that is meant."""
OF_LOG, OF_HISTORY = "tv.export(log, 'trace.json')", "tv.export(history, 'runs/first')"


def export(
    log_or_history: Any, to: str | os.PathLike[str] | Any, *, format: str | None = None, step: int = 0
) -> Path | None:
    """Write a log or a history for another tool.

    | | |
    |---|---|
    | `"trace.json"`, `"trace.json.gz"` | Perfetto, chrome://tracing: ops and VJPs on two tracks, joined by arrows |
    | `"graph.json"`, `format="model_explorer"` | Model Explorer: the graph, a gradient call an overlay of edges |
    | `"graph.netron"` | Netron: the graph, with values and gradients as attributes |
    | a folder | TensorBoard: the norm of each gradient and variable as scalars; tensorboardX writes them |
    | a `SummaryWriter` | the same, by its `add_scalar` |
    | a run of W&B or trackio, or the module | the same, by its `log(dict, step=)` |

    Nothing has to be installed for the other files. `tv.draw` and `tv.to_dot` write pictures and DOT,
    `History.to_parquet` a table. Files hold names, lines and numbers of yours, as pages do; what a log was saved
    without they do not hold.

    Args:
        log_or_history: a log, or anything with `.log`; for scalars also a `History`.
        to: a path, or what logs a training.
        format: "chrome_trace", "model_explorer", "netron" or "tensorboard"; by default what the path ends in.
        step: the step of the training that the scalars of a log are for; that of the first step of a history.

    Returns:
        The path that was written; None where `to` is none.

    Raises:
        TypeError: `to` is neither a path nor logs scalars; a history where the format needs a log.
        ValueError: an unknown format.
        LogError: scalars of a log in which no gradient was taken.
        FileNotFoundError: a folder that is not there.
        ModuleNotFoundError: scalars for a folder, without tensorboardX.

    >>> import tapeviz as tv
    >>> w = tv.Variable([3.0, 4.0], name="w")
    >>> with tv.GradientTape() as tape:
    ...     loss = tv.reduce_sum(w * w)
    >>> _ = tape.gradient(loss, w)
    >>> class Run:
    ...     def log(self, metrics, step):
    ...         print(step, metrics)
    >>> export(tape, Run(), step=7)
    7 {'grad_norm/w': 10.0, 'param_norm/w': 5.0}
    """
    first = whole(step, "step", "the number of a step")
    if not isinstance(to, (str, os.PathLike)):
        _log(_scalars(log_or_history, first), to)
        return None
    chosen = _format(Path(to), format)
    if chosen == TENSORBOARD:
        rows, into = _scalars(log_or_history, first), folder(to, OF_HISTORY)
        with _summary_writer(into) as writer:
            _log(rows, writer)
        return into
    path = output_file(to, OF_LOG)
    if isinstance(log_or_history, History):
        raise TypeError(f"A history has no ops to write as {chosen}: export a log, or name a folder, {OF_HISTORY}.")
    text = json.dumps(FORMATS[chosen](log_or_history)).encode()
    atomic.write(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def _format(path: Path, format: str | None) -> str:
    """What to write: what was asked for, or else what the path ends in.

    Raises:
        ValueError: it is nothing that can be written.
    """
    known = (*FORMATS, TENSORBOARD)
    chosen = format or (TENSORBOARD if path.is_dir() else ENDINGS.get(path.suffix.lower()))
    if chosen not in known:
        told = repr(format) if format else f"{str(path)!r}, by how it ends"
        raise ValueError(
            f"Cannot export as {told}: choose one of {', '.join(known)}, by `format=`; tv.draw writes pictures and DOT."
        )
    return chosen


def _log(rows: Scalars, to: Any) -> None:
    write = logger(to)
    for number, row in rows.items():
        write(number, row)


def _summary_writer(folder: Path) -> Any:
    """What writes scalars into a folder for TensorBoard.

    Raises:
        ModuleNotFoundError: tensorboardX is not installed.
    """
    try:
        from tensorboardX import SummaryWriter
    except ModuleNotFoundError:
        purpose = "Scalars are written into a folder (or pass a SummaryWriter of your own) by"
        raise ModuleNotFoundError(not_installed(purpose, "tensorboardX")) from None
    return SummaryWriter(str(folder))


def _scalars(log_or_history: Any, first: int) -> Scalars:
    """The scalars of a history, or of a log as a step of its own."""
    history = log_or_history
    if not isinstance(history, History):
        history = History()
        history.add(log_or_history)
    return scalars(history.columns, first)
