"""Every public function against real TensorFlow: values, dtypes, shapes, error classes, and gradients twice over.

A case is an expression in which `tf` is one library or the other, and `x`, `v`, `m` are the same numbers in both.
"""

from __future__ import annotations

import dis
import inspect
import re
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.ops import OPS
from tests.sampling import quarter
from tests.tf.api_cases import BEYOND, DRAWN, ERRORS, PRINTED, REFUSED, SLOPES, TOLD, VALUES
from tests.told import is_told

pytestmark = pytest.mark.tensorflow


def _scope(tf: Any) -> dict[str, Any]:
    """The names an expression may use."""
    return {
        "tf": tf,
        "np": np,
        "s": tf.constant(0.7),
        "v": tf.constant([0.5, -1.5, 2.5]),
        "p": tf.constant([0.5, 1.5, 2.5]),
        "m": tf.constant([[0.5, -1.5, 2.5], [1.0, 0.25, -0.75]]),
        "a": tf.constant([[4.0, 1.0], [1.0, 3.0]]),
        "z": tf.constant([1 + 2j, -0.5 + 0.3j, 0.2 - 1j], tf.complex64),
        "w": tf.constant([0.3 - 0.4j, 2 + 1j, -1 + 1j], tf.complex64),
        "h": tf.constant([[4 + 0j, 1 + 1j], [1 - 1j, 3 + 0j]], tf.complex64),
        "i": tf.constant([3, -7, 2]),
        "b": tf.constant([True, False, True]),
    }


