"""Input and output placeholders -> the calls of layers between them, in an order in which they can run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count, pairwise
from operator import attrgetter
from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras.symbolic.inputs import arranged, entered
from tapeviz.tf.keras.symbolic.placeholders import KerasTensor, LayerCall


def tells_graph(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the arguments of a model are inputs and outputs, by Keras' rule."""
    return len(args) == 2 or ("outputs" in kwargs and (len(args) == 1 or "inputs" in kwargs))


def require_placeholders(**ends: Any) -> None:
    """Check that the inputs and outputs of a model are placeholders. They are passed by name, for the error.

    Raises:
        ValueError: one is not.
    """
    for name, places in ends.items():
        for each in nest.flatten(places):
            if not isinstance(each, KerasTensor):
                raise ValueError(
                    f"All `{name}` values must be KerasTensors. Received: {name}={places} including invalid value "
                    f"{each} of type {type(each)}"
                )


class LayerGraph:
    """The calls of layers that lead from inputs to outputs, in an order in which they can run.

    Args:
        inputs: placeholders, in any structure.
        outputs: placeholders, in any structure.
    """

    def __init__(self, inputs: Any, outputs: Any) -> None:
        for name, places in (("inputs", inputs), ("outputs", outputs)):
            if not nest.flatten(places):
                raise ValueError(f"`{name}` argument cannot be empty. Received:\ninputs={inputs}\noutputs={outputs}")
        self.inputs = inputs
        self.outputs = outputs
        starts = nest.flatten(inputs)
        self._begun = [each.call.layer for each in starts if each.call and not each.call.inputs]
        met: dict[Any, int] = dict.fromkeys(self._begun, -1)
        self.calls = list(_in_order(nest.flatten(outputs), {id(each) for each in starts}, met))
        self.layers = _by_depth(self.calls, met)
        """All layers, the farthest from the outputs first."""
        for name, times in Counter(layer.name for layer in self.layers).items():
            if times > 1:
                raise ValueError(
                    f'The name "{name}" is used {times} times in the model. All operation names should be unique. '
                    "Give the layers names of their own, or none."
                )

    @cached_property
    def with_masks(self) -> tuple[list[LayerCall], list[Any]]:
        """All calls and layers, the operations that make masks among them: layers make these when they run."""
        met: dict[Any, int] = dict.fromkeys(self._begun, -1)
        given = {id(each) for each in nest.flatten(self.inputs)}
        calls = list(_in_order(nest.flatten(self.outputs), given, met, _SOURCES))
        return calls, _by_depth(calls, met, _SOURCES)

    @property
    def is_chain(self) -> bool:
        """Whether each layer is called once, with the output of the layer before it."""
        calls, layers = self.with_masks
        follows = (call.inputs and call.inputs[0].call is before for before, call in pairwise(calls))
        return all(follows) and len(layers) == len(calls) and all(len(call.sources) < 2 for call in calls)

    def run(self, given: Any, make: Callable[..., Any]) -> Any:
        """The outputs for some inputs, which are converted to the dtypes and ranks of the placeholders.

        Args:
            given: the inputs.
            make: a function that makes each call, as `make(layer, ...)`.
        """
        pairs = zip(arranged(given, self.inputs), nest.flatten(self.inputs), strict=True)
        return self.follow([entered(*pair) for pair in pairs], make)

    def follow(self, given: list[Any], make: Callable[..., Any]) -> Any:
        """The outputs for some inputs, which are not converted.

        Args:
            given: the inputs, in a list.
            make: a function that makes each call, as `make(layer, ...)`.
        """
        known = {id(place): each for place, each in zip(nest.flatten(self.inputs), given, strict=True)}

        def look_up(leaf: Any) -> Any:
            return known.get(id(leaf), leaf) if isinstance(leaf, KerasTensor) else leaf

        for call in self.calls:
            if id(nest.flatten(call.outputs)[0]) in known:
                continue
            result = make(
                call.layer, *nest.map_structure(look_up, call.args), **nest.map_structure(look_up, call.kwargs)
            )
            for place, tensor in zip(nest.flatten(call.outputs), nest.flatten(result), strict=True):
                known[id(place)] = tensor
        return nest.map_structure(look_up, self.outputs)


_INPUTS, _SOURCES = attrgetter("inputs"), attrgetter("sources")


def _in_order(
    outputs: list[KerasTensor], given: set[int], met: dict[Any, int], needs: Callable[[LayerCall], Any] = _INPUTS
) -> Iterator[LayerCall]:
    """All calls that the outputs depend on, each after those it needs; without recursion, as a graph may be deep.

    The layers are added to `met`, with the order in which they were found from the outputs.
    """
    done: set[int] = set()
    places = count()
    stack: list[tuple[LayerCall, bool]] = [(each.call, False) for each in reversed(outputs) if each.call]
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
        stack += [(place.call, False) for place in reversed(needs(call)) if place.call and not _starts_at(place, given)]


def _by_depth(calls: list[LayerCall], met: dict[Any, int], needs: Callable[[LayerCall], Any] = _INPUTS) -> list[Any]:
    """The layers by the largest number of calls between them and an output, and then in the order of `met`."""
    below: dict[int, int] = {}
    depths: dict[Any, int] = dict.fromkeys(met, 0)
    for call in reversed(calls):
        depth = depths[call.layer] = max(below.get(id(call), 0), depths[call.layer])
        for place in needs(call):
            below[id(place.call)] = max(below.get(id(place.call), 0), depth + 1)
    return sorted(met, key=lambda layer: (-depths[layer], met[layer]))


def _starts_at(place: KerasTensor, given: set[int]) -> bool:
    """Whether an output of a layer is an input of the model, so that the layer is not part of it."""
    return id(place) in given and place.call is not None and bool(place.call.inputs)
