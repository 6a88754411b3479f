"""An iterator that a compiled function takes elements of -> these elements, and an iterator over them.

What a graph takes of an iterator it takes once, and nobody sees it. So where it takes one, that is taken just before
the call, as the graph would have done, and the graph gets an iterator of the same kind that has this one. In a loop it
gets one that takes each element of the program's when it is asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from tensorflow.python.data.ops import dataset_ops, options
from tensorflow.python.framework import errors, tensor_spec
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import gen_dataset_ops

from tapeviz.recorders.tensorflow.compiled.rerun import TAKERS
from tapeviz.recorders.tensorflow.compiled.template import Template
from tapeviz.recorders.tensorflow.values import is_numeric

_NEXT = "IteratorGetNext"
Element = tuple[Any, ...]


class _Source:
    """An iterator of the program's, while a function runs: the elements that it has given, and the errors it raised."""

    def __init__(self, iterator: Any, elements: list[Element], failed: list[Exception]) -> None:
        self.iterator = iterator
        self.elements = elements
        self.failed = failed


class TakenBatches(NamedTuple):
    """What a function is to be given instead of what it was given, and what is known of the elements it takes.

    Attributes:
        iterators: the places of the program's.
        fed: what its ops that take one, by their names, will give.
        passed: by the places of iterators, the elements that they will have given when the function has run, and the
            types and shapes of these.
        sources: the iterators that these come from.
        failed: the errors of the program's iterators, but that they have ended.
    """

    arguments: list[Any]
    iterators: frozenset[int]
    fed: dict[str, list[Any]]
    passed: dict[int, tuple[list[Element], Any, Any]]
    sources: list[_Source]
    failed: list[Exception]

    def let_go(self) -> None:
        """The function has run: the program's iterators are the program's alone.

        To let one go takes until the thread that tunes it looks up, which is up to a minute.
        """
        for source in self.sources:
            source.iterator = None

    def raise_own(self) -> None:
        """Raise what the program's iterator has raised, in the place of what TensorFlow makes of it."""
        if self.failed:
            raise self.failed[0]


def take_next(template: Template, arguments: list[Any]) -> TakenBatches:
    """Take the next element of each iterator of which the function takes just one, whatever happens in it."""
    iterators = _iterators(template, arguments)
    taken = TakenBatches(list(arguments), frozenset(iterators), {}, {}, [], [])
    for at, users in iterators.items():
        op = users[0]
        types, shapes = op.get_attr("output_types"), op.get_attr("output_shapes")
        if len(users) > 1 or op.type != _NEXT or op.graph is not template.graph:
            if all(is_numeric(each.as_datatype_enum) for each in types):
                source = _Source(arguments[at], [], taken.failed)
                taken.sources.append(source)
                taken.arguments[at] = _Passing.idle(types, shapes).iterator(source)
                taken.passed[at] = source.elements, types, shapes
            continue
        try:
            element = gen_dataset_ops.iterator_get_next(arguments[at], types, shapes)
        except errors.OutOfRangeError:  # which the function is to find out itself
            continue
        taken.arguments[at], taken.fed[op.name] = iterator_over([tuple(element)], types, shapes), list(element)
    return taken


def iterator_over(elements: Sequence[Element], types: Any, shapes: Any) -> Any:
    """The handle of an iterator that gives these."""
    alone = gen_dataset_ops.anonymous_iterator_v3(types, shapes)
    dataset: Any = None
    for each in elements:
        one = gen_dataset_ops.tensor_dataset(each, shapes)
        dataset = one if dataset is None else gen_dataset_ops.concatenate_dataset(dataset, one, types, shapes)
    lazy = _asked_for_only()._to_proto().SerializeToString()
    gen_dataset_ops.make_iterator(gen_dataset_ops.options_dataset(dataset, lazy, types, shapes), alone)
    return alone


class _Passing:
    """A dataset whose elements are those of an iterator, each taken as it is asked for.

    Those of a kind are kept, and each is used again when the function has run that it was used for.
    """

    _known: ClassVar[dict[Any, list[_Passing]]] = {}

    def __init__(self, types: Any, shapes: Any) -> None:
        self._types, self._shapes = types, shapes
        specs = tuple([tensor_spec.TensorSpec(shape, dtype) for shape, dtype in zip(shapes, types, strict=True)])
        self._source = _Source(None, [], [])
        dataset = dataset_ops.Dataset.from_generator(self._elements, output_signature=specs)
        self._dataset = dataset.with_options(_asked_for_only())

    @classmethod
    def idle(cls, types: Any, shapes: Any) -> _Passing:
        """One of elements of these types and shapes that no function is given now."""
        key = tuple(types), tuple(str(each) for each in shapes)
        known = cls._known.setdefault(key, [])
        found = next((each for each in known if each._source.iterator is None), None)
        if found is None:
            found = cls(types, shapes)
            known.append(found)
        return found

    def iterator(self, source: _Source) -> Any:
        """The handle of an iterator over the elements of a source, which knows them as they are taken."""
        self._source = source
        alone = gen_dataset_ops.anonymous_iterator_v3(self._types, self._shapes)
        gen_dataset_ops.make_iterator(self._dataset._variant_tensor, alone)
        return alone

    def _elements(self) -> Iterator[Element]:
        source = self._source
        while True:
            try:
                element = tuple(gen_dataset_ops.iterator_get_next(source.iterator, self._types, self._shapes))
            except errors.OutOfRangeError:
                return
            except Exception as error:
                source.failed.append(error)
                raise
            source.elements.append(element)
            yield element


def _asked_for_only() -> Any:
    """Options by which a dataset computes no element before it is asked for."""
    found = options.Options()
    found.autotune.enabled = False
    found.experimental_optimization.apply_default_optimizations = False
    found.experimental_optimization.inject_prefetch = False
    return found


def _iterators(template: Template, arguments: list[Any]) -> dict[int, list[Any]]:
    """By their places the iterators that a function is given, and the ops that use each, if they take its elements."""
    found = {}
    for at, symbol in enumerate(template.inputs):
        if symbol.dtype.name == "resource" and isinstance(arguments[at], EagerTensor):
            users = list(_users(template, at))
            if users and all(each.type in TAKERS for each in users):
                found[at] = users
    return found


def _users(template: Template, place: int) -> Iterator[Any]:
    """The ops that use an input of a graph, in it and in what it calls."""
    own = template.inputs[place]._id
    for op in template.graph.get_operations():
        for at in [at for at, each in enumerate(op.inputs) if each._id == own]:
            callee = template.callees.get(op.name)
            if isinstance(callee, Template):
                yield from _users(callee, at)
            elif op.name in template.branches and template.branches[op.name].are_as_traced:
                branches = template.branches[op.name]
                for each in branches.graphs:
                    yield from _users(each, at if branches.is_loop else at - 1)
            else:
                yield op
