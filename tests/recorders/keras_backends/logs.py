"""A log of a program of Keras -> its gradients by name, its layers, and its ops as Keras' functions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from docs.op_names import BOOKKEEPING
from tapeviz import replay
from tapeviz.events import EventLog, OpRecorded

PROGRAMS = Path(__file__).parent / "programs"
BACKENDS = ("tensorflow", "torch", "jax")
FUNCTIONS = {"var", "loss_of", "train_step", "by_tensorflow", "by_torch", "by_jax"}
"""Scopes that are functions: one of JAX's own, and those of the programs, which take the gradient in three ways."""
PAGE = Path(__file__).parents[3] / "docs" / "keras.md"


def gradients(log: EventLog) -> dict[str, np.ndarray]:
    """The gradients of the last call, by what their variables are called."""
    run = replay.runs(log)[-1]
    found = {str(log.tensors[source].name): run.gradient(source) for source in run.sources}
    return {name: np.asarray(log.value(each)) for name, each in found.items() if each is not None}


def on_the_way(log: EventLog) -> list[OpRecorded]:
    """The ops between the sources of the last gradient call and its target."""
    run = replay.runs(log)[-1]
    recorded = [each for each in log.events if isinstance(each, OpRecorded)]
    led, leading = set(run.sources), set(run.targets)
    for op in recorded:
        if led.intersection(op.inputs):
            led.update(op.outputs)
    for op in reversed(recorded):
        if leading.intersection(op.outputs):
            leading.update(op.inputs)
    return [op for op in recorded if led.intersection(op.inputs) and leading.intersection(op.outputs)]


def layer_of(log: EventLog, op: OpRecorded) -> str:
    """The scopes of an op that are layers, models and losses."""
    names = [log.scopes[each].name for each in log.outward(op.scope)]
    return "/".join(name for name in reversed(names) if name not in FUNCTIONS)


def rows() -> dict[str, dict[str, list[tuple[str, ...]]]]:
    """Backend -> Keras' function -> the sequences of ops that the published table has for it."""
    found: dict[str, dict[str, list[tuple[str, ...]]]] = {each: defaultdict(list) for each in BACKENDS}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [each.strip() for each in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 1 + len(BACKENDS):
            name = cells[0].split("`")[1]
            for backend, cell in zip(BACKENDS, cells[1:], strict=True):
                found[backend][name].append(tuple(re.findall(r"`(\w+)`", cell)))
    return found


def functions(log: EventLog, backend: str) -> Iterator[tuple[str, str, list[OpRecorded]]]:
    """Keras' functions in the order in which they ran: the layer, the function, and its ops."""
    ops = [op for op in on_the_way(log) if op.op not in BOOKKEEPING]
    table = rows()[backend]
    candidates = sorted(((row, name) for name, each in table.items() for row in each), key=lambda it: -len(it[0]))
    while ops:
        layer = layer_of(log, ops[0])
        own = [op.op for op in next(groupby(ops, key=lambda op: layer_of(log, op)))[1]]
        found = next(((row, name) for row, name in candidates if tuple(own[: len(row)]) == row), None)
        assert found is not None, f"no row of {PAGE.name} begins {own} in {layer} on {backend}"
        row, name = found
        yield layer, name, ops[: len(row)]
        ops = ops[len(row) :]


def graph(log: EventLog, backend: str) -> Hashable:
    """The target as made of functions of Keras', each by its layer and what it reads, down to the named variables."""
    run = replay.runs(log)[-1]
    forms: dict[int, Hashable] = {each: str(log.tensors[each].name) for each in run.sources}
    grouped = list(functions(log, backend))
    group = {op.outputs: index for index, (_, _, ops) in enumerate(grouped) for op in ops}
    index_of = {tensor: index for outputs, index in group.items() for tensor in outputs}
    for op in on_the_way(log):
        if op.op in BOOKKEEPING:
            [only] = [each for each in op.inputs if each in forms or each in index_of][:1]
            for tensor in op.outputs:
                index_of[tensor] = index_of.get(only, -1)
                forms.setdefault(tensor, forms.get(only))
            continue
        index = group[op.outputs]
        layer, name, ops = grouped[index]
        if op is not ops[-1]:
            continue
        reads = [each for own in ops for each in own.inputs if index_of.get(each, -1) != index]
        known = {forms[each] for each in reads if forms.get(each) is not None}
        form = (layer, name, frozenset(known))
        for own in ops:
            forms.update(dict.fromkeys(own.outputs, form))
    return forms[run.targets[0]]
