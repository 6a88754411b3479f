"""An equation that maps a function over a mesh of devices -> its outputs, op by op, with what all devices have stacked.

What every device computes on its part is computed here by `vmap` over the axes of the mesh: an array in there has one
leading axis for each, and collectives are those of the mapped axes. So gradients are those of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
from jax.extend import core

from tapeviz.recorders.jax.calls import library_op
from tapeviz.recorders.jax.casts import CALLS, CASTS, callee, without_casts
from tapeviz.recorders.jax.names import Form, form_of
from tapeviz.recorders.jax.operands import Operand, literal
from tapeviz.recorders.jax.places import Place, added_by_gradients
from tapeviz.recorders.jax.rules import EquationRule
from tapeviz.recorders.jax.values import spec_text

if TYPE_CHECKING:
    from tapeviz.recorders.jax.forward import Forward

Sizes: TypeAlias = dict[str, int]
"""The axes of a mesh that a function is mapped over, and how many devices are along each."""
Function: TypeAlias = Callable[..., Sequence[Any]]


def sizes_of(params: dict[str, Any]) -> Sizes:
    """The axes of the mesh that an equation maps over."""
    mesh = params["mesh"]
    manual = params.get("newly_manual_axes", params.get("manual_axes", mesh.axis_names))
    return {name: mesh.shape[name] for name in mesh.axis_names if name in manual}


def rule(closed: EquationRule) -> EquationRule:
    """How such an equation is evaluated: opened, or as `closed` does where it holds what cannot be mapped so."""

    def evaluated(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
        if not _can_be_opened(equation, inputs):
            return closed(forward, equation, inputs, place)
        return _opened(forward, equation, inputs, place)

    return evaluated


def _can_be_opened(equation: core.JaxprEqn, inputs: Sequence[Operand]) -> bool:
    """Whether what it holds can be computed over stacked arrays: it is tried without numbers."""
    sizes = sizes_of(equation.params)

    def apply(equation: core.JaxprEqn, inputs: Sequence[Any], fixed: Sequence[bool], _: Any) -> list[Any]:
        return list(over(_function(equation), sizes, fixed)(*inputs))

    trial = _Walk(sizes, lambda atom: atom.val, lambda value: value, lambda *_, added: None, apply)
    specs = equation.params["in_specs"], equation.params["out_specs"]

    def results(*arrays: Any) -> list[Any]:
        stacked = [split(each, spec, sizes) for each, spec in zip(arrays, specs[0], strict=True)]
        found = trial.run(equation.params["jaxpr"], [], stacked, None)
        return [join(each, spec, sizes) for each, spec in zip(found, specs[1], strict=True)]

    def with_gradients(*arrays: Any) -> Any:
        floats, back = jax.vjp(lambda *values: [each for each in results(*values) if _is_float(each)], *arrays)
        return back(floats)

    try:
        jax.eval_shape(with_gradients, *(each.value for each in inputs))
    except Exception:
        return False
    return True


def _is_float(array: Any) -> bool:
    return bool(jax.numpy.issubdtype(array.dtype, jax.numpy.inexact))


def _opened(forward: Forward, equation: core.JaxprEqn, inputs: list[Operand], place: Place) -> list[Operand]:
    params, sizes = equation.params, sizes_of(equation.params)

    def moved(name: str, move: Callable[..., Any], spec: Any, operand: Operand) -> Operand:
        form = Form(name, (("spec", spec_text(spec)), ("mesh", _mesh_text(sizes))))
        [found] = forward.apply(form, lambda value: (move(value, spec, sizes),), [operand], place)
        return found

    def apply(equation: core.JaxprEqn, inputs: Sequence[Operand], fixed: Sequence[bool], place: Place) -> list[Operand]:
        form = _form(equation, sizes)
        order = tuple(range(len(inputs))) if form.order is None else form.order
        function = over(_in_order(_function(equation), order), sizes, [fixed[slot] for slot in order])
        return forward.apply(form, function, [inputs[slot] for slot in order], place)

    walk = _Walk(sizes, literal, forward.constant, forward.places.of, apply)
    stacked = [
        moved("shard_map.split", split, spec, each) for each, spec in zip(inputs, params["in_specs"], strict=True)
    ]
    results = walk.run(params["jaxpr"], [], stacked, place)
    return [moved("shard_map.join", join, spec, each) for each, spec in zip(results, params["out_specs"], strict=True)]


class _Walk(NamedTuple):
    """Goes through the equations of a mapped function, those of functions that it calls among them.

    Attributes:
        sizes: the axes that it is mapped over.
        literal: what stands for a number that is written into an equation, which is not stacked.
        constant: what stands for an array that it comes with.
        place: an equation, the place around it, whether it was added by a gradient -> its place.
        apply: an equation, its inputs, which of these are not stacked, its place -> its outputs.
    """

    sizes: Sizes
    literal: Callable[[core.Literal], Any]
    constant: Callable[[Any], Any]
    place: Callable[..., Any]
    apply: Callable[[core.JaxprEqn, Sequence[Any], Sequence[bool], Any], list[Any]]

    def run(self, jaxpr: core.Jaxpr, constants: Sequence[Any], values: Sequence[Any], around: Any) -> list[Any]:
        """The results of a function whose arguments are stacked."""
        known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*constants, *values), strict=True))
        fixed: set[Any] = set()
        added = added_by_gradients(jaxpr)
        for index, equation in enumerate(jaxpr.eqns):
            given = [self.literal(each) if isinstance(each, core.Literal) else known[each] for each in equation.invars]
            alike = [isinstance(each, core.Literal) or each in fixed for each in equation.invars]
            place = self.place(equation, around, added=index in added)
            inner = _inner(equation)
            if inner is not None and not any(alike):
                held = [self.constant(_everywhere(each, self.sizes)) for each in inner.consts]
                outputs = self.run(inner.jaxpr, held, given, place)
            elif equation.primitive.name in CASTS:
                outputs = given
                fixed.update(equation.outvars if all(alike) else ())
            else:
                outputs = self.apply(equation, given, alike, place)
            known.update(zip(equation.outvars, outputs, strict=True))
        return [self.literal(each) if isinstance(each, core.Literal) else known[each] for each in jaxpr.outvars]


def _in_order(function: Function, order: Sequence[int]) -> Function:
    """A function whose arguments come in another order."""
    return lambda *values: function(*(value for _, value in sorted(zip(order, values, strict=True), key=itemgetter(0))))


def _inner(equation: core.JaxprEqn) -> Any:
    """The function that an equation does no more than call; None for one that is an op by itself."""
    found = callee(equation) if equation.primitive.name in CALLS else None
    return None if found is None or library_op(found.jaxpr, *_shapes(equation)) is not None else found


def _form(equation: core.JaxprEqn, sizes: Sizes) -> Form:
    """How an op is written that each device computes; a collective with the axes of the mesh that it is about."""
    primitive, (inputs, outputs) = equation.primitive.name, _shapes(equation)
    known = library_op(callee(equation).jaxpr, inputs, outputs) if primitive in CALLS else None
    form = known or form_of(primitive.removesuffix("_invariant"), equation.params, inputs, outputs)
    form = replace(form, attrs=tuple([(name, _of_stacked(name, value, sizes)) for name, value in form.attrs]))
    names = _axes_of(equation)
    if not names:
        return form
    count = math.prod(sizes.get(each, 1) for each in names)
    about = ("axis", ", ".join(names)), ("devices", count), ("mesh", _mesh_text(sizes))
    return Form(form.name, (*(each for each in form.attrs if each[0] != "axis"), *about), form.order)


def _of_stacked(name: str, value: Any, sizes: Sizes) -> Any:
    """An attribute of what one device computes, as it is of stacked arrays: their own axes come after the mesh's."""
    count = len(sizes)
    if name in ("axis", "axes") and isinstance(value, tuple) and all(isinstance(each, int) for each in value):
        return tuple([each + count if each >= 0 else each for each in value])
    if name in ("axis", "axes") and isinstance(value, int) and not isinstance(value, bool):
        return value + count if value >= 0 else value
    if name == "perm":
        return *range(count), *(each + count for each in value)
    return (*sizes.values(), *value) if name == "shape" else value


