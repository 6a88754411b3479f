"""A log, a folder -> every kind of file that tapeviz writes, in it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import tapeviz as tv
from tapeviz.events import EventLog

Exporter: TypeAlias = Callable[[EventLog, Path], Any]


def history_of(log: EventLog) -> tv.History:
    """A history of one step."""
    history = tv.History()
    history.add(log)
    return history


EXPORTERS: dict[str, Exporter] = {
    "save": lambda log, folder: tv.save(log, folder / "log.tape"),
    "save_html": lambda log, folder: tv.save_html(log, folder / "log.html"),
    "compare": lambda log, folder: tv.compare(log, log).save_html(folder / "compared.html"),
    "modes": lambda log, folder: tv.modes(lambda x: x * len(log.events), x=3.0).save_html(folder / "modes.html"),
    "draw svg": lambda log, folder: tv.draw(log, folder / "log.svg"),
    "draw png": lambda log, folder: tv.draw(log, folder / "log.png"),
    "draw pdf": lambda log, folder: tv.draw(log, folder / "log.pdf"),
    "draw dot": lambda log, folder: tv.draw(log, folder / "log.dot"),
    "export trace": lambda log, folder: tv.export(log, folder / "trace.json"),
    "export graph": lambda log, folder: tv.export(log, folder / "graph.json", format="model_explorer"),
    "export netron": lambda log, folder: tv.export(log, folder / "graph.netron"),
    "frames": lambda log, folder: tv.frames(log, folder),
    "animate": lambda log, folder: tv.animate(log, folder / "log.gif"),
}
if find_spec("pyarrow") is not None:
    EXPORTERS["history"] = lambda log, folder: history_of(log).to_parquet(folder / "log.parquet")

OPENS: dict[str, str] = {
    "events/store/atomic.py": "the one function that writes a file",
    "tf/api/programs/printing.py": "tf.print appends to a file, line by line, as TensorFlow's",
    "tf/keras/callbacks/csv_logger.py": "CSVLogger appends to a file, row by row, as Keras'",
}
"""The modules that open a file for writing, and why."""
