"""An equation that calls a function -> its outputs: the function as one op, or opened into its own equations.

A function with a derivative of its own is an op besides: no gradient passes through what is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jax.extend import core

from tapeviz.events.catalog import CUSTOM, RULE, marked
from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import arguments_of
from tapeviz.events.types import Attrs
from tapeviz.recorders.jax.equation_function import EquationFunction
from tapeviz.recorders.jax.internals import unwrapped
from tapeviz.recorders.jax.names import Form, Shapes, form_of_call
from tapeviz.recorders.jax.operands import Closed, Operand, unfollowed
from tapeviz.recorders.jax.places import Place
from tapeviz.recorders.jax.wrapped_rules import wrapped
from tapeviz.source.filenames import base_name

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward


def jit(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """The function of a user is evaluated equation by equation. A library's is a single op if it is in the catalog, or
    if no gradient passes through it, as when JAX draws random numbers."""
    called: Closed = equation.params["jaxpr"]
    if _is_library(called.jaxpr):
        own = called.jaxpr.debug_info.func_name.lstrip("_")
        form = _library_op(equation, called.jaxpr, inputs)
        if form is None and len(called.jaxpr.eqns) > 1 and not any(each.followed for each in inputs):
            form = Form(own)
        if form is not None:
            return forward.apply(form, EquationFunction(equation), inputs, place)
        place = place if place.in_gradient else forward.places.named(place, own)
    return forward.closed(called, inputs, place)


def custom(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A function that defines its own derivative: one op, with the name of the function.

    The equations of a user's function are evaluated and logged before the op, without gradients. If the function has an
    effect, such as `jax.debug.print`, they are not, since the effect would happen twice.
    """
    called: Closed = equation.params["call_jaxpr"]
    own = called.jaxpr.debug_info.func_name
    rule = _defined(equation)
    known = None if rule else _library_op(equation, called.jaxpr, inputs)
    reverses, witness = forward.reverses and any(each.perturbed for each in inputs), None
    users = None if rule or known or not reverses else wrapped(called.jaxpr, equation.params.get("bwd"))
    if _is_library(called.jaxpr) and not rule and users is None:
        form = known or Form(own, marked(own))
    else:
        form = Form(own if users is None else users.co_name, (CUSTOM, *rule))
        place = place if users is None else place._replace(within="")
        if not any(each.followed for each in inputs):
            return forward.closed(called, inputs, place)
        if not equation.effects:
            with forward.paused(place):
                since = forward.log.end
                forward.closed(called, unfollowed(inputs), place)
                key = own, place.code, place.lasti
                witness = forward.witnesses.witness(forward.log, called, inputs, since, key) if reverses else None
    several = len(inputs) > 1 or len(equation.outvars) > 1
    may_give_zeros = several and known is None and equation.primitive.name == "custom_jvp_call"
    return forward.apply(
        form, EquationFunction(equation), inputs, place, may_give_zeros=may_give_zeros, witness=witness
    )


def _defined(equation: core.JaxprEqn) -> Attrs:
    """The attribute that says where the rule of a user's function is; () where it is not known."""
    rule = equation.params.get("bwd", equation.params.get("jvp_jaxpr_fun"))
    about = getattr(rule, "debug_info", None)
    filename, line = (getattr(about, name, None) for name in ("func_filename", "func_lineno"))
    if filename is None or line is None or is_library(filename):
        return ()
    upstream = arguments_of(unwrapped(rule))[-1:] if "bwd" in equation.params else ()
    return ((RULE, (base_name(filename), line, *upstream)),)


def remat(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """A function under `jax.checkpoint`, which is computed only once here, not again in the reverse pass."""
    return forward.run(equation.params["jaxpr"], [], inputs, place)


def call(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    """Any other call, of which the equations are evaluated."""
    return forward.closed(equation.params["call_jaxpr"], inputs, place)


def library_op(body: core.Jaxpr, inputs: Shapes, outputs: Shapes) -> Form | None:
    """The op in the catalog that a function of JAX's is, if there is one."""
    return form_of_call(body.debug_info.func_name, inputs, outputs) if _is_library(body) else None


def _library_op(equation: core.JaxprEqn, body: core.Jaxpr, inputs: list[Operand]) -> Form | None:
    return library_op(body, inputs, [variable.aval for variable in equation.outvars])


def _is_library(body: core.Jaxpr) -> bool:
    filename = body.debug_info.func_filename
    return filename is not None and is_library(filename)
