"""What TensorFlow has under several names -> all of these names here, of one thing."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from tapeviz import tf

ELSEWHERE = ("compat", "distribute", "experimental", "legacy", "lite", "raw_ops", "tools", "tpu")
"""Parts of TensorFlow whose names are not the everyday ones."""


def names(module: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every public name of TensorFlow's with what it stands for."""
    for name in dir(module):
        try:
            found = None if name.startswith("_") else getattr(module, name)
        except Exception:  # of a part that is not installed
            continue
        full = f"{path}.{name}".removeprefix(".")
        if inspect.ismodule(found) and full.count(".") < 3 and name not in ELSEWHERE:
            yield from names(found, full)
        elif callable(found):
            yield full, found


def here(name: str) -> Any:
    """What a name stands for in tapeviz, None if it is none."""
    found: Any = tf
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


@pytest.mark.tensorflow
def test_every_name_of_what_there_is() -> None:
    import tensorflow

    by_thing: dict[int, list[str]] = defaultdict(list)
    for name, thing in names(tensorflow):
        by_thing[id(thing)].append(name)
    groups = [group for group in by_thing.values() if len(group) > 1 and any(map(here, group))]
    assert len(groups) > 100
    missing = {name: group for group in groups for name in group if here(name) is None}
    assert not missing, missing
    different = [group for group in groups if len({id(here(name)) for name in group if here(name) is not None}) > 1]
    assert different == []
