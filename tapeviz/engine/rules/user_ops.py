"""A user's primal, VJPs and formulas -> an op like the library's own: recorded, differentiated and drawn."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, get_args

import numpy as np

from tapeviz.engine.calling.define import callable_op
from tapeviz.engine.calling.operands import beside
from tapeviz.engine.facts import Facts, Tangents
from tapeviz.engine.nest import mapped
from tapeviz.engine.op import Op
from tapeviz.engine.ops.math import unbroadcast
from tapeviz.engine.rules.batching import Batch, row_by_row
from tapeviz.engine.rules.rounding import bare
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor, make
from tapeviz.engine.values.convert import array_of, unboxed
from tapeviz.events import catalog
from tapeviz.events.row import Row

OWNERS: dict[str, str] = {}
"""The module that defined a user's op: it may do so again, as a notebook does when a cell is run twice."""

SLOT = re.compile(r"(?<![A-Za-z])\{([A-Za-z_]\w*)\}")
"""A name in braces that no LaTeX command takes as its argument."""


def defop(
    name: str,
    primal: Callable[..., Any],
    *,
    formula: str | None = None,
    vjps: Mapping[str, str] | None = None,
    domain: Sequence[str] = (),
    pole: str | None = None,
    tangents: Tangents = "transposed",
    holomorphic: bool = True,
    symmetric: bool = False,
    **rules: Callable[..., Any] | None,
) -> Callable[..., Any]:
    r"""Define an op of your own; what comes back is called like any function of the library.

    Args:
        name: what the op is called in pictures and findings.
        primal: what it computes: from arrays an array, or a tuple of them. Its positional parameters are the op's
            tensors, its keyword-only ones the op's options.
        formula: the primal as LaTeX, in which `{x}` stands for the argument or option x.
        vjps: the VJP of an argument as LaTeX; `{g}` and `{out}` stand for the upstream gradient and the result.
        domain: where it is not defined or has no slope, for example "{x} = 0: infinite".
        pole: the argument at some numbers of which the op or a derivative is infinite or NaN, if there is one.
        tangents: the way of forward mode through it. "elementwise" is for an op that computes number by number, and is
            quick; "linear" and "bilinear" are for one of which that is true; "transposed", the derivative of the VJPs,
            is right for every op.
        holomorphic: whether the VJPs, of complex numbers, are derivatives, whose conjugates are TensorFlow's gradients;
            if not, they are taken for gradients as they stand.
        symmetric: whether it is an op of symmetric matrices: `check_step` then moves them along symmetric directions.
        rules: per tensor, in the order of the primal, its VJP, or None where it has no derivative. A VJP takes `g` and
            then, by name, whatever it needs of `out`, the tensors, their shapes (`x_shape`) and the options: that is
            what a tape saves. It works on tensors, by operators and the library's functions, so that it can be
            differentiated itself. What broadcasting stretched is summed up again afterwards.

    The module that defined an op may define it again; tensors computed before keep the old one.

    Raises:
        TypeError: rules that do not fit the primal, a VJP or a template that asks for something there is not; a pole
            that is no argument.
        ValueError: a name that is no identifier or belongs to another op, or an unknown way of tangents.

    >>> import numpy as np
    >>> import tapeviz as tv
    >>> soft_clip = tv.defop(
    ...     "soft_clip",
    ...     lambda x, *, limit=1.0: limit * np.tanh(x / limit),
    ...     x=lambda g, out, limit: g * (1.0 - (out / limit) ** 2),
    ...     formula=r"{limit} \tanh\left( \frac{{x}}{{limit}} \right)",
    ...     vjps={"x": r"{g} \cdot \left( 1 - \frac{{out}^{2}}{{limit}^{2}} \right)"},
    ... )
    >>> v = tv.Variable(0.0)
    >>> with tv.GradientTape() as tape:
    ...     y = soft_clip(3.0 * v, limit=2.0)
    >>> tape.gradient(y, v)
    <tf.Tensor: shape=(), dtype=float32, numpy=3.0>
    >>> max(slope.error for slope in tv.check_gradients(soft_clip, [0.5, -3.0])) < 1e-6
    True
    """
    signature = _checked(name, primal, rules)
    if tangents not in get_args(Tangents):
        raise ValueError(f"defop {name!r}: tangents is one of {', '.join(get_args(Tangents))}, not {tangents!r}.")
    owner = sys._getframe(1).f_globals.get("__name__", "")
    if name in OPS and OWNERS.get(name) != owner:
        raise ValueError(f"defop: there is an op {name!r} already; choose another name.")
    saved = {"g", "out", *rules}
    op = callable_op(
        Op(
            name,
            _on_arrays(primal),
            {argument: rule and _on_tensors(name, argument, rule, saved) for argument, rule in rules.items()},
            Facts(
                recast=True,
                over="all",
                tangents=tangents,
                holomorphic=holomorphic,
                symmetric=symmetric,
                seed_shape="broadcast",  # the VJP is the user's own: TensorFlow has none that could refuse
            ),
        )
    )
    row = _row(op, formula, vjps or {}, tuple(domain), pole)
    OPS[name], catalog.USERS[name], OWNERS[name] = op, row, owner
    return _function(op, signature)


