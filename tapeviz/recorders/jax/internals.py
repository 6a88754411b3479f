"""What JAX keeps to itself and a recording hooks into, under the same names for each of its releases since 0.9.1."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax
from jax._src import api, config, pjit
from jax._src import linear_util as functions

ARE_KNOWN = hasattr(api, "VJP") and hasattr(pjit, "_run_python_pjit") and hasattr(pjit, "_infer_params")
"""Whether this release is one of those."""

TAKING: tuple[tuple[Any, str], ...] = ((api, "_vjp"),) if hasattr(api, "_vjp") else ((api, "vjp"), (jax, "vjp"))
"""Where the function is that all of JAX's gradient functions call: in 0.10.2 it became the public one."""

CHECKS = ("_check_scalar", "_check_input_dtype_grad", "_check_output_dtype_grad")
"""What raises an error at what a function is given, or returns, that is no real number."""


def unwrapped(function: Any) -> Callable[..., Any]:
    """The program's function, where JAX hands on one that it wrapped."""
    inner: Callable[..., Any] = function.f if isinstance(function, functions.WrappedFun) else function
    return inner


def wrapped_like(model: Any, function: Callable[..., Any]) -> Any:
    """A function in the form in which JAX has a `model`."""
    if not isinstance(model, functions.WrappedFun):
        return function
    return functions.wrap_init(function, debug_info=model.debug_info)


def forget_calls() -> None:
    """Have JAX ask in Python for every compiled function again, old wrapper or new; what is compiled stays so."""
    caches = pjit._cpp_pjit_cache_fun_only, pjit._cpp_pjit_cache_explicit_attributes
    type(caches[0]).clear_all()
    for each in caches:
        each.clear()


def axes_checked() -> AbstractContextManager[Any]:
    """As within a `shard_map` that checks along which axes arrays differ, in the releases that do."""
    check: Any = getattr(config, "_check_vma", None)
    return nullcontext() if check is None else check(True)
