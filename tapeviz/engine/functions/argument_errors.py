"""A call with arguments that do not fit the signature -> TensorFlow's message, and what the function takes.

TensorFlow's dispatcher binds the arguments of most functions, those written in Python; Python binds those of the rest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from tapeviz.engine.functions.tensorflow_names import NAMES

F = TypeVar("F", bound=Callable[..., Any])

_BOUND_BY_PYTHON = frozenset(
    """
acosh asin asinh atan atanh broadcast_to control_dependencies cos cosh debugging.check_numerics
debugging.is_numeric_tensor device dynamic_partition dynamic_stitch einsum executing_eagerly get_static_value
grad_pass_through gradients greater greater_equal group hessians identity_n init_scope inside_function is_tensor less
less_equal linalg.band_part linalg.cholesky linalg.cross linalg.det linalg.inv linalg.qr linalg.slogdet linalg.solve
linalg.tensor_diag logical_and logical_not logical_or map_fn math.atan2 math.digamma math.erf math.erfc math.expm1
math.floormod math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.polygamma math.reciprocal
math.rint math.segment_max math.segment_mean math.segment_min math.segment_prod math.segment_sum
math.squared_difference math.unsorted_segment_max math.unsorted_segment_min math.unsorted_segment_prod
math.unsorted_segment_sum math.xlogy maximum meshgrid minimum negative nn.elu nn.l2_loss nn.relu nn.selu nn.softsign
no_op print random.create_rng_state random.get_global_generator random.set_global_generator random.set_seed
recompute_grad reverse scatter_nd signal.fft signal.fft2d signal.fft3d signal.ifft signal.ifft2d signal.ifft3d
signal.irfft signal.rfft sin sinh square switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_max
tensor_scatter_nd_min tensor_scatter_nd_sub tile truncatediv truncatemod type_spec_from_value vectorized_map while_loop
""".split()  # noqa: SIM905  # as one literal they fill a page
)
"""The functions whose arguments Python binds in TensorFlow, too, so that the message is Python's own."""


def with_argument_errors(function: F, public: str) -> F:
    """The function, with TensorFlow's errors for calls that do not match its signature.

    Args:
        function: the function.
        public: its public name.
    """
    by_python = public in _BOUND_BY_PYTHON
    if not inspect.isfunction(function) or (by_python and public not in NAMES):
        return function
    function.depth = 2  # type: ignore[attr-defined]  # a quick call looks for the user's frame behind this one

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            told = argument_error(function, args, kwargs, call.__qualname__, str(error) if by_python else None)
            if told is None:
                raise
        raise TypeError(told.replace(f"{function.__qualname__}()", f"{call.__name__}()", 1))

    return cast(F, call)


def argument_error(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], called: str, said: str | None = None
) -> str | None:
    """The text of the error for a call that does not match the signature, or None if it does.

    Args:
        function: the function.
        args: the positional arguments of the call.
        kwargs: its keyword arguments.
        called: the name of the function in the text.
        said: Python's own message, if TensorFlow raises that.

    >>> import tapeviz as tf
    >>> tf.reduce_sum([1.0, 2.0], axes=0)
    Traceback (most recent call last):
    TypeError: Got an unexpected keyword argument 'axes'. reduce_sum takes input_tensor, axis, keepdims, name.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        takes = ", ".join(signature.parameters)
        return f"{said or _said(signature, args, kwargs)}. {called} takes {takes}."
    return None


def _said(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    names = [*signature.parameters]
    if len(args) > len(names):
        return f"Too many arguments were given. Expected {len(names)} but got {len(args)}"
    for name in kwargs:
        if name in names[: len(args)]:
            return f"Got multiple values for argument {name!r}"
        if name not in names:
            return f"Got an unexpected keyword argument {name!r}"
    given = signature.bind_partial(*args, **kwargs).arguments
    required = [name for name, each in signature.parameters.items() if each.default is each.empty]
    return f"Missing required positional argument: {', '.join(name for name in required if name not in given)}"