def _shapes(equation: core.JaxprEqn) -> tuple[list[Any], list[Any]]:
    """Of what one device reads and gives."""
    return [atom.aval for atom in equation.invars], [variable.aval for variable in equation.outvars]


def _axes_of(equation: core.JaxprEqn) -> tuple[str, ...]:
    """The axes of the mesh that a collective is about; none of any other equation."""
    found = equation.params.get("axis_name", equation.params.get("axes", ()))
    names = found if isinstance(found, tuple) else (found,)
    return tuple(each for each in names if isinstance(each, str))


def _function(equation: core.JaxprEqn) -> Function:
    """What an equation computes on one device."""
    if equation.primitive.name in ("psum", "psum_invariant") and not equation.params.get("axis_index_groups"):
        psum: Any = jax.lax.psum
        return lambda *values: tuple(psum(each, equation.params["axes"]) for each in values)
    return lambda *values: without_casts(equation, values)


def over(function: Function, sizes: Sizes, is_literal: Sequence[bool]) -> Function:
    """A function of each device as one of stacked arrays; a literal is the same on all."""
    axes = (0, *(None if each else 0 for each in is_literal))

    def mapped(_: Any, *values: Any) -> tuple[Any, ...]:
        return tuple(function(*values))

    for name, size in reversed(sizes.items()):
        mapped = jax.vmap(mapped, in_axes=axes, axis_name=name, axis_size=size)
    return partial(mapped, jax.numpy.zeros(tuple(sizes.values())))  # an op may read nothing that is stacked


