"""A trainer whose library starts workers elsewhere -> the same, each worker under a recording, as the rank that it has.

Ray starts processes by a daemon of its own, on this machine or on others: what they are to run goes there as a value,
and with it what records them. They write to the folder that the program names, so machines have to share it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any

from tapeviz.cli.started import How, Recorded
from tapeviz.events.store.ranks import rank_file
from tapeviz.recorders.imports import install_when_imported
from tapeviz.recorders.patches import Patches, Row, Wrapped

TRAINERS = "ray.train.v2.api.data_parallel_trainer"
"""The module of Ray Train with the class of all trainers that are given a loop."""
LOOP = "train_loop_per_worker"
"""The argument that is the loop."""
LIBRARIES = {"ray": "Ray"}
"""Modules of libraries with such workers, by their names."""


def library() -> str:
    """The library with such workers that the program has imported; "" for none."""
    return next((title for name, title in LIBRARIES.items() if name in sys.modules), "")


@contextmanager
def trainers_watched(recorded: Callable[[Any], Any]) -> Iterator[None]:
    """A block in which each loop that a trainer is given becomes what `recorded` makes of it."""
    patches = Patches()
    install_when_imported(patches, {TRAINERS: partial(_rows, recorded)})
    try:
        yield
    finally:
        patches.undo()


def _rows(recorded: Callable[[Any], Any], module: Any) -> Iterator[Row]:
    def make(begin: Callable[..., None]) -> Callable[..., None]:
        @wraps(begin)
        def init(self: Any, *args: Any, **options: Any) -> None:
            if getattr(options.get("scaling_config"), "num_workers", 1) != 0:  # else it trains in the program's process
                if args:
                    args = (recorded(args[0]), *args[1:])
                elif LOOP in options:
                    options[LOOP] = recorded(options[LOOP])
            begin(self, *args, **options)

        return init

    yield Wrapped(module.DataParallelTrainer, "__init__", make)


def of_worker(loop: Callable[..., Any], place: Path, how: How) -> Callable[..., Any]:
    """The loop, recorded into the folder `place`. It is sent to workers by value, as it belongs to no module."""

    @wraps(loop)
    def worker(*args: Any, **kwargs: Any) -> Any:
        from ray.train import get_context

        return Recorded(loop, rank_file(place, get_context().get_world_rank()), how)(*args, **kwargs)

    return worker
