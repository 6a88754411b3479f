"""Layers called on placeholders -> a graph of their calls, which runs on tensors (`tf.keras.Input`)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from typing import Any

from tapeviz.engine import nest, trial
from tapeviz.engine.api import EXPORTS
from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.spec import TensorSpec
from tapeviz.engine.tensor import TensorLike
from tapeviz.keras import naming

Lengths = tuple[int | None, ...]
ShapeAndDtype = tuple[Any, Any]
ResultOf = Callable[[tuple[Any, ...], Callable[..., Any]], ShapeAndDtype]
"""Operands and a function -> the shape and dtype of what it gives for them."""


class Call:
    """One call of a layer on placeholders: the layer, what it was given, the placeholders it gave."""

    def __init__(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.layer = layer
        self.args = args
        self.kwargs = kwargs
        self.outputs: Any = None
        self.number = layer.placements
        """How many calls of the layer there were before."""
        layer.placements += 1

    def place_of(self, output: KerasTensor) -> int:
        """Where among its outputs a placeholder stands."""
        return [id(each) for each in nest.flatten(self.outputs)].index(id(output))

    @property
    def inputs(self) -> list[KerasTensor]:
        """The placeholders among its arguments."""
        return [each for each in nest.flatten((self.args, self.kwargs)) if isinstance(each, KerasTensor)]


class KerasTensor:
    """A placeholder: the shape (None for any length) and dtype of a tensor that a graph of layers will have."""

    def __init__(self, shape: Any, dtype: Any = "float32", call: Call | None = None, name: str | None = None) -> None:
        self.shape: Lengths = tuple(shape)
        self.dtype: str = as_dtype(dtype).name
        self.call = call
        self.name = naming.named_after(self) if name is None else name

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, name={self.name}>"

    def __getitem__(self, index: Any) -> KerasTensor:
        return _applied(lambda x: x[index], "get_item", (self,), _by_trying)

    def __matmul__(self, other: Any) -> KerasTensor:
        return _applied(operator.matmul, "matmul", (self, other), _by_trying)

    def __rmatmul__(self, other: Any) -> KerasTensor:
        return _applied(operator.matmul, "matmul", (other, self), _by_trying)

    def reshape(self, newshape: Any) -> KerasTensor:
        """The placeholder of the same numbers in another shape, of which one length may be -1."""
        return _applied(lambda x: EXPORTS["reshape"](x, newshape), "reshape", (self,), _by_trying)

    def __iter__(self) -> Any:
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __bool__(self) -> bool:
        raise TypeError("A symbolic KerasTensor cannot be used as a boolean.")

    def __float__(self) -> float:
        raise self._has_no_number("a float")

    def __int__(self) -> int:
        raise self._has_no_number("an int")

    def _has_no_number(self, wanted: str) -> ValueError:
        return ValueError(
            "A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have any actual "
            f"numerical value. You cannot convert it to {wanted}. It is {self!r}."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(
            "A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic placeholder "
            "for a shape and dtype, used when constructing Keras Functional models or Keras Functions. You can only "
            "use it as input to a Keras layer or a Keras operation (from the namespaces `keras.layers` and "
            "`keras.ops`). Put the function into the `call` of a layer of your own."
        )


class Arithmetic:
    """An operator between placeholders: a call like a layer's, without weights."""

    weights: tuple[Any, ...] = ()
    placements = 0
    placed: Call | None = None

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function = function
        self.name = naming.unique(name)
        self.kind = "".join(word.capitalize() for word in name.split("_"))

    def __call__(self, *operands: Any, training: bool | None = None) -> Any:
        return self.function(*operands)


def _applied(function: Callable[..., Any], name: str, operands: tuple[Any, ...], result_of: ResultOf) -> KerasTensor:
    """What a function gives for operands, whose shape and dtype `result_of` finds."""
    made = Arithmetic(function, name)
    made.placed = call = Call(made, operands, {})
    call.outputs = result = KerasTensor(*result_of(operands, function), call)
    return result


def _operator(
    function: Callable[..., Any], name: str, *, reflected: bool = False, compares: bool = False
) -> Callable[..., Any]:
    result_of = _compared if compares else _combined

    def apply(self: KerasTensor, *others: Any) -> KerasTensor:
        return _applied(function, name, (*others, self) if reflected else (self, *others), result_of)

    return apply


def _by_trying(operands: tuple[Any, ...], function: Callable[..., Any]) -> ShapeAndDtype:
    """Of what a function gives for values like the placeholders among its operands."""
    places = [isinstance(each, KerasTensor) for each in operands]

    def of_places(given: Any) -> Any:
        tensors = iter(given)
        return function(*[next(tensors) if on else each for on, each in zip(places, operands, strict=True)])

    specs = tuple(TensorSpec(each.shape, each.dtype) for each in operands if isinstance(each, KerasTensor))
    found = trial.results_of(of_places, specs)
    return found.shape, found.dtype


def _compared(operands: tuple[Any, ...], function: Callable[..., Any]) -> ShapeAndDtype:
    return _combined(operands, function)[0], "bool"


def _combined(operands: tuple[Any, ...], function: Callable[..., Any]) -> ShapeAndDtype:
    """The shape that operands broadcast to, and the dtype of the placeholders among them."""
    shapes = [tuple(getattr(each, "shape", ())) for each in operands]
    rank = max(map(len, shapes))
    columns = zip(*[(1,) * (rank - len(shape)) + shape for shape in shapes], strict=True)
    dtype = next(each.dtype for each in operands if isinstance(each, KerasTensor))
    try:
        return tuple(_length(column) for column in columns), dtype
    except ValueError as error:
        given = " and ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"Cannot broadcast shape, {error}. Input shapes are: {given}.") from None


