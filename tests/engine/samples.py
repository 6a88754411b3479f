"""The name of an op -> arguments on which its derivatives can be checked by finite differences.

A sample states only the domain: shapes, ranges, attributes. Floats are float64, and keep away from kinks and ties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tapeviz.engine.op import Op
from tapeviz.engine.ops import OPS

ONCE = {"softsign"}
"""Whose derivative TensorFlow has no gradient of, so that no tangent goes through it either."""

_source = np.random.default_rng(7)


@dataclass(frozen=True)
class Sample:
    """What an op is called with."""

    arguments: tuple[Any, ...]
    attributes: dict[str, Any]


def _of(*arguments: Any, **attributes: Any) -> Sample:
    return Sample(arguments, attributes)


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Any:
    """Numbers from a range; their distances from 0 and from each other are far larger than the checks' steps."""
    count = int(np.prod(shape))
    numbers = low + (high - low) * (_source.permutation(count) + 0.37) / count
    return numbers.reshape(shape) if shape else np.float64(numbers[0])


def positive(*shape: int) -> Any:
    return real(*shape, low=0.3, high=2.5)


def inside(*shape: int) -> Any:
    """Within (-1, 1)."""
    return real(*shape, low=-0.8, high=0.8)


def unreal(*shape: int) -> Any:
    """Complex numbers, none near the real axis."""
    return positive(*shape) + 1j * real(*shape)


def ints(values: Any) -> Any:
    return np.array(values, np.int32)


def true(values: Any) -> Any:
    return np.array(values, bool)


def definite(n: int, *batch: int) -> Any:
    """A symmetric positive definite matrix."""
    root = real(*batch, n, n)
    return root @ root.swapaxes(-1, -2) + 2 * np.eye(n)


PAIRS = [(real(2, 3), real(2, 3)), (real(2, 3), real(3)), (real(2, 1), real(1, 3)), (real(), real(2))]
"""Two operands: of one shape, and stretched against each other."""


def unary(make: Any = real, **attributes: Any) -> list[Sample]:
    return [_of(make(), **attributes), _of(make(2, 3), **attributes)]


def binary(*pairs: Any) -> list[Sample]:
    return [_of(*pair) for pair in pairs or PAIRS]


_APART = [(x, y + 0.011) for x, y in PAIRS]
_DENOMINATOR = [(real(2, 3), positive(2, 3)), (real(2, 3), positive(3)), (real(2, 1), -positive(1, 3)),
                (real(), positive(2))]  # fmt: skip
_BOOLS = [(true([True, False]), true([True, True]))]
_NONE = ((0, 0), (0, 0))
_MASK = true([[True, False, True], [False, True, True]])


def reductions(make: Any = real) -> list[Sample]:
    """All axes, one, several, kept or dropped."""
    return [
        _of(make(2, 3), axis=None, keepdims=False),
        _of(make(2, 3), axis=1, keepdims=False),
        _of(make(2, 3), axis=-2, keepdims=True),
        _of(make(2, 3, 2), axis=(0, 2), keepdims=False),
        _of(make(), axis=None, keepdims=False),
    ]


def running() -> list[Sample]:
    return [
        _of(positive(3), axis=0, exclusive=False, reverse=False),
        _of(positive(2, 3), axis=1, exclusive=True, reverse=False),
        _of(positive(2, 3), axis=-1, exclusive=True, reverse=True),
    ]