def _checked(name: str, primal: Callable[..., Any], rules: Mapping[str, Any]) -> inspect.Signature:
    """The signature of the primal, after a check that the name and the rules fit."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"defop: the name of an op must be an identifier, got {name!r}.")
    wrong = [argument for argument, rule in rules.items() if rule is not None and not callable(rule)]
    if not callable(primal) or wrong:
        raise TypeError(f"defop {name!r}: {', '.join(wrong) or 'the primal'} must be a function; a VJP may be None.")
    if isinstance(primal, np.ufunc):
        names = tuple(rules) if len(rules) == primal.nin else tuple(f"x{i}" for i in range(primal.nin))
        signature = inspect.Signature([inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in names])
    else:
        signature = inspect.signature(primal)
    tensors = tuple(each.name for each in signature.parameters.values() if each.kind not in _OPTIONS)
    if not rules or tensors != tuple(rules):
        raise TypeError(
            f"defop {name!r}: the primal takes the tensors ({', '.join(tensors)}), but there are VJPs for "
            f"({', '.join(rules)}): give one for each, in that order, or None where there is no derivative."
        )
    return signature


_OPTIONS = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def _row(op: Op, formula: str | None, vjps: Mapping[str, str], domain: tuple[str, ...], pole: str | None) -> Row:
    """The catalog row of an op; an argument without a template has a derivative whose formula is unknown."""
    unknown = [argument for argument in vjps if op.rules.get(argument) is None]
    if unknown:
        raise TypeError(f"defop {op.name!r}: a formula is given for the VJP of {', '.join(unknown)}, but no rule.")
    if pole is not None and pole not in op.arguments:
        raise TypeError(f"defop {op.name!r}: its pole is {pole!r}, but its arguments are {', '.join(op.arguments)}.")
    called = rf"\text{{{op.name}}}"
    plain = f"{called}({', '.join(f'{{{each}}}' for each in op.arguments)})"
    slope = rf"{{g}} \cdot \frac{{\partial {called}}}{{\partial {{%s}}}}"
    templates = {
        argument: vjps.get(argument, slope % argument) if rule else None for argument, rule in op.rules.items()
    }
    formula = plain if formula is None else formula
    known = {*op.arguments, *op.attributes}
    slopes = [(each, known | {"g", "out"}) for each in templates.values() if each]
    for template, names in (*((each, known) for each in (formula, *domain)), *slopes):
        absent = set(SLOT.findall(template)) - names
        if absent or template.count("{") != template.count("}"):
            raise TypeError(
                f"defop {op.name!r}: the template {template!r} asks for {', '.join(sorted(absent)) or 'a brace'}; "
                f"there is {', '.join(sorted(names))}."
            )
    return Row(op.name, op.arguments, formula, templates, domain, pole=pole)


# ----- what is called -----


def _function(op: Op, signature: inspect.Signature) -> Callable[..., Any]:
    def function(*operands: object, **options: object) -> Any:
        try:
            bound = signature.bind(*operands, **options)
        except TypeError as error:
            raise TypeError(f"{op.name}{signature}: {error}.") from None
        bound.apply_defaults()
        like = next((each for each in bound.args if isinstance(each, TensorLike)), None)
        return op(*[_operand(each, like, op.name) for each in bound.args], **bound.kwargs)

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = f"The op {op.name}{signature}, defined by `defop`."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _operand(value: Any, like: TensorLike | None, op: str) -> TensorLike:
    """A tensor; a plain number, and floats beside floats, take the dtype of the first tensor."""
    if isinstance(value, TensorLike):
        return value
    if like is None:
        return convert_to_tensor(value)
    array, dtype = array_of(value), like._value.dtype
    plain = isinstance(value, (bool, int, float, complex))
    return make(beside(value, dtype, op) if plain or array.dtype.kind == dtype.kind else array)


def _on_arrays(primal: Callable[..., Any]) -> Callable[..., Any]:
    """The primal, with its results as NumPy scalars and arrays, as the engine keeps values."""
    if isinstance(primal, np.ufunc):
        return primal

    def clean(result: Any, like: Any) -> Any:
        if isinstance(result, TensorLike):
            raise TypeError("the primal returned a tensor; it works on arrays, so write it in NumPy")
        plain = type(result) in (bool, int, float, complex)
        return unboxed(np.asarray(result, like.dtype if plain else None))

    @wraps(primal)
    def on_arrays(*values: Array, **options: object) -> Any:
        result = primal(*values, **options)
        if isinstance(result, tuple):
            return tuple([clean(each, values[0]) for each in result])
        return clean(result, values[0])

    return on_arrays


def _on_tensors(name: str, argument: str, rule: Callable[..., Any], saved: set[str]) -> Callable[..., Any]:
    """The VJP, which is always called with tensors, and whose result is summed to the shape of its argument."""
    asked = tuple(inspect.signature(rule).parameters)
    shape = f"{argument}_shape"
    names = asked if shape in asked else (*asked, shape)

    @wraps(rule)
    def on_tensors(*given: Array) -> Any:
        if _contains(given, Batch):
            return row_by_row(on_tensors, given, {})
        values = [mapped(_tensor, value) if each in saved else value for each, value in zip(asked, given, strict=False)]
        cotangent = _fitting(rule(*values), given[0], given[names.index(shape)], f"{name}: the VJP of {argument!r}")
        return cotangent if _contains(given, TensorLike) else mapped(_array, cotangent)

    on_tensors.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY) for each in names]
    )
    return on_tensors


def _contains(value: object, kind: type) -> bool:
    return isinstance(value, kind) or (type(value) is tuple and any(_contains(each, kind) for each in value))


def _tensor(value: object) -> TensorLike:
    return value if isinstance(value, TensorLike) else Tensor._new(bare(value))


def _array(value: TensorLike | None) -> Any:
    return value if value is None else value._value


def _fitting(cotangent: Any, g: Any, shape: Any, what: str) -> Any:
    """A cotangent as a tensor of the shape of its argument; for several arguments, a tuple of them."""
    if cotangent is None:
        return None
    if shape and type(shape[0]) is tuple:
        if not isinstance(cotangent, (tuple, list)) or len(cotangent) != len(shape):
            raise ValueError(f"{what} must return {len(shape)} cotangents, one per tensor.")
        return tuple([_fitting(each, g, wanted, what) for each, wanted in zip(cotangent, shape, strict=True)])
    if not isinstance(cotangent, TensorLike):
        first = _tensor(g[0] if type(g) is tuple else g)
        cotangent = make(beside(cotangent, first._value.dtype, what))
    have = tuple(cotangent.shape)
    if have == shape:
        return cotangent
    if not _stretched(shape, have):
        raise ValueError(f"{what} returned shape {have} for an argument of shape {shape}.")
    return unbroadcast(cotangent, shape)


def _stretched(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether broadcasting stretches one shape to another."""
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False
