"""Every op and every module that PyTorch tests itself with: recorded it gives the same bits, and its log is read."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.replay import runs

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


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in a structure."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from tensors(each)


def bits(tensor: Any) -> Any:
    """A tensor, so that two are equal if and only if every bit is."""
    if tensor is None:
        return None
    plain = tensor.detach().to_dense() if tensor.layout is not torch.strided else tensor.detach()
    plain = plain.resolve_conj().resolve_neg().contiguous()
    return plain.dtype, tuple(plain.shape), bytes(plain.flatten().view(torch.uint8).tolist()) if plain.numel() else b""


def differentiated(given: Any, out: Any) -> list[Any]:
    """What came out, and the gradient of its sum by every leaf of what was given."""
    ends = [each for each in tensors(out) if each.requires_grad and each.layout is torch.strided]
    if ends:
        sum((each.abs() if each.is_complex() else each).sum() for each in ends).backward()
    leaves = [each.grad for each in tensors(given) if each.is_leaf]
    return [bits(each) for each in (*tensors(out), *leaves)]


def recorded_unchanged(program: Callable[[], list[Any]]) -> bool | None:
    """Whether a program gives the same when it is recorded, None where it does not run; its log's views are made."""
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
        list(runs(log))
    return plain == recorded


def first_sample(op: Any) -> Any:
    """The first arguments that PyTorch tests an op with, of floats if it takes any; None where there are none."""
    takes = op.supported_dtypes("cpu")
    dtype = next(each for each in (torch.float32, torch.complex64, torch.int64, *takes) if each in takes)
    followed = op.supports_autograd and (dtype.is_floating_point or dtype.is_complex)
    return next(iter(op.sample_inputs("cpu", dtype, requires_grad=followed)), None)


@pytest.mark.parametrize("initial", INITIALS)
def test_an_op_gives_what_it_gives_without_recording(ops: list[Any], initial: str) -> None:
    def program(op: Any, sample: Any) -> list[Any]:
        torch.manual_seed(0)
        given = copy.deepcopy((sample.input, sample.args, sample.kwargs))
        return differentiated(given, op(given[0], *given[1], **given[2]))

    named = [each for each in ops if each.name.removeprefix("nn.functional.")[0] == initial]
    samples = [(op, sample) for op in named if (sample := first_sample(op)) is not None]
    outcomes = [(op.name, recorded_unchanged(partial(program, op, sample))) for op, sample in samples]
    assert [name for name, unchanged in outcomes if unchanged is False] == []
    assert sum(unchanged is not None for _, unchanged in outcomes) >= 0.8 * len(outcomes)


@pytest.mark.parametrize("training", [True, False])
def test_a_module_gives_what_it_gives_without_recording(modules: list[Any], training: bool) -> None:
    def program(info: Any, sample: Any) -> list[Any]:
        torch.manual_seed(0)
        made, called = sample.constructor_input, sample.forward_input
        module = info.module_cls(*made.args, **made.kwargs).train(training)
        given = copy.deepcopy((called.args, called.kwargs))
        return differentiated((given, list(module.parameters())), module(*given[0], **given[1]))

    outcomes = []
    for info in modules:
        torch.manual_seed(0)
        samples = info.module_inputs_func(info, "cpu", torch.float32, requires_grad=True, training=training)
        sample = next((each for each in samples if each.forward_input is not None), None)
        if sample is not None:
            outcomes.append((info.name, recorded_unchanged(partial(program, info, sample))))
    assert [name for name, unchanged in outcomes if unchanged is False] == []
    assert sum(unchanged is not None for _, unchanged in outcomes) >= 0.8 * len(outcomes) > 50