SAMPLES: dict[str, list[Sample]] = {
    "add": binary(), "sub": binary(), "mul": binary(), "squared_difference": binary(), "equal": binary(),
    "not_equal": binary(), "less": binary(), "less_equal": binary(), "greater": binary(), "greater_equal": binary(),
    "maximum": binary(*_APART), "minimum": binary(*_APART), "atan2": binary(*_DENOMINATOR),
    "div": binary(*_DENOMINATOR), "floordiv": binary(*_DENOMINATOR), "divide_no_nan": binary(*_DENOMINATOR),
    "multiply_no_nan": binary(*_DENOMINATOR), "xdivy": binary(*_DENOMINATOR),
    "xlogy": binary((real(2, 3), positive(3))), "xlog1py": binary((real(2, 3), positive(3))),
    "mod": binary((real(2, 3), positive(3) + 2), (positive(2, 1) + 5, positive(3))),
    "truncatediv": binary((ints([7, -7]), ints([2, 2]))), "truncatemod": binary((real(2, 3), positive(3))),
    "pow": binary((positive(2, 3), real(2, 3)), (positive(2, 3), real(3)), (positive(2, 1), real(1, 3)),
                  (positive(), real(2))),
    "logical_and": binary(*_BOOLS), "logical_or": binary(*_BOOLS), "logical_xor": binary(*_BOOLS),
    "logical_not": [_of(true([True, False]))],
    "polygamma": [_of(ints([0, 1, 3]), positive(2, 3))],
    "add_n": [_of(real(2), real(2), real(2))],
    "neg": unary(), "abs": unary(), "sign": unary(), "square": unary(), "reciprocal": unary(positive),
    "sqrt_grad": [_of(real(2, 3), positive(2, 3))], "rsqrt_grad": [_of(real(2, 3), positive(2, 3))],
    "reciprocal_grad": [_of(real(2, 3), positive(2, 3))],
    "sqrt": unary(positive), "rsqrt": unary(positive), "exp": unary(), "expm1": unary(), "log": unary(positive),
    "log1p": unary(positive), "erf": unary(), "erfc": unary(), "sin": unary(), "cos": unary(), "tan": unary(inside),
    "asin": unary(inside), "acos": unary(inside), "atan": unary(), "sinh": unary(), "cosh": unary(), "tanh": unary(),
    "asinh": unary(), "acosh": unary(lambda *shape: 1 + positive(*shape)), "atanh": unary(inside),
    "lgamma": unary(positive), "digamma": unary(positive),
    "floor": unary(), "ceil": unary(), "round": unary(), "rint": unary(),
    "is_nan": unary(), "is_inf": unary(), "is_finite": unary(), "zeros_like": unary(), "ones_like": unary(),
    "complex": binary(), "real": unary(unreal), "imag": unary(unreal), "conj": unary(unreal),
    **{op: [_of(unreal(2, 3))] for op in ("fft", "ifft", "fft2d", "ifft2d")},
    **{op: [_of(unreal(2, 1, 3))] for op in ("fft3d", "ifft3d")},
    "angle": unary(unreal), "complex_abs": unary(unreal),
    "mask": [_of(real(2, 3), _MASK)],
    "where": [_of(_MASK, real(2, 3), real(2, 3)), _of(_MASK, real(3), real()), _of(_MASK[0], real(2, 1), real(3))],
    "sum_to": [_of(real(2, 3), shape=(3,)), _of(real(2, 3), shape=(2, 1)), _of(real(2, 3), shape=())],
    "broadcast_to": [_of(real(3), shape=(2, 3)), _of(real(2, 1), shape=(4, 2, 3)), _of(real(), shape=(2,))],
    # shapes
    "reshape": [_of(real(2, 3), shape=(3, 2)), _of(real(1), shape=())],
    "transpose": [_of(real(2, 3, 4), perm=(2, 0, 1)), _of(real(), perm=())],
    "expand_dims": [_of(real(2, 3), axis=1), _of(real(), axis=0)],
    "squeeze": [_of(real(2, 1, 3), axis=(1,)), _of(real(1, 1), axis=None)],
    "reverse": [_of(real(2, 3), axis=(0, 1)), _of(real(2, 3), axis=())],
    "roll": [_of(real(2, 3), shift=(1, 2), axis=(0, 1))],
    "identity": unary(), "stop_gradient": unary(),
    "identity_n": [_of(real(2), real(3))], "check_numerics": [_of(real(2, 3), message="x")],
    "cast": [_of(real(2), dtype="float64", source="float64")],
    "concat": [_of(real(2, 1), real(2, 3), axis=1), _of(real(2), real(3), axis=0)],
    "stack": [_of(real(2), real(2), axis=-1), _of(real(), real(), axis=0)],
    "unstack": [_of(real(2, 3), axis=1), _of(real(3), axis=0)],
    "split": [_of(real(2, 4), sizes=(1, 3), axis=1)],
    "tile": [_of(real(2, 3), multiples=(2, 3))],
    "repeat": [_of(real(2, 3), repeats=(1, 3), axis=0)],
    "pad": [_of(real(2, 3), paddings=((1, 0), (2, 1)), constant_values=1.5)],
    "mirror_pad": [_of(real(2, 3), paddings=((1, 0), (2, 2)), beyond=1)],
    "mirror_pad_grad": [_of(real(4, 7), paddings=((2, 0), (1, 3)), beyond=0)],
    "getitem": [
        _of(real(3, 4), index=(0,)), _of(real(3, 4), index=((None, None, -1), 1)),
        _of(real(3, 4), index=("...", (1, 3, None), None)), _of(real(3), index=(-1,)),
    ],
    "put": [_of(real(4), index=(1,), shape=(3, 4)), _of(real(2), index=((0, 3, 2),), shape=(3,))],
    "gather": [
        _of(real(3, 2), ints([2, 0, 2]), axis=0, batch_dims=0), _of(real(2, 3), ints([[0], [2]]), axis=1, batch_dims=0),
        _of(real(2, 3), ints([[0, 0], [2, 1]]), axis=1, batch_dims=1), _of(real(3), np.int32(1), axis=0, batch_dims=0),
        _of(real(2, 2, 3), ints([[0], [2]]), axis=2, batch_dims=1),
        _of(real(2, 3, 2), ints([[2, 2], [0, 1]]), axis=1, batch_dims=1),
    ],
    "scatter_rows": [_of(real(3, 2), ints([2, 0, 2]), shape=(3, 2), axis=0, batch_dims=0)],
    "gather_nd": [_of(real(2, 3), ints([[0, 1], [0, 1], [1, 2]]), batch_dims=0),
                  _of(real(2, 3), ints([[1]]), batch_dims=0), _of(real(2, 3), ints([[1], [2]]), batch_dims=1)],
    "scatter_nd": [_of(real(3), ints([[0, 1], [0, 1], [1, 2]]), shape=(2, 3), batch_dims=0)],
    "tensor_scatter_nd_update": [_of(real(3), ints([[2], [0]]), real(2))],
    "tensor_scatter_nd_add": [_of(real(3), ints([[2], [2]]), real(2))],
    "tensor_scatter_nd_sub": [_of(real(3), ints([[2], [2]]), real(2))],
    "tensor_scatter_nd_max": [_of(real(3), ints([[2], [2]]), real(2))],
    "tensor_scatter_nd_min": [_of(real(3), ints([[2], [0]]), real(2))],
    "unsorted_segment_sum": [_of(real(3, 2), ints([1, 0, 1]), num_segments=3, axis=0)],
    "unsorted_segment_max": [_of(real(4, 2), ints([1, 0, 1, -1]), num_segments=2, empty=None)],
    "unsorted_segment_min": [_of(real(3, 2), ints([1, 0, 1]), num_segments=3, empty=0)],
    "unsorted_segment_prod": [_of(real(4, 2), ints([1, 0, 1, -1]), num_segments=3, empty=None)],
    "boolean_mask": [_of(real(2, 3), _MASK, axis=0), _of(real(2, 3, 2), _MASK[0], axis=1)],
    "put_mask": [_of(real(4), _MASK, shape=(2, 3), axis=0)],
    "argsort": [_of(real(4), axis=-1, descending=True)],
    "take_along": [_of(real(2, 3), ints([[2, 0], [1, 2]]), axis=1)],
    "put_along": [_of(real(2, 2), ints([[2, 0], [1, 2]]), shape=(2, 3), axis=1)],
    "sort": [_of(real(2, 4), axis=-1, descending=False), _of(real(4, 2), axis=0, descending=True)],
    "top_k": [_of(real(2, 4), k=2)],
    "shape": [_of(real(2, 3), out_type="int32")], "size": [_of(real(2, 3), out_type="int32")], "rank": unary(),
    "one_hot": [_of(ints([0, 2, 9]), depth=3, on_value=1, off_value=0, axis=-1, dtype="float64")],
    "where_true": [_of(_MASK)],
    "unique": [_of(np.array([2.0, 1.0, 2.0]), out_idx="int32")],
    "bincount": [_of(ints([1, 0, 1]), positive(3), length=2, by_row=False, binary=False)],
    "in_top_k": [_of(ints([1, 0]), real(2, 3), k=1)],
    "searchsorted": [_of(np.array([1.0, 2.0, 3.0]), np.array([0.5, 2.0]), side="left", out_type="int32")],
    # reductions
    "reduce_sum": reductions(), "reduce_mean": reductions(), "reduce_max": reductions(), "reduce_min": reductions(),
    "reduce_prod": reductions(), "reduce_logsumexp": reductions(), "reduce_variance": reductions(),
    "reduce_euclidean_norm": reductions(),
    "reduce_any": [_of(_MASK, axis=0, keepdims=False)], "reduce_all": [_of(_MASK, axis=None, keepdims=False)],
    "argmax": [_of(real(2, 3), axis=1, output_type="int64")], "argmin": [_of(real(3), axis=0, output_type="int32")],
    "categorical": [_of(real(2, 3), np.array([[0.1, 0.5, 0.9, 0.0]] * 2), dtype="int64")],
    "cumsum": running(), "cumprod": running(), 
    "cumulative_logsumexp": [
        _of(real(3), axis=0, exclusive=False, reverse=False), _of(real(2, 3), axis=1, exclusive=False, reverse=True),
    ],
    # matrices
    "matmul": binary((real(2, 3), real(3, 2)), (real(2, 2, 3), real(3, 1)), (real(2, 1, 2, 3), real(4, 3, 1))),
    "matrix_transpose": [_of(real(2, 3)), _of(real(2, 3, 4))],
    "einsum": [
        _of(real(2, 3), real(3, 2), equation="ij,jk->ik"), _of(real(2, 3), real(2), real(3), equation="ij,i,j->"),
        _of(real(2, 3), equation="ij->j"), _of(real(2, 3), real(2), equation="ij,k->k"),
        _of(real(1, 2, 3), real(4, 3, 2), equation="Aij,Ajk->Aik"),
    ],
    "diag": [_of(real(3)), _of(real(2, 3))], "diag_part": [_of(real(2, 3)), _of(real(2, 3, 3))],
    "set_diag": [_of(real(2, 3), real(2))], "band_part": [_of(real(3, 3), lower=1, upper=0)],
    "inv": [_of(definite(3)), _of(definite(2, 2))], "det": [_of(definite(3))],
    "cholesky": [_of(definite(3)), _of(definite(2, 2))],
    "solve": [_of(definite(3), real(3, 2))],
    "triangular_solve": [_of(definite(3), real(3, 2), lower=True), _of(definite(3), real(3, 1), lower=False)],
    "cross": binary((real(2, 3), real(2, 3))), "slogdet": [_of(definite(3)), _of(real(2, 2))],
    "qr": [_of(real(3, 3), full_matrices=False), _of(real(2, 4, 2), full_matrices=False)],
    "svd": [_of(real(3, 2), full_matrices=False), _of(real(2, 3), full_matrices=False)],
    "eigh": [_of(definite(3))], "pinv": [_of(real(3, 2), rcond=1e-9), _of(real(2, 3), rcond=1e-9)],
    "expm": [_of(real(3, 3), leading=3), _of(real(2, 2, 2), leading=2), _of(real(4, 4), leading=2)],
    # convolution and pooling
    "conv2d": [
        _of(real(2, 4, 5, 2), real(3, 2, 2, 3), strides=(1, 2), border=((1, 1), (0, 1)), dilations=(1, 1)),
        _of(real(1, 5, 5, 1), real(2, 2, 1, 1), strides=(1, 1), border=_NONE, dilations=(2, 2)),
    ],
    "conv2d_picture": [
        _of(real(1, 2, 2, 2), real(2, 2, 1, 2), shape=(1, 4, 3, 1), strides=(2, 1), border=_NONE, dilations=(1, 1)),
    ],
    "conv2d_filters": [
        _of(real(1, 4, 3, 1), real(1, 2, 2, 2), shape=(2, 2, 1, 2), strides=(2, 1), border=_NONE, dilations=(1, 1)),
    ],
    "depthwise_conv2d": [
        _of(real(1, 4, 4, 2), real(3, 3, 2, 2), strides=(1, 1), border=((1, 1), (1, 1)), dilations=(1, 1)),
    ],
    "depthwise_conv2d_picture": [
        _of(real(1, 2, 2, 4), real(3, 3, 2, 2), shape=(1, 4, 4, 2), strides=(1, 1), border=_NONE, dilations=(1, 1)),
    ],
    "depthwise_conv2d_filters": [
        _of(real(1, 4, 4, 2), real(1, 2, 2, 4), shape=(3, 3, 2, 2), strides=(1, 1), border=_NONE, dilations=(1, 1)),
    ],
    "max_pool": [
        _of(real(2, 4, 4, 2), size=(2, 2), strides=(2, 2), border=_NONE),
        _of(real(1, 3, 3, 1), size=(2, 2), strides=(1, 1), border=((0, 1), (0, 1))),
    ],
    "max_pool_grad": [_of(real(1, 4, 4, 1), real(1, 2, 2, 1), size=(2, 2), strides=(2, 2), border=_NONE)],
    "pooled_from": [_of(real(1, 4, 4, 1), real(1, 4, 4, 1), size=(2, 2), strides=(2, 2), border=_NONE)],
    "avg_pool": [_of(real(1, 3, 3, 2), size=(2, 2), strides=(1, 2), border=((0, 1), (0, 1)))],
    "avg_pool_grad": [
        _of(real(1, 3, 2, 2), shape=(1, 3, 3, 2), size=(2, 2), strides=(1, 2), border=((0, 1), (0, 1))),
    ],
    # activations and losses
    "relu": unary(), "relu6": unary(lambda *shape: real(*shape, low=-3.0, high=9.0)), "leaky_relu": unary(alpha=0.3),
    "relu_grad": binary(*PAIRS[:1]), "relu6_grad": binary(*PAIRS[:1]),
    "leaky_relu_grad": [_of(real(2, 3), real(2, 3), alpha=0.3)],
    "elu": unary(), "selu": unary(), "sigmoid": unary(), "silu": unary(beta=1.5),
    "softplus": unary(), "softsign": unary(), "softsign_grad": binary(*PAIRS[:1]),
    "softmax": [_of(real(3)), _of(real(2, 3))], "log_softmax": [_of(real(3)), _of(real(2, 3))],
    "sigmoid_grad": [_of(real(2, 3), inside(2, 3))],
    "sigmoid_cross_entropy_grad": [_of(real(2, 3), inside(2, 3), real(2, 3))],
    "sigmoid_cross_entropy_with_logits": binary((inside(2, 3), real(2, 3))),
    "softmax_cross_entropy_with_logits": binary((np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]]), real(2, 3))),
    "sparse_softmax_cross_entropy_with_logits": [
        *(_of(ints([2, 0]), real(2, 3)), _of(np.int32(1), real(3))),
        *(_of(ints([[2, 0], [1, 1]]), real(2, 2, 3)), _of(ints([39]), real(1, 40))),
    ],
    "softmax_cross_entropy_grad": binary((np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]]), real(2, 3))),
    "sparse_softmax_cross_entropy_grad": [_of(ints([2, 0]), real(2, 3)), _of(np.int32(1), real(3))],
    "l2_loss": [_of(real(2, 3))],
}  # fmt: skip


def cases(chosen: Callable[[Op], object] = lambda op: True) -> list[Any]:
    """The samples of the ops that are chosen, each a pytest parameter: the op's name, and the sample."""
    return [
        pytest.param(name, sample, id=f"{name}-{i}")
        for name, samples in SAMPLES.items()
        if chosen(OPS[name])
        for i, sample in enumerate(samples)
    ]


def ruled(op: Op, sample: Sample) -> list[int]:
    """The arguments that a gradient can be taken for: those of numbers that have a rule."""
    rules = [op.rules[op.arguments[0]]] * len(sample.arguments) if op.variadic else list(op.rules.values())
    return [i for i, rule in enumerate(rules) if rule and sample.arguments[i].dtype.kind in "fc"]