def _evaluated(expression: str, tf: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(expression, _scope(tf))


def _plain(value: Any) -> Any:
    """Tensors as arrays, structures as lists."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "as_list"):
        return [_plain(each) for each in value]
    return np.asarray(value)


def _assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _assert_same(one, other)
        return
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if theirs.dtype.kind in "fc":
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)
    else:
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("expression", quarter([*SLOPES, *VALUES]))
def test_an_expression_has_the_value_that_tensorflow_gives(expression: str, tensorflow: ModuleType) -> None:
    ours = _evaluated(expression, tapeviz)
    _assert_same(_plain(ours), _plain(_evaluated(expression, tensorflow)))


@pytest.mark.parametrize("expression", DRAWN)
def test_what_is_drawn_has_shape_and_dtype(expression: str, tensorflow: ModuleType) -> None:
    ours, theirs = _evaluated(expression, tapeviz), _evaluated(expression, tensorflow)
    assert (tuple(ours.shape), ours.dtype.name) == (tuple(theirs.shape), theirs.dtype.name)


def _error(expression: str, tf: Any) -> str | None:
    try:
        _evaluated(expression, tf)
    except Exception as error:
        return type(error).__name__
    return None


@pytest.mark.parametrize("expression", PRINTED)
def test_print_writes_what_that_of_tensorflow_does(expression: str, tensorflow: ModuleType, tmp_path: Any) -> None:
    texts = []
    for tf in (tapeviz, tensorflow):
        path = tmp_path / tf.__name__
        _evaluated(f"tf.print({expression}, output_stream='file://{path}')", tf)
        texts.append(path.read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("expression", quarter(ERRORS))
def test_a_misuse_raises_the_class_that_tensorflow_raises(expression: str, tensorflow: ModuleType) -> None:
    theirs = _error(expression, tensorflow)
    assert theirs is not None, "TensorFlow raises nothing"
    assert _error(expression, tapeviz) == theirs


@pytest.mark.parametrize("expression", quarter(TOLD))
def test_a_misuse_is_told(expression: str, tensorflow: ModuleType) -> None:
    for tf in (tensorflow, tapeviz):
        with pytest.raises(Exception) as raised:  # noqa: PT011  # of any class: that is the test above
            _evaluated(expression, tf)
    assert is_told(expression, str(raised.value))


@pytest.mark.parametrize("expression", quarter(REFUSED))
def test_an_error_where_there_is_none_of_tensorflows(expression: str) -> None:
    assert _error(expression, tapeviz) == "InvalidArgumentError"


def _gradients(expression: str, tf: Any) -> list[Any]:
    """For each float argument in the expression, first and second derivative, None where there is none."""
    names = [name for name in "svpmazwh" if name in _names(expression)]
    scope = _scope(tf)
    sources = [scope[name] for name in names]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(sources)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch(sources)
            y = eval(expression, scope)
        first = inner.gradient(y, sources)
        # a slope that is not constant, so that a second derivative shows
        weighted = [None if g is None else tf.reduce_sum(g * tf.cast(0.75, g.dtype)) for g in first]
    second = [None if w is None else outer.gradient(w, sources) for w in weighted]
    return [first, second]


def _names(expression: str) -> set[str]:
    return {node for code in [compile(expression, "", "eval")] for node in _all_names(code)}


def _all_names(code: Any) -> set[str]:
    inner = [const for const in code.co_consts if hasattr(const, "co_names")]
    return set(code.co_names).union(*map(_all_names, inner))


def _assert_same_gradients(ours: Any, theirs: Any) -> None:
    assert (ours is None) == (theirs is None)
    if isinstance(theirs, list):
        for one, other in zip(ours, theirs, strict=True):
            _assert_same_gradients(one, other)
    elif theirs is not None:
        _assert_same(np.asarray(ours), np.asarray(theirs))


@pytest.mark.parametrize("expression", quarter(SLOPES))
def test_an_expression_has_the_gradients_that_tensorflow_gives(expression: str, tensorflow: ModuleType) -> None:
    _assert_same_gradients(_gradients(expression, tapeviz), _gradients(expression, tensorflow))


def _only_raises(function: Any) -> bool:
    return getattr(function, "__annotations__", {}).get("return") == "NoReturn"


MADE_OF_ROWS = {name for op in OPS.values() if op.public is not None for name in op.public.names.split()}
"""The functions that `differential/test_dtypes.py` calls with every dtype, and takes the gradients of."""


def test_every_name_is_tensorflows(tensorflow: ModuleType) -> None:
    missing = object()
    names = EXPORTS.keys() - BEYOND
    assert [name for name in sorted(names) if _found(tensorflow, name, missing) is missing] == []


def _found(module: Any, name: str, missing: object) -> Any:
    for part in name.split("."):
        module = getattr(module, part, missing)
    return module


def test_every_name_has_a_case() -> None:
    cases = "\n".join([*VALUES, *DRAWN, *SLOPES, *(f"tf.print({each})" for each in PRINTED)])
    refused = "\n".join([cases, *ERRORS])
    met = {
        function
        for name, function in EXPORTS.items()
        if name in MADE_OF_ROWS
        or any(f"tf.{name}{mark}" in (refused if _only_raises(function) else cases) for mark in "(.")
    }
    assert [name for name, function in EXPORTS.items() if function not in met] == []  # a synonym of it may have one


def test_a_function_is_called_by_a_public_name_of_its_own() -> None:
    functions = {each for each in EXPORTS.values() if inspect.isfunction(each)}
    assert len(functions) > 300
    for each in functions:
        assert each.__name__ in {name.rpartition(".")[2] for name, other in EXPORTS.items() if other is each}


@pytest.mark.parametrize("name", ["py_function", "transpose"])
def test_an_error_has_the_name_that_the_program_uses(name: str) -> None:
    with pytest.raises(TypeError, match=rf"\b{name}\b"):
        getattr(tapeviz, name)()


MISFITS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "nothing": ((), {}),
    "an unknown name": ((), {"axes": 1}),
    "an unknown name beside an input": ((1.0,), {"axes": 1}),
    "too many": ((1.0,) * 30, {}),
    "too many and an unknown name": ((1.0,) * 30, {"axes": 1}),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_arguments_that_do_not_fit_name_the_function(misfit: str) -> None:
    positional, named = MISFITS[misfit]
    told = 0
    for ours in filter(inspect.isfunction, EXPORTS.values()):
        try:
            inspect.signature(ours).bind(*positional, **named)
        except TypeError:
            assert re.match(rf"{ours.__name__}\(\) |tf.{ours.__name__} ", _said(ours, *positional, **named)), ours
            told += 1
    assert told > 200


def test_the_argument_that_is_missing_or_given_twice_is_named() -> None:
    assert _said(tapeviz.matmul, 1.0, 2.0, a=1.0) == "matmul() got multiple values for argument 'a'"
    assert "'clip_value_min' and 'clip_value_max'" in _said(tapeviz.clip_by_value, [1.0])


def _said(function: Any, *args: Any, **kwargs: Any) -> str:
    """The words of the error that a call raises; none if it raises none."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        return str(error)
    return ""


NO_EFFECT = {
    *("name", "layout", "device_name", "alg", "stable", "sorted", "shift", "var", "fast", "partial", "stateful"),
    *(
        "parallel_iterations",
        "back_prop",
        "strict",
        "swap_memory",
        "shape_invariants",
        "infer_shape",
        "fallback_to_while_loop",
    ),
    *("warn", "a_is_sparse", "b_is_sparse", "grad_a", "grad_b", "validate_args", "validate_indices", "summarize"),
    *("Tout", "data"),
}
"""Arguments that change no number: advice on how to run, checks always made, orders always kept, dtypes announced,
what is shown."""


def test_no_argument_is_taken_and_forgotten() -> None:
    forgotten = {name: _unread(function) - NO_EFFECT for name, function in EXPORTS.items()}
    assert {name: arguments for name, arguments in forgotten.items() if arguments} == {}


def _unread(function: Any) -> set[str]:
    """The arguments of a function that its code never loads; none of a class, or of what only raises."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or _only_raises(function):
        return set()
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    read = {each.argval for each in dis.get_instructions(code) if "LOAD" in each.opname}
    read = read.union(*(each if isinstance(each, tuple) else (each,) for each in read))
    return set(taken) - read


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"reduce_summ.*tf\.reduce_sum"):
        tapeviz.reduce_summ  # noqa: B018
    with pytest.raises(AttributeError, match=r"tf\.math\.reduce_std"):
        tapeviz.reduce_std  # noqa: B018
