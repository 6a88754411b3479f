"""Every op and module that PyTorch tests itself with: recorded it gives the same bits, and the log the gradients."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.replay import runs
from tests.recorders.torch.test_programs import arrived

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="PyTorch's own samples need it")
pytestmark = [pytest.mark.torch, pytest.mark.slow]

UNSET = {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
"""Their results are whatever was in memory."""
INITIALS = "_abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def ops() -> list[Any]:
    """Those that run on a CPU, with their samples; they take seconds to import."""
    from torch.testing._internal.common_methods_invocations import op_db

    here = [each for each in op_db if each.supported_dtypes("cpu") and not each.name.startswith("jiterator")]
    return [each for each in here if each.name not in UNSET]


@pytest.fixture(scope="module")
def modules() -> list[Any]:
    from torch.testing._internal.common_modules import module_db

    return list(module_db)


def seed() -> None:
    """`torch.manual_seed(0)` of a CPU alone: that of devices which are not here writes out the stack for each."""
    torch.default_generator.manual_seed(0)


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in a structure."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from tensors(each)


def written_out(tensor: Any) -> Any:
    """A tensor's elements one after the other, however it keeps them."""
    if tensor._is_zerotensor():
        return torch.zeros(tensor.shape, dtype=tensor.dtype)
    plain = tensor.detach()
    return (plain if plain.layout is torch.strided else plain.to_dense()).resolve_conj().resolve_neg().contiguous()


def bits(tensor: Any) -> Any:
    """A tensor, so that two are equal if and only if every bit is."""
    if tensor is None:
        return None
    plain = written_out(tensor)
    return plain.dtype, tuple(plain.shape), plain.flatten().view(torch.uint8).numpy().tobytes()


class Outcome(NamedTuple):
    """What came out, and the leaves of what was given, with their gradients."""

    results: list[Any]
    leaves: list[Any]

    @property
    def bits(self) -> list[Any]:
        return [bits(each) for each in (*self.results, *(each.grad for each in self.leaves))]


def differentiated(given: Any, out: Any) -> Outcome:
    """Takes the gradient of the sum of what came out."""
    ends = [each for each in tensors(out) if each.requires_grad and each.layout is torch.strided]
    if ends:
        sum((each.abs() if each.is_complex() else each).sum() for each in ends).backward()
    return Outcome(list(tensors(out)), [each for each in tensors(given) if each.is_leaf])


def is_told(log: EventLog, outcome: Outcome) -> bool:
    """Whether the log has the gradients that arrived at the leaves, as far as it keeps their numbers."""
    told = {source: gradient for run in runs(log) for source, gradient in arrived(log, run).items()}
    arrivals = [each for each in outcome.leaves if each.requires_grad and each.grad is not None]
    pairs = [(log.value(told[log.id_of(each)]), written_out(each.grad)) for each in arrivals]
    return all(np.array_equal(a, b.numpy(), equal_nan=True) for a, b in pairs if isinstance(a, np.ndarray))


def recorded_unchanged(program: Callable[[], Outcome]) -> bool | None:
    """Whether a program gives the same when it is recorded, and the log tells it; None where it does not run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            plain = program()
        except Exception:
            return None
        with tv.record() as log:
            recorded = program()
        tv.diagnose(log)
        tv.table(log)
    return plain.bits == recorded.bits and is_told(log, recorded)


def first_samples(op: Any) -> Iterator[Any]:
    """The first arguments that PyTorch tests an op with: of floats and of complex numbers, if it takes any of these.

    They are drawn as `op.sample_inputs` draws them, which also searches the stack for a unittest each time.
    """
    takes = op.supported_dtypes("cpu")
    for dtype in {torch.float32, torch.complex64} & takes or takes:
        followed = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
        seed()
        yield from islice(op.sample_inputs_func(op, "cpu", dtype, followed), 1)


@pytest.mark.parametrize("initial", INITIALS)
def test_an_op_gives_what_it_gives_without_recording(ops: list[Any], initial: str) -> None:
    def program(op: Any, sample: Any) -> Outcome:
        seed()
        given = copy.deepcopy((sample.input, sample.args, sample.kwargs))
        return differentiated(given, op(given[0], *given[1], **given[2]))

    named = [each for each in ops if each.name.removeprefix("nn.functional.")[0] == initial]
    samples = [(op, sample) for op in named for sample in first_samples(op)]
    outcomes = [(op.name, recorded_unchanged(partial(program, op, sample))) for op, sample in samples]
    assert [name for name, unchanged in outcomes if unchanged is False] == []
    assert sum(unchanged is not None for _, unchanged in outcomes) >= 0.8 * len(outcomes)


@pytest.mark.parametrize("training", [True, False])
def test_a_module_gives_what_it_gives_without_recording(modules: list[Any], training: bool) -> None:
    def program(info: Any, sample: Any) -> Outcome:
        seed()
        made, called = sample.constructor_input, sample.forward_input
        module = info.module_cls(*made.args, **made.kwargs).train(training)
        given = copy.deepcopy((called.args, called.kwargs))
        return differentiated((given, list(module.parameters())), module(*given[0], **given[1]))

    outcomes = []
    for info in modules:
        seed()
        samples = info.module_inputs_func(info, "cpu", torch.float32, requires_grad=True, training=training)
        sample = next((each for each in samples if each.forward_input is not None), None)
        if sample is not None:
            outcomes.append((info.name, recorded_unchanged(partial(program, info, sample))))
    assert [name for name, unchanged in outcomes if unchanged is False] == []
    assert sum(unchanged is not None for _, unchanged in outcomes) >= 0.8 * len(outcomes) > 50
