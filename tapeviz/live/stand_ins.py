"""Ops that only a framework has -> functions of arrays that do the same, put together from the engine's ops.

Options have the names that logs have for them; what comes out is compared with what was recorded before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np

from tapeviz.engine.kernels.erf import erf

REDUCTIONS: Mapping[str, Callable[[Any], Any]] = {"mean": np.mean, "sum": np.sum, "none": lambda each: each}
"""What becomes of the losses of several examples, in PyTorch's words."""


def _linear(x: Any, weight: Any, bias: Any = 0.0) -> Any:
    return x @ weight.T + bias


def _addmm(x: Any, matrix1: Any, matrix2: Any, *, alpha: float = 1.0, beta: float = 1.0) -> Any:
    return beta * x + alpha * (matrix1 @ matrix2)


def _matmul(x: Any, y: Any) -> Any:
    """Of vectors, too."""
    return np.matmul(x, y)


def _transpose(x: Any, *, dim0: int, dim1: int) -> Any:
    return np.swapaxes(x, dim0, dim1)


def _flatten(x: Any, *, start: int, end: int) -> Any:
    first, last = start % x.ndim, end % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :])


def _cast(x: Any, *, dtype: str | None = None) -> Any:
    """Whatever the dtype, in double precision the numbers are as they were."""
    return x


def _variance(
    x: Any, *, axis: Any = None, keepdims: bool = False, unbiased: bool = True, correction: Any = None
) -> Any:
    return np.var(x, axis, ddof=int(unbiased) if correction is None else correction, keepdims=keepdims)


@wraps(_variance)
def _standard_deviation(x: Any, **options: Any) -> Any:
    return np.sqrt(_variance(x, **options))


def _concat(*values: Any, axis: int = 0) -> Any:
    return np.concatenate(values, axis)


def _stack(*values: Any, axis: int = 0) -> Any:
    return np.stack(values, axis)


def _clip(x: Any, low: Any, high: Any) -> Any:
    return np.clip(x, low, high)


def _split(x: Any, *, chunks: int, axis: int = 0) -> Any:
    """Pieces of one size, of which the last may be smaller."""
    size = -(-x.shape[axis] // chunks)
    return tuple(np.split(x, range(size, x.shape[axis], size), axis))


def _embedding(x: Any, indices: Any, *, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Any:
    """Of a table whose gradient is all that its rows get: with `padding_idx` that of a row is zero on purpose."""
    if padding_idx >= 0 or scale_grad_by_freq:
        raise ValueError("its gradient is another than its derivative, on purpose.")
    return x[indices]


def _masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return np.where(mask, value, x)


def _gelu(x: Any, *, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2
    return x * (1 + erf(x / np.sqrt(2.0))) / 2


def _silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def _softmax(x: Any, *, axis: int = -1) -> Any:
    parts = np.exp(x - x.max(axis, keepdims=True))
    return parts / parts.sum(axis, keepdims=True)


def _log_softmax(x: Any, *, axis: int = -1) -> Any:
    away = x - x.max(axis, keepdims=True)
    return away - np.log(np.exp(away).sum(axis, keepdims=True))


def _attention(q: Any, k: Any, v: Any, *, is_causal: bool = False, scale: float | None = None) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return _softmax(scores) @ v


def _layer_norm(
    x: Any, weight: Any = 1.0, bias: Any = 0.0, *, normalized_shape: tuple[int, ...], eps: float = 1e-5
) -> Any:
    axes = tuple(range(-len(normalized_shape), 0))
    away = x - x.mean(axes, keepdims=True)
    return away / np.sqrt((away**2).mean(axes, keepdims=True) + eps) * weight + bias


def _mse_loss(x: Any, y: Any, *, reduction: str = "mean") -> Any:
    return REDUCTIONS[reduction]((x - y) ** 2)


def _l1_loss(x: Any, y: Any, *, reduction: str = "mean") -> Any:
    return REDUCTIONS[reduction](np.abs(x - y))


def _sigmoid_cross_entropy(logits: Any, labels: Any, *, reduction: str = "mean") -> Any:
    return REDUCTIONS[reduction](np.logaddexp(0.0, logits) - labels * logits)


def _nll_loss(x: Any, labels: Any, *, reduction: str = "mean", ignore_index: int = -100) -> Any:
    """Of one class per example; those whose class is ignored count as nothing."""
    counted = labels != ignore_index
    losses = -np.take_along_axis(x, np.where(counted, labels, 0)[:, None], 1)[:, 0] * counted
    return losses.sum() / counted.sum() if reduction == "mean" else REDUCTIONS[reduction](losses)


def _cross_entropy(
    logits: Any, labels: Any, *, reduction: str = "mean", ignore_index: int = -100, label_smoothing: float = 0.0
) -> Any:
    shares = _log_softmax(logits, axis=1)
    shares = (1 - label_smoothing) * shares + label_smoothing * shares.mean(1, keepdims=True)
    if labels.shape == logits.shape:
        losses = -(labels * shares).sum(1)
        return losses.sum() / len(losses) if reduction == "mean" else REDUCTIONS[reduction](losses)
    return _nll_loss(shares, labels, reduction=reduction, ignore_index=ignore_index)


STAND_INS: Mapping[str, Callable[..., Any]] = {
    "addmm": _addmm,
    "clamp_max": np.minimum,
    "clamp_min": np.maximum,
    "clip_by_value": _clip,
    "concat": _concat,
    "attention": _attention,
    "cast": _cast,
    "cross_entropy": _cross_entropy,
    "gather": _embedding,
    "gelu": _gelu,
    "l1_loss": _l1_loss,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "log_softmax": _log_softmax,
    "masked_fill": _masked_fill,
    "matmul": _matmul,
    "mse_loss": _mse_loss,
    "nll_loss": _nll_loss,
    "reshape": _flatten,
    "sigmoid_cross_entropy": _sigmoid_cross_entropy,
    "silu": _silu,
    "softmax": _softmax,
    "split": _split,
    "stack": _stack,
    "standard_deviation": _standard_deviation,
    "transpose": _transpose,
    "variance": _variance,
}
