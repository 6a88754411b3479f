"""The same program in the engine, TensorFlow, PyTorch and JAX: the same graph, and in it the same gradients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import numpy as np
import pytest

from tapeviz import replay
from tapeviz.events import OpRecorded, OpSkipped
from tapeviz.events.log import EventLog

tensorflow = pytest.importorskip("tensorflow")
pytest.importorskip("torch")
pytest.importorskip("jax")

from docs.op_names import BOOKKEEPING, COMPOSITES, SAME  # noqa: E402
from tests.recorders.four_programs import programs  # noqa: E402

pytestmark = [pytest.mark.tensorflow, pytest.mark.torch, pytest.mark.jax]

COMMUTATIVE = frozenset({"add", "mul"})

NAMED = {
    "mlp": {"w1", "b1", "w2", "z", "h", "p", "d", "loss"},
    "rnn": {"w", "u", "b", "a", "h", "loss"},
    "second": {"x", "y", "total"},
    "custom": {"x", "y", "c", "z", "loss"},
}
"""The tensors of each program that have a name in all four and lead to what is differentiated."""

PROGRAMS = programs(tensorflow)


class Canonical:
    """A log as any framework could have written it.

    What no variable leads to is known by its numbers, a variable by its name, and every other tensor by the op that
    made it and by what that read. `tensors` holds the tensor of each such form that leads to the target, `ops` how
    many ops have the form.
    """

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.run = replay.runs(log)[-1]
        self._forms: dict[int, Hashable] = {}
        self._made: dict[Hashable, list[int]] = {}
        self._variables: dict[Hashable, int] = {}
        for row in log.tensors:
            if row.role == "variable":
                self._forms[row.id] = ("variable", row.name)
                self._variables[self._forms[row.id]] = row.id
        for event in log.events:
            if isinstance(event, (OpRecorded, OpSkipped)):
                self._read(event)
        leading = {form for target in self.run.targets for form in _within(self._forms[target])}
        made = {form: tensors for form, tensors in self._made.items() if form in leading}
        self.ops = Counter({form: len(tensors) for form, tensors in made.items()})
        self.tensors = self._variables | {form: tensors[0] for form, tensors in made.items()}

    def _read(self, op: OpRecorded | OpSkipped) -> None:
        operands = [form for form in map(self._form, op.inputs) if form is not None]
        if all(form[0] == "data" for form in operands):
            return
        [output] = op.outputs
        if op.op in BOOKKEEPING:
            self._forms[output] = operands[0]
            return
        name = SAME.get(op.op, op.op)
        if len(operands) == 1 and (whole := COMPOSITES.get((name, operands[0][0]))):
            self._made.pop(operands[0])
            name, operands = whole, operands[0][1:]
        form = (name, *(sorted(operands, key=repr) if name in COMMUTATIVE else operands))
        self._forms[output] = form
        self._made.setdefault(form, []).append(output)

    def _form(self, tensor: int) -> Hashable:
        """None for a plain number, however often it is repeated: frameworks write it in many ways, or not at all."""
        if tensor in self._forms:
            return self._forms[tensor]
        value = self.log.value(tensor)
        return None if value is None or np.all(value == np.ravel(value)[0]) else ("data", np.asarray(value).tobytes())

    def values(self) -> dict[Hashable, np.ndarray]:
        """The numbers of each tensor: of all but what PyTorch's engine keeps to itself on the way back."""
        known = {form: self.log.value(tensor) for form, tensor in self.tensors.items()}
        return {form: np.asarray(value) for form, value in known.items() if value is not None}

    def arrived(self) -> dict[Hashable, np.ndarray]:
        """The gradient of the last call that arrived at each tensor."""
        totals = dict(zip(self.run.targets, self.run.seeds, strict=True))
        for step in self.run.steps:
            totals |= {each.tensor: each.total for each in step.contributions}
        return {form: np.asarray(self.log.value(totals[at])) for form, at in self.tensors.items() if at in totals}

    def named(self) -> dict[str, list[Hashable]]:
        """The user's names -> the forms of the tensors that have them, in order."""
        found: dict[str, list[Hashable]] = {}
        for form, tensor in sorted(self.tensors.items(), key=lambda each: each[1]):
            name = self.log.tensors[tensor].name
            if name is not None:
                found.setdefault(name, []).append(form)
        return found


def _within(form: Hashable) -> set[Hashable]:
    """A form, and all that it is made of."""
    found, left = set(), [form]
    while left:
        each = left.pop()
        if each not in found and isinstance(each, tuple):
            found.add(each)
            left += each[1:]
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_four_agree(name: str) -> None:
    logs = {framework: Canonical(record()) for framework, record in PROGRAMS[name].items()}
    engine = logs["engine"]
    assert NAMED[name] <= engine.named().keys()
    for framework, log in logs.items():
        assert log.ops == engine.ops, framework
        assert [log.named()[each] for each in NAMED[name]] == [engine.named()[each] for each in NAMED[name]], framework
        assert log.arrived().keys() == engine.arrived().keys(), framework
        assert_close(log.arrived(), engine.arrived())
        assert len(log.values()) >= len(engine.values()) - (framework == "torch")
        assert_close(log.values(), engine.values())


def assert_close(ours: dict[Hashable, np.ndarray], theirs: dict[Hashable, np.ndarray]) -> None:
    for form, array in ours.items():
        np.testing.assert_allclose(array.reshape(theirs[form].shape), theirs[form], rtol=1e-5, atol=1e-5)
