"""Tensors -> sums of products over pairs of axes, under TensorFlow's names."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import require_tensor, tensor_of, together
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import ints_of
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.ops import array
from tapeviz.engine.ops import linalg as ops
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.errors import InvalidArgumentError

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@export("tensordot", "linalg.tensordot")
def tensordot(a: object, b: object, axes: object, name: str | None = None) -> Any:
    """The sum of the products of two tensors over pairs of axes.

    As in TensorFlow, paired axes may differ in length if there are as many numbers to sum in both tensors.

    Args:
        a: a tensor, or what can become one.
        b: a tensor of the same dtype.
        axes: how many of the last axes of `a` and of the first axes of `b` are paired; or two lists, the axes of `a`
            and those of `b`.

    Raises:
        InvalidArgumentError: the numbers of elements to sum differ.
        ValueError: the axes do not form pairs, or `a` has fewer axes.
        IndexError: `b` has fewer axes.

    >>> import tapeviz as tf
    >>> float(tf.tensordot([1.0, 2.0], [3.0, 4.0], 1))
    11.0
    """
    x, y = tensor_of(a), tensor_of(b)
    of_x, of_y = _pairs(axes, x, y.ndim)
    x, y = together("tensordot", x, y)
    for i, j in zip(of_x, of_y, strict=True):
        if x.shape[i] != y.shape[j]:
            return _of_matrices(x, y, of_x, of_y, f"axis {i} of shape {x.shape} meets axis {j} of {y.shape}")
    left = _LETTERS[: x.ndim]
    right = list(_LETTERS[x.ndim : x.ndim + y.ndim])
    for i, j in zip(of_x, of_y, strict=True):
        right[j] = left[i]
    summed = {left[i] for i in of_x}
    result = "".join(label for label in (*left, *right) if label not in summed)
    return ops.einsum(x, y, equation=f"{left},{''.join(right)}->{result}")


def _of_matrices(x: Any, y: Any, of_x: tuple[int, ...], of_y: tuple[int, ...], unequal: str) -> Any:
    """The same of axes that do not fit one by one, as TensorFlow has it: what stays by what is summed, and columns.

    Raises:
        InvalidArgumentError: they do not fit as a whole either.
    """
    kept, rest = ([i for i in range(each.ndim) if i not in axes] for each, axes in ((x, of_x), (y, of_y)))
    rows, columns = ([each.shape[i] for i in axes] for each, axes in ((x, kept), (y, rest)))
    summed, over = (prod(each.shape[i] for i in axes) for each, axes in ((x, of_x), (y, of_y)))
    first, second = (prod(rows), summed), (over, prod(columns))
    if summed != over:
        raise InvalidArgumentError(
            f"Matrix size-incompatible: In[0]: {listed(first)}, In[1]: {listed(second)}. In tensordot {unequal}.",
        )
    left = array.reshape(array.transpose(x, perm=(*kept, *of_x)), shape=first)
    right = array.reshape(array.transpose(y, perm=(*of_y, *rest)), shape=second)
    return array.reshape(ops.matmul(left, right), shape=(*rows, *columns))


def _pairs(axes: Any, x: Any, y_rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    x_rank = x.ndim
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > x_rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {x._value}.  Received {axes}, vs "
                f"tensor dimensions {x_rank}."
            )
        if axes > y_rank:
            raise IndexError(f"list index out of range. In tensordot: `b` has no {axes} axes, but {y_rank}.")
        return tuple(range(x_rank - axes, x_rank)), tuple(range(axes))
    if not isinstance(axes, (list, tuple)):
        rows = convert_to_tensor(axes, "int32", name="axes")._value
        require(np.ndim(rows) == 2 and len(rows) > 1, f"tensordot: `axes` must be two rows, got {axes!r}.")
        axes = rows[:2]
    if len(axes) != 2:
        raise ValueError(f"The axes of tensordot are a number, or a pair of lists, got {axes}.")
    of_x, of_y = ints_of(axes[0]), ints_of(axes[1])
    if len(of_x) != len(of_y):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(of_x)} != {len(of_y)}.")
    return _axes_of(of_x, x_rank), _axes_of(of_y, y_rank)


def _axes_of(axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Axes counted from the first one.

    Raises:
        IndexError: there is no such axis.
        ValueError: one comes twice; InvalidArgumentError if it is the only one.
    """
    if any(i >= rank for i in axes):
        raise IndexError(
            f"list index out of range. In tensordot: axes {axes} are not all among the {rank} axes of the tensor."
        )
    found = tuple(i % rank for i in axes)
    if len({*found}) < len(found):
        twice: type[Exception] = ValueError if rank > 1 else InvalidArgumentError
        raise twice(f"tensordot: in axes {axes} of a tensor of {rank} one comes twice.")
    return found


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: object, **options: object) -> Any:
    """A sum of products of tensors in Einstein notation.

    Args:
        equation: the labels of the axes of each tensor, and behind "->" those of the result: "ij,jk->ik" is the product
            of two matrices. "..." stands for leading axes that are broadcast. Without "->", the result has the labels
            that occur once, in alphabetical order.
        inputs: the tensors.
        options: `name` and `optimize`, which are ignored.

    Raises:
        TypeError: another option.
        AttributeError: the equation is not a string, or an operand is neither a tensor nor an array.
        ValueError: the equation has another number of operands, repeats a label of the result, has a label in the
            result only, or is malformed.
        InvalidArgumentError: a label stands for axes of different lengths, or the result lacks the axes of "...".

    >>> import tapeviz as tf
    >>> tf.einsum("ij,j->i", tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1.0, 1.0])).numpy().tolist()
    [3.0, 7.0]
    """
    unknown = [each for each in options if each not in ("name", "optimize")]
    if unknown:
        valid = "Valid arguments: name, optimize, greedy"
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(unknown)}. {valid}.")
    require_tensor("einsum", "shape", *inputs)
    if not isinstance(equation, str):
        raise AttributeError(f"{type(equation).__name__!r} object has no attribute 'replace'. The equation is a text.")
    if not re.fullmatch(r"([A-Za-z, ]|\.{3})*(->([A-Za-z ]|\.{3})*)?", equation):
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, result = equation.replace(" ", "").partition("->")
    operands = left.split(",")
    if len(operands) != len(inputs):
        raise ValueError(f'Got {len(inputs)} inputs for equation "{equation}", expecting {len(operands)}')
    tensors = [tensor_of(each) for each in together("einsum", *inputs)]
    spare = [letter for letter in _LETTERS.upper() if letter not in equation]
    widths = [t.ndim - len(o.replace("...", "")) for o, t in zip(operands, tensors, strict=True) if "..." in o]
    widest = max(widths, default=0)
    if len(set(result.replace("...", "."))) < len(result.replace("...", ".")):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    unseen = set(result.replace("...", "")) - set(left)
    if unseen:
        raise ValueError(f"einsum: the label {min(unseen)} of the result is in no operand of {equation!r}.")
    if not arrow:
        seen = "".join(operands).replace("...", "")
        once = "".join(sorted(label for label in set(seen) if seen.count(label) == 1))
        result = "..." + once if len(widths) == 1 else once
    require(
        widest <= 0 or "..." in result,
        f"Output contains {widest} broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts. "
        f'In einsum "{equation}": write "->...", and the labels of the result.',
    )
    require(all(o.count("...") < 2 for o in operands), f'einsum "{equation}": "..." stands twice in an operand.')
    named = [o.replace("...", _ellipsis(spare, widest, t.ndim, o)) for o, t in zip(operands, tensors, strict=True)]
    result = result.replace("...", "".join(spare[:widest]))
    _require_fitting(operands, named, tensors, stretched=spare[:widest])
    parts = [_diagonal(labels, x) for labels, x in zip(named, tensors, strict=True)]
    return ops.einsum(*[x for _, x in parts], equation=f"{','.join(labels for labels, _ in parts)}->{result}")