def _everywhere(value: Any, sizes: Sizes) -> Any:
    return jax.numpy.broadcast_to(value, (*sizes.values(), *jax.numpy.shape(value)))


def split(array: Any, spec: Any, sizes: Sizes) -> Any:
    """An array as the devices have it, with a leading axis for each axis of the mesh."""
    cut, where, own = _cut(array.shape, spec, sizes)
    order = [where[each] for each in sizes if each in where]
    stacked = array.reshape(cut).transpose([*order, *own])
    local = [cut[each] for each in own]
    whole = stacked.reshape([*(size if each in where else 1 for each, size in sizes.items()), *local])
    return jax.numpy.broadcast_to(whole, (*sizes.values(), *local))


def join(stacked: Any, spec: Any, sizes: Sizes) -> Any:
    """The array that the devices have parts of; of one that all have alike it is the first's."""
    names = [name for entry in spec for name in _names(entry)]
    one = _first_of([at for at, each in enumerate(sizes) if each not in names], stacked)
    local = one.shape[len(names) :]
    shape = [side * math.prod(sizes[name] for name in _names(entry)) for side, entry in _sides(local, spec)]
    cut, where, own = _cut(shape, spec, sizes)
    order = [where[each] for each in sizes if each in where]
    back = [0] * len(cut)
    for at, place in enumerate([*order, *own]):
        back[place] = at
    return one.transpose(back).reshape(shape)


def _first_of(axes: Sequence[int], stacked: Any) -> Any:
    """What the first device along some axes has; as all of them have it, the gradient goes to all in equal shares."""
    if not axes:
        return stacked
    count = math.prod(stacked.shape[each] for each in axes)
    index = tuple(0 if at in axes else slice(None) for at in range(stacked.ndim))
    first = jax.custom_vjp(lambda value: value[index])

    def backward(shape: tuple[int, ...], upstream: Any) -> tuple[Any]:
        return (jax.numpy.broadcast_to(jax.numpy.expand_dims(upstream / count, tuple(axes)), shape),)

    first.defvjp(lambda value: (value[index], None), lambda _, upstream: backward(stacked.shape, upstream))
    return first(stacked)


def _cut(shape: Sequence[int], spec: Any, sizes: Sizes) -> tuple[list[int], dict[str, int], list[int]]:
    """A shape whose sides are cut along the axes of a mesh: all sides, where those of axes are, and those of parts."""
    cut: list[int] = []
    where: dict[str, int] = {}
    own: list[int] = []
    for side, entry in _sides(shape, spec):
        names = [each for each in _names(entry) if each in sizes]
        for name in names:
            where[name] = len(cut)
            cut.append(sizes[name])
        own.append(len(cut))
        cut.append(side // math.prod(sizes[name] for name in names))
    return cut, where, own


def _sides(shape: Sequence[int], spec: Any) -> list[tuple[int, Any]]:
    """Each side of a shape with its entry in a spec, which may leave the last ones out."""
    entries = [*spec, *([None] * (len(shape) - len(spec)))]
    return list(zip(shape, entries, strict=True))


def _names(entry: Any) -> tuple[str, ...]:
    return () if entry is None else entry if isinstance(entry, tuple) else (entry,)


def _mesh_text(sizes: Sizes) -> str:
    return ", ".join(f"{name}={size}" for name, size in sizes.items())