def _length(lengths: tuple[int | None, ...]) -> int | None:
    """The length of an axis on which these meet.

    Raises:
        ValueError: they do not broadcast.
    """
    known = list(dict.fromkeys(each for each in lengths if each not in (1, None)))
    if len(known) > 1:
        raise ValueError(f"the failure dim has value {known[0]}, which cannot be broadcasted to {known[1]}")
    return known[0] if known else None if None in lengths else 1


for _name, _called in (
    ("add", "add"),
    ("sub", "subtract"),
    ("mul", "multiply"),
    ("truediv", "true_divide"),
    ("floordiv", "floor_divide"),
    ("mod", "mod"),
    ("pow", "power"),
):
    setattr(KerasTensor, f"__{_name}__", _operator(getattr(operator, _name), _called))
    setattr(KerasTensor, f"__r{_name}__", _operator(getattr(operator, _name), _called, reflected=True))
for _name, _called in (("neg", "negative"), ("abs", "absolute")):
    setattr(KerasTensor, f"__{_name}__", _operator(getattr(operator, _name), _called))
for _name, _called in (
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
    ("ne", "not_equal"),
):
    setattr(KerasTensor, f"__{_name}__", _operator(getattr(operator, _name), _called, compares=True))


class Graph:
    """The calls that lead from some placeholders to others, in an order in which they can run."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        for name, places in (("inputs", inputs), ("outputs", outputs)):
            for each in nest.flatten(places):
                if not isinstance(each, KerasTensor):
                    raise ValueError(
                        f"All `{name}` values must be KerasTensors. Received: {name}={places} including invalid value "
                        f"{each} of type {type(each)}"
                    )
        self.inputs = inputs
        self.outputs = outputs
        starts = nest.flatten(inputs)
        met: dict[Any, int] = {each.call.layer: -1 for each in starts if each.call and not each.call.inputs}
        self.calls = list(_in_order(nest.flatten(outputs), {id(each) for each in starts}, met))
        self.layers = _by_depth(self.calls, met)
        """Every layer, the farthest from the outputs first."""

    @property
    def is_chain(self) -> bool:
        """Whether each layer is called once, on what the one before it gives."""
        follows = (call.inputs and call.inputs[0].call is before for before, call in pairwise(self.calls))
        return all(follows) and len(self.layers) == len(self.calls) and all(len(c.inputs) < 2 for c in self.calls)

    def run(self, given: Any) -> Any:
        """The outputs for these inputs."""
        known = {
            id(place): tensor for place, tensor in zip(nest.flatten(self.inputs), nest.flatten(given), strict=True)
        }

        def look_up(leaf: Any) -> Any:
            return known.get(id(leaf), leaf) if isinstance(leaf, KerasTensor) else leaf

        for call in self.calls:
            if id(nest.flatten(call.outputs)[0]) in known:
                continue
            result = call.layer(*nest.map_structure(look_up, call.args), **nest.map_structure(look_up, call.kwargs))
            for place, tensor in zip(nest.flatten(call.outputs), nest.flatten(result), strict=True):
                known[id(place)] = tensor
        return nest.map_structure(look_up, self.outputs)


def _in_order(outputs: list[KerasTensor], given: set[int], met: dict[Any, int]) -> Iterator[Call]:
    """Every call behind `outputs`, each after those it needs; without recursion, so that a graph may be deep.

    `met` gets the layers on the way, each with its place in the order in which the outputs lead to them.
    """
    done: set[int] = set()
    places = count()
    stack: list[tuple[Call, bool]] = [(each.call, False) for each in reversed(outputs) if each.call]
    while stack:
        call, ready = stack.pop()
        if id(call) in done:
            continue
        if ready:
            done.add(id(call))
            yield call
            continue
        stack.append((call, True))
        if met.get(call.layer, -1) < 0:
            met[call.layer] = next(places)
        if not call.inputs and not any(id(each) in given for each in nest.flatten(call.outputs)):
            raise ValueError(
                f"Output with path `` is not connected to `inputs`: it needs {call.outputs!r} among the model's inputs."
            )
        stack += [(place.call, False) for place in reversed(call.inputs) if place.call and not _starts_at(place, given)]


def _by_depth(calls: list[Call], met: dict[Any, int]) -> list[Any]:
    """The layers by how many calls lie between them and an output at most; equally deep ones as they were met."""
    below: dict[int, int] = {}
    depths: dict[Any, int] = dict.fromkeys(met, 0)
    for call in reversed(calls):
        depth = depths[call.layer] = max(below.get(id(call), 0), depths[call.layer])
        for place in call.inputs:
            below[id(place.call)] = max(below.get(id(place.call), 0), depth + 1)
    return sorted(met, key=lambda layer: (-depths[layer], met[layer]))


def _starts_at(place: KerasTensor, given: set[int]) -> bool:
    """Whether a model starts at a placeholder that layers made: what made it is not the model's."""
    return id(place) in given and place.call is not None and bool(place.call.inputs)


def shape_of(value: Any) -> Any:
    """The shape of a tensor or placeholder; of a structure, the structure of shapes."""
    return nest.map_structure(lambda each: tuple(getattr(each, "shape", ())), value)


def is_symbolic(values: Any) -> bool:
    """Whether there is a placeholder among some arguments."""
    return any(isinstance(each, KerasTensor) for each in nest.flatten(values))


def spec_like(value: TensorLike, open_batch: bool) -> TensorSpec:
    """The shape and dtype of a tensor; `open_batch` says that its first length may be any."""
    shape = tuple(value.shape)
    return TensorSpec((None, *shape[1:]) if open_batch and shape else shape, value.dtype)
