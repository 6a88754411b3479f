"""Each piece by itself, and a sample of what `python -m tests.recorders.random_programs` runs long."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events.catalog import MAPPED
from tapeviz.graph import build
from tests.recorders.random_programs.composing import FRAMEWORKS
from tests.recorders.random_programs.running import run, wrong_with
from tests.sampling import sample

SEEDS = range(300)
MOST = 2
"""Random programs per framework."""

pytestmark = pytest.mark.skipif(
    not all(map(find_spec, FRAMEWORKS)), reason="bridges need PyTorch, TensorFlow and JAX in one process"
)


def each_framework() -> Iterator[Any]:
    for name in FRAMEWORKS:
        yield pytest.param(name, marks=getattr(pytest.mark, name))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(each_framework()))
def test_a_piece_does_the_same_when_it_is_recorded(name: str) -> None:
    framework = FRAMEWORKS[name]
    wrong = {piece: wrong_with(framework, framework.of_one(piece)) for piece in framework.pieces()}
    assert {piece: each for piece, each in wrong.items() if each} == {}


@pytest.mark.parametrize("name", list(each_framework()))
def test_a_random_program_does_the_same_when_it_is_recorded(name: str) -> None:
    framework = FRAMEWORKS[name]
    wrong = {seed: wrong_with(framework, framework.program(seed)) for seed in sample(SEEDS, MOST)}
    assert {seed: each for seed, each in wrong.items() if each} == {}


@pytest.mark.torch
@pytest.mark.parametrize(
    ("piece", "rows"), [("mapped", {2}), ("mapped_over_columns", {2}), ("mapped_twice", {(3, 3)}), ("scripted", set())]
)
def test_how_many_rows_an_op_has_is_said(piece: str, rows: set[Any]) -> None:
    """Of a function that `vmap` maps, whose tensors have them all, in front."""
    framework = FRAMEWORKS["torch"]
    with tv.record() as log:
        run(framework, framework.of_one(piece))
    mapped = [op for op in build(log).ops.values() if MAPPED in dict(op.attrs)]
    assert {dict(op.attrs)[MAPPED] for op in mapped} == rows
    for op in mapped:
        count = dict(op.attrs)[MAPPED]
        axes = count if isinstance(count, tuple) else (count,)
        assert log.tensors[op.outputs[0]].shape[: len(axes)] == axes, op


@pytest.mark.jax
@pytest.mark.torch
def test_what_a_callback_of_jax_runs_is_logged_as_often_as_it_ran() -> None:
    framework = FRAMEWORKS["jax"]
    with tv.record() as log:
        run(framework, framework.of_one("jax_through_torch"))
    assert [op.op for op in build(log).ops.values()].count("tanh") == 2  # forth, and again for the way back
