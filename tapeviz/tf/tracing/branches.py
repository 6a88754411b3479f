"""An `if` on a tensor in a graph -> TensorFlow's error if its two branches are not alike.

TensorFlow builds both branches, while here only one runs. So there is a dry run of both before; what cannot be run
without side effects is judged by its source.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from types import FrameType
from typing import Any

from tapeviz.engine import nest
from tapeviz.events.program.autograph import blocks_around
from tapeviz.events.program.flow import bound, is_read_first, may_return, returns
from tapeviz.tf.tracing.loop_state import dtype_of
from tapeviz.tf.tracing.outcomes import AtEnd, Returned, outcome

_RESULT = "retval_"
"""AutoGraph's name for the result of a function that returns from a branch."""


def try_branches(construct: ast.If, frame: FrameType, loops: Collection[Any]) -> None:
    """Check the branches of an `if` on a tensor.

    Args:
        construct: the statement.
        frame: the frame that is at this statement.
        loops: the loops that TensorFlow makes ops of.

    Raises:
        ValueError: only one branch returns, or assigns to a name that is read later.
        TypeError: the values have different dtypes.
        Exception: any error of a branch.
    """
    around = blocks_around(frame.f_code, construct)
    (_, following), *further = around
    body, orelse = construct.body, construct.orelse
    if returns(body):  # as in AutoGraph, what follows is part of the other branch
        orelse, following = [*orelse, *following], []
    elif returns(orelse):
        body, following = [*body, *following], []
    results = may_return(body) or may_return(orelse)
    if results and any(isinstance(each, ast.Try) or each in loops for each, _ in around):
        return  # for which TensorFlow has other errors
    rest = [following, *(part for each, behind in further for part in ([each], behind))]
    live = [] if results else [each for each in sorted(bound(body) | bound(orelse)) if is_read_first(each, rest)]
    left = []
    for name, branch in (("main", body), ("else", orelse)):
        found = outcome(branch, frame)
        if results and not may_return(branch):
            raise ValueError(f"the {name} branch must also have a return statement.")
        known = found.names if isinstance(found, AtEnd) else {*frame.f_locals, *bound(branch)}
        for each in live:
            if each not in known:
                raise ValueError(f"'{each}' must also be initialized in the {name} branch")
        left.append(found)
    main, other = left
    if isinstance(main, Returned) and isinstance(other, Returned):
        _require_alike(_RESULT, main.value, other.value)
    if isinstance(main, AtEnd) and isinstance(other, AtEnd):
        for each in live:
            _require_alike(each, main.names[each], other.names[each])


def try_expressions(construct: ast.IfExp, frame: FrameType) -> None:
    """Check the two expressions of `x if condition else y` on a tensor.

    Raises:
        TypeError: they have different dtypes.
    """
    choices = construct.body, construct.orelse
    main, other = (outcome([ast.copy_location(ast.Return(each), each)], frame) for each in choices)
    if isinstance(main, Returned) and isinstance(other, Returned):
        _require_alike(ast.unparse(construct.test), main.value, other.value)


def _require_alike(name: str, main: Any, other: Any) -> None:
    try:
        nest.assert_same_structure(main, other)
    except (TypeError, ValueError) as error:
        told = f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
        raise TypeError(told) from None
    for one, another in zip(nest.flatten(main), nest.flatten(other), strict=True):
        for branch, each in (("main", one), ("else", another)):
            if each is None:
                raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
        dtypes = dtype_of(one), dtype_of(another)
        if None not in dtypes and dtypes[0] != dtypes[1]:
            raise TypeError(
                f"'{name}' has dtype {dtypes[0]} in the main branch, but dtype {dtypes[1]} in the else branch"
            )
