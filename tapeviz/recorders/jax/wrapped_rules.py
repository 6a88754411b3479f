"""A function to which a package gives its derivative -> the function of the user's that it is, if the rule is, too.

A package may take three functions of the user's, and make one of JAX's of them that calls these.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

from jax.extend import core

from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import is_filled
from tapeviz.recorders.jax.internals import unwrapped
from tapeviz.recorders.jax.places import users_code

MOST = 200
"""How many objects are looked at."""


def wrapped(body: core.Jaxpr, rule: Any) -> CodeType | None:
    """The user's function all of whose equations a body has, if the rule can call another one of the user's."""
    computed = set(map(users_code, body.eqns))
    own = computed.pop() if len(computed) == 1 else None
    return own if own is not None and any(each is not own for each in _users_functions(unwrapped(rule))) else None


def _users_functions(root: Any) -> Iterator[CodeType]:
    """The code of the user's functions that a package's function holds, or an object that it holds."""
    pending, seen = [root], set[int]()
    while pending and len(seen) < MOST:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, FunctionType):
            if not is_library(each.__code__.co_filename):
                yield each.__code__
                continue
            pending += [cell.cell_contents for cell in each.__closure__ or () if is_filled(cell)]
            pending += [each.__wrapped__] if hasattr(each, "__wrapped__") else []
        elif isinstance(each, MethodType):
            pending += [each.__func__, each.__self__]
        elif not isinstance(each, (type, str, int, float, tuple, list, dict)):
            pending += list(getattr(each, "__dict__", {}).values())
