"""An equation of a jaxpr -> the user's instruction that made it, and the calls that led there.

JAX keeps the stack of every equation as code objects and instructions, from the function that it traced inwards. What
an equation holds, as the body of a scan, has a stack of its own that begins in the body.
"""

from __future__ import annotations

import inspect
from itertools import takewhile
from types import CodeType
from typing import Any, NamedTuple

import jax
from jax.extend import core

from tapeviz.events.program.frames import is_library
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode
from tapeviz.recorders.keras import is_layers_call
from tapeviz.recorders.packages import Packages, line_within

API = inspect.unwrap(jax.vjp).__code__.co_filename
"""The file of `grad` and the like: whoever calls into it takes a gradient."""
_PACKAGES = Packages("jax")
_TRACERS = {"trace_to_jaxpr", "trace_to_jaxpr_dynamic"}
"""What calls a function to trace it. Until JAX 0.8 the stack of an equation goes on beyond it."""


class Place(NamedTuple):
    """An instruction of the user's and the scope that it ran in.

    Attributes:
        scope: the scope.
        code: the code of the instruction.
        lasti: its index in the code.
        in_gradient: whether it takes a gradient, and the equation is a part of that.
        names_result: whether the user's source names what it computes.
        names_returned: whether the source names what the functions called by it return.
        within: the file and line of an installed package that the user called, and that called JAX; "" if none did.
    """

    scope: ScopeNode | None
    code: CodeType
    lasti: int
    in_gradient: bool = False
    names_result: bool = True
    names_returned: bool = True
    within: str = ""


class Places:
    """Finds the places of equations. Equal calls have the same scope."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[ScopeNode | None, CodeType, CodeType, int, bool], ScopeNode] = {}
        self.filenames: set[str] = set()

    def of(self, equation: core.JaxprEqn, around: Place, *, added: bool) -> Place:
        """The place of an equation; one from JAX's own code has the place of what is `around` it.

        An equation that was `added` by a gradient belongs to the call that takes the gradient.
        """
        if around.in_gradient:
            return around
        place = around
        for code, lasti, is_layers in _users_frames(equation, beyond=API if added else None):
            place = Place(place.scope if is_layers else self._scope_of_call(place, code), code, lasti)
        within = _package_line(equation)
        place = place._replace(within=within) if within else place
        for name in _named_scopes(equation):
            place = self.named(place, name)
        return place._replace(in_gradient=added)

    def inside(self, body: core.Jaxpr, around: Place) -> Place:
        """The head of the function that has this body and is called at `around`: where its arguments arrive."""
        for equation in () if around.in_gradient else body.eqns:
            for code, _, _ in _users_frames(equation):
                return Place(self._scope_of_call(around, code), code, -1)
        return around

    def named(self, around: Place, name: str) -> Place:
        """The same instruction, in a scope of that name."""
        return around._replace(scope=self._scope_of_call(around, code_called(name)))

    def _scope_of_call(self, caller: Place, code: CodeType) -> ScopeNode:
        key = (caller.scope, code, caller.code, caller.lasti, caller.names_returned)
        if key not in self._nodes:
            at = (caller.code, caller.lasti) if caller.names_returned else (None, -1)
            self._nodes[key] = ScopeNode(caller.scope, code, *at)
            self.filenames |= {code.co_filename, caller.code.co_filename}
        return self._nodes[key]


def moved(scope: ScopeNode | None, before: ScopeNode | None, after: ScopeNode | None) -> ScopeNode | None:
    """A scope within the call `before`, as it is within another call of the same line."""
    if scope is before or scope is None:
        return after
    return ScopeNode(moved(scope.parent, before, after), scope.code, scope.caller, scope.lasti)


def added_by_gradients(jaxpr: core.Jaxpr) -> set[int]:
    """The indices of the equations that exist only because a gradient was taken: the reverse pass, and what was
    computed for that alone."""
    added: set[int] = set()
    users: dict[Any, list[int]] = {}
    for index in reversed(range(len(jaxpr.eqns))):
        equation = jaxpr.eqns[index]
        transforms = transforms_of(equation)
        uses = [user for variable in equation.outvars for user in users.get(variable, ())]
        if "transpose" in transforms or ("jvp" in transforms and uses and added.issuperset(uses)):
            added.add(index)
        for atom in equation.invars:
            if not isinstance(atom, core.Literal):
                users.setdefault(atom, []).append(index)
    return added


def transforms_of(equation: core.JaxprEqn) -> set[str]:
    """The transforms by which JAX made an equation from one of the user's: "jvp", "transpose", "vmap"."""
    return {each.name for each in equation.source_info.name_stack.stack if type(each).__name__ == "Transform"}


def _users_frames(equation: core.JaxprEqn, beyond: str | None = None) -> list[tuple[CodeType, int, bool]]:
    """The user's calls that led to an equation, the outermost first; only those that led to the file `beyond`.

    With each it comes whether Keras called it for a layer, whose name is a scope already.
    """
    traceback: Any = equation.source_info.traceback
    if traceback is None:
        return []
    frames = list(takewhile(_is_traced, zip(*traceback.raw_frames(), strict=True)))
    passed = [index for index, (code, _) in enumerate(frames) if code.co_filename == beyond]
    own = frames[passed[-1] + 1 :] if passed else [] if beyond else frames
    callers = [code.co_filename for code, _ in own[1:]] + [""]
    called = [(*frame, is_layers_call(frame[0], caller)) for frame, caller in zip(own, callers, strict=True)]
    return [each for each in reversed(called) if not is_library(each[0].co_filename)]


def users_code(equation: core.JaxprEqn) -> CodeType | None:
    """The function of the user's in which an equation was made, the outermost of those that were traced with it."""
    return next((code for code, _, _ in _users_frames(equation)), None)


def _package_line(equation: core.JaxprEqn) -> str:
    """The line of a package other than JAX that led to an equation, below all of the user's; "" if none did."""
    traceback: Any = equation.source_info.traceback
    if traceback is None:
        return ""
    below = takewhile(lambda frame: is_library(frame[0].co_filename), zip(*traceback.raw_frames(), strict=True))
    called = takewhile(_is_traced, below)
    return next((line_within(code, lasti) for code, lasti in called if _PACKAGES.has(code.co_filename)), "")


def _is_traced(frame: tuple[CodeType, int]) -> bool:
    """Whether it ran in the function that JAX traced."""
    code, _ = frame
    return not (code.co_name in _TRACERS and is_library(code.co_filename))


def _named_scopes(equation: core.JaxprEqn) -> list[str]:
    """The names that `jax.named_scope`, or a library of layers by it, gave to the equation."""
    return [each.name for each in equation.source_info.name_stack.stack if type(each).__name__ == "Scope"]