def _require_fitting(operands: list[str], named: list[str], tensors: list[Any], stretched: list[str]) -> None:
    """Refuse operands of other ranks, and labels of two lengths, but for those of "...", along which one stretches."""
    lengths: dict[str, int] = {}
    for slot, (given, labels, x) in enumerate(zip(operands, named, tensors, strict=True)):
        rank = f"at least {len(labels)}" if "..." in given else len(labels)
        require(len(labels) == x.ndim, f"Expected input {slot} to have rank {rank} but got: {x.ndim}. In einsum.")
        for axis, (label, length) in enumerate(zip(labels, x.shape, strict=True)):
            known = lengths.setdefault(label, length)
            require(
                known == length or label in stretched,
                f"Expected dimension {known} at axis {axis} of the input shaped {listed(x.shape)} but got dimension "
                f"{length}. In einsum {label!r} stands for one length.",
            )


def _diagonal(labels: str, x: Any) -> tuple[str, Any]:
    """An operand in which a label occurs twice, as its diagonal along those two axes, which then come last."""
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is None:
        return labels, x
    first, second = (i for i in (labels.index(twice), labels.index(twice, labels.index(twice) + 1)))
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    part = ops.diag_part(array.transpose(x, perm=(*rest, first, second)))
    return _diagonal("".join(labels[i] for i in rest) + twice, part)


def _ellipsis(spare: list[str], widest: int, rank: int, operand: str) -> str:
    width = rank - len(operand.replace("...", ""))
    return "".join(spare[widest - width : widest]) if width > 0 else ""
