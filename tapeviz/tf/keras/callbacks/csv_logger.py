"""The logs of each epoch -> a row in a file of comma-separated values."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tapeviz.tf.keras.callbacks.base import Callback


class CSVLogger(Callback):
    """Writes the numbers of every epoch into a file (`tf.keras.callbacks.CSVLogger`).

    Args:
        filename: the path of the file.
        separator: the text between two numbers.
        append: whether rows are added to those that the file has already.
    """

    def __init__(self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys: list[str] | None = None
        self._writer_: Any = None
        self.csv_file: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        path = Path(self.filename)
        self.append_header = not (self.append and path.exists() and path.stat().st_size)
        self.csv_file = path.open("a" if self.append else "w", newline="")
        self.keys = self._writer_ = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(name.startswith("val_") for name in logs):
                self.keys += [f"val_{name}" for name in self.keys]
            self._writer_ = csv.DictWriter(self.csv_file, ["epoch", *self.keys], delimiter=self.sep)
            if self.append_header:
                self._writer_.writeheader()
        self._writer_.writerow({"epoch": epoch, **{name: _told(logs.get(name, "NA")) for name in self.keys}})
        self.csv_file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        self.csv_file.close()
        self._writer_ = None


def _told(value: Any) -> Any:
    """A number, or several of them as a text.

    >>> _told([1, 2]), _told(0.5)
    ('"[1, 2]"', 0.5)
    """
    several = isinstance(value, Iterable) and not isinstance(value, str) and bool(getattr(value, "ndim", 1))
    return f'"[{", ".join(map(str, value))}]"' if several else value
