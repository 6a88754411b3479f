"""An iterator that a compiled function takes its next element of -> that element, and an iterator over it alone.

What a graph takes of an iterator it takes once, and nobody sees it. So the element is taken just before the call, as
the graph would have done, and the graph gets an iterator of the same kind that has this one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorflow.python.framework import errors
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import gen_dataset_ops

from tapeviz.recorders.tensorflow.compiled.template import Template

_NEXT = "IteratorGetNext"


class TakenBatches(NamedTuple):
    """What a function is to be given instead of what it was given, and what its ops, by their names, will give."""

    arguments: list[Any]
    fed: dict[str, list[Any]]


def take_next(template: Template, arguments: list[Any]) -> TakenBatches:
    """Take the next element of each iterator of which the function takes just one, whatever happens in it."""
    instead, fed = list(arguments), dict[str, list[Any]]()
    for op in _takers(template):
        at = [each._id for each in template.inputs].index(op.inputs[0]._id)
        types, shapes = op.get_attr("output_types"), op.get_attr("output_shapes")
        if not isinstance(arguments[at], EagerTensor):
            continue
        try:
            element = gen_dataset_ops.iterator_get_next(arguments[at], types, shapes)
        except errors.OutOfRangeError:  # which the function is to find out itself
            continue
        alone = gen_dataset_ops.anonymous_iterator_v3(types, shapes)
        gen_dataset_ops.make_iterator(gen_dataset_ops.tensor_dataset(element, shapes), alone)
        instead[at], fed[op.name] = alone, list(element)
    return TakenBatches(instead, fed)


def _takers(template: Template) -> list[Any]:
    """The ops of a graph that are the only one to use an iterator which it is given."""
    arguments = {each._id for each in template.inputs}
    users: dict[int, list[Any]] = {}
    for op in template.graph.get_operations():
        for each in op.inputs:
            if each._id in arguments:
                users.setdefault(each._id, []).append(op)
    return [ops[0] for ops in users.values() if len(ops) == 1 and ops[0].type == _NEXT]
