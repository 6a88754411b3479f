"""Every op that a rule names is one that a log can hold: a name that nobody writes leaves its rule dead."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module

import pytest

from docs import op_names
from tapeviz.diagnosis import op_kinds
from tapeviz.engine.ops import OPS
from tapeviz.events import catalog
from tapeviz.events.ops import foreign

PACKAGES = ("tapeviz.diagnosis", "tapeviz.live")

FUNCTIONS = {
    "tapeviz.diagnosis.edits.following._CASTING",
    "tapeviz.diagnosis.wording.fixes._SAME",
    "tapeviz.diagnosis.wording.fixes.IN_TENSORS",
    "tapeviz.source.lines.STOPS",
    "tapeviz.diagnosis.dialects.autograd.FUNCTIONS",
    "tapeviz.diagnosis.dialects.autograd._SAME",
    "tapeviz.diagnosis.dialects.jax.FUNCTIONS",
    "tapeviz.diagnosis.dialects.keras.FUNCTIONS",
    "tapeviz.diagnosis.dialects.keras._SAME",
    "tapeviz.diagnosis.dialects.tinygrad.FUNCTIONS",
    "tapeviz.diagnosis.dialects.torch.FUNCTIONS",
    "tapeviz.diagnosis.recording.alternating.HELD_BACK",
    "tapeviz.diagnosis.wrong.witnessed._HARD",
    "tapeviz.diagnosis.wrong.witnessed._MOVES",
    "tapeviz.diagnosis.wrong.witnessed._STEPS",
}
"""Tables that name functions, steps or causes, many of them as ops are named.

What ran in a function of the user's has the name that the framework gives it.
"""


def named() -> Iterator[tuple[str, set[str]]]:
    """The sets, tuples and tables of names that stand at the top of a module, by their own names."""
    packages = [import_module(each) for each in PACKAGES]
    modules = [found.name for each in packages for found in pkgutil.walk_packages(each.__path__, f"{each.__name__}.")]
    for module in modules:
        for name, value in vars(import_module(module)).items():
            if name.isupper() and isinstance(value, (frozenset, set, tuple, Mapping)):
                yield f"{module}.{name}", {each for each in value if isinstance(each, str)}


def known() -> set[str]:
    """The names that an op may have in a log: one without a row has that of its framework's function."""
    import tensorflow
    import torch

    losses = (name for name in dir(torch.nn.functional) if name.endswith("_loss"))
    names = {*OPS, *catalog.ROWS, *foreign.ROWS, *dir(tensorflow.raw_ops), *losses}
    return names.union(ours for table in op_names.names().values() for ours in table.values())


@pytest.mark.tensorflow
@pytest.mark.torch
@pytest.mark.jax
def test_a_set_of_ops_names_ops() -> None:
    """A set is one of ops where half of it is."""
    ops = known()
    sets = {where: names for where, names in named() if 2 * len(names & ops) >= len(names) > 0}
    assert "tapeviz.diagnosis.numbers.elements._STOPS" in sets
    assert {where: names - ops for where, names in sets.items() if where not in FUNCTIONS and names - ops} == {}


@pytest.mark.tensorflow
@pytest.mark.torch
@pytest.mark.jax
def test_every_kind_of_op_is_one_of_ops() -> None:
    kinds = {name: value for name, value in vars(op_kinds).items() if name.isupper() and isinstance(value, frozenset)}
    assert kinds
    ops = known()
    assert {name: value - ops for name, value in kinds.items() if value - ops} == {}
