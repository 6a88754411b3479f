"""What TensorFlow's functions, classes and methods take -> the same parameters here, by name and in order."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from inspect import Parameter
from types import ModuleType
from typing import Any

import pytest

from tapeviz import tf

DIFFERENT = {
    "DType": "no program makes one",
    "data.Dataset": "no program makes one: it has class methods",
    "keras.Variable": "`layout` is of distributed arrays",
}
"""Where the parameters differ, and why; a row that differs no more must leave this table."""

NAMED = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def callables(ours: Any, theirs: Any, met: set[Any], path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """A name of everything that can be called in both, here and there; of a class, its methods as well."""
    for name in dir(ours):
        if name.startswith("_") or not hasattr(theirs, name):
            continue
        mine, original = getattr(ours, name), getattr(theirs, name)
        full = f"{path}.{name}".removeprefix(".")
        if isinstance(mine, ModuleType):
            if mine.__name__.startswith("tapeviz.") and path.count(".") < 2:
                yield from callables(mine, original, met, full)
        elif callable(mine) and callable(original) and mine not in met:
            met.add(mine)
            yield full, mine, original
            if inspect.isclass(mine):
                for method in vars(mine):
                    if not method.startswith("_") and callable(getattr(mine, method)) and hasattr(original, method):
                        yield f"{full}.{method}", getattr(mine, method), getattr(original, method)


def parameters(function: Any) -> list[Parameter] | None:
    """What a function takes, None where Python does not know."""
    try:
        return [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    except (TypeError, ValueError):
        return None


def takes_the_same(mine: list[Parameter], original: list[Parameter]) -> bool:
    """Whether a call that fits TensorFlow's parameters fits ours; what is to be named there need only be taken here."""
    wanted = [each.name for each in original if each.kind in NAMED]
    named = [each.name for each in mine if each.kind in NAMED]
    anything = any(each.kind is Parameter.VAR_KEYWORD for each in mine)
    if any(each.kind is Parameter.VAR_POSITIONAL for each in original):
        return set(wanted) <= set(named) or anything
    return wanted == named[: len(wanted)] or (anything and wanted[: len(named)] == named)


@pytest.mark.tensorflow
def test_parameters_are_those_of_tensorflow() -> None:
    import tensorflow

    seen, different = set(), {}
    for name, mine, original in callables(tf, tensorflow, set()):
        seen.add(name)
        both = parameters(mine), parameters(original)
        if both[0] is not None and both[1] is not None and not takes_the_same(*both):
            different[name] = f"{inspect.signature(mine)}, in TensorFlow {inspect.signature(original)}"
    assert len(seen) > 500
    unknown = {name: text for name, text in different.items() if name not in DIFFERENT}
    assert not unknown, "\n".join(f"{name}: {text}" for name, text in unknown.items())
    assert different.keys() == DIFFERENT.keys()
