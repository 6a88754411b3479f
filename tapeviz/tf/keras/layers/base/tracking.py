"""An attribute that is set -> the layer tracks the variables, seed generators, metrics and layers in it.

Lists, dicts and sets are replaced by copies whose methods tell the tracker what is added and removed. As in Keras, an
object is tracked until it is removed from its list, and a variable until its attribute is deleted.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from tapeviz.tf.keras.metrics.base import Metric
from tapeviz.tf.keras.seed_generator import SeedGenerator
from tapeviz.tf.keras.variable import Variable

_TOO_LATE = (
    "You cannot add new elements of state (variables or sub-layers) to a layer that is already built. All state must "
    "be created in the `__init__()` method or in the `build()` method."
)
_PLAIN = frozenset((bool, int, float, str, type(None)))
"""Common types of values in which there is nothing to track."""


class Holder:
    """The base of objects whose attributes are tracked."""

    _held_: Tracker

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        new = super().__new__(cls)
        new.__dict__["_held_"] = Tracker()
        return new

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value if type(value) in _PLAIN else self._held_.take(value))

    def __delattr__(self, name: str) -> None:
        value = getattr(self, name)
        super().__delattr__(name)
        if isinstance(value, Variable):
            self._held_.drop(value)

    def __copy__(self) -> Self:
        """A deep copy: as in Keras, every copy has weights of its own."""
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copied layer: its lists, which were copied as plain ones, are tracked again."""
        held = Tracker()
        self.__dict__.update({name: held.take(value) for name, value in state.items()}, _held_=held)
        held.__dict__.update(vars(state["_held_"]))  # in its order, and with what is in no attribute any more


class Tracker:
    """What a layer tracks, in the order in which it was added.

    >>> held = Tracker()
    >>> several = held.take([Variable(1.0, name="a"), Variable(2.0, name="b", trainable=False)])
    >>> several.append(Variable(3.0, name="c"))
    >>> [each.name for each in held.trained], [each.name for each in held.fixed]
    (['a', 'c'], ['b'])
    """

    def __init__(self) -> None:
        self.trained: list[Variable] = []
        """The variables that were trainable when they were added, whether they still are or not."""
        self.fixed: list[Variable] = []
        """The other variables."""
        self.seeds: list[SeedGenerator] = []
        """The seed generators."""
        self.metrics: list[Metric] = []
        self.layers: list[Any] = []
        self.closed = False
        """Whether nothing may be added."""

    def take(self, value: Any) -> Any:
        """Track a value, or what is in it.

        Returns:
            The value to store in the attribute: lists, dicts and sets that report changes.

        Raises:
            ValueError: the value is new, and the layer accepts no new ones.
        """
        if isinstance(value, Variable):
            if not _is_in(self.trained, value):
                self._add(self.trained if value.trainable else self.fixed, value)
        elif isinstance(value, Holder):
            self._add(self.layers, value)
        elif isinstance(value, SeedGenerator):
            self._add(self.seeds, value)
        elif isinstance(value, Metric):
            self._add(self.metrics, value)
        elif isinstance(value, tuple):
            parts = [self.take(each) for each in value]
            if any(part is not each for part, each in zip(parts, value, strict=True)):
                return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        else:
            for kind, telling in _TELLING.items():
                if isinstance(value, kind):
                    return telling(value, self)
        return value

    def _add(self, kept: list[Any], value: Any) -> None:
        if _is_in(kept, value):
            return
        if self.closed:
            raise ValueError(_TOO_LATE)
        kept.append(value)

    def drop(self, value: Any) -> None:
        """Stop tracking a value."""
        every: tuple[list[Any], ...] = self.trained, self.fixed, self.seeds, self.metrics, self.layers
        for kept in every:
            kept[:] = [each for each in kept if each is not value]


def _is_in(kept: list[Any], value: Any) -> bool:
    return any(each is value for each in kept)


if TYPE_CHECKING:

    class _Base:
        """The methods of Python's own class, which comes after the classes below among their bases."""

        def __init__(self, values: Any = ..., /) -> None: ...
        def __iter__(self) -> Any: ...
        def __setitem__(self, key: Any, value: Any, /) -> None: ...
        def pop(self, *where: Any) -> Any: ...
        def popitem(self, *args: Any, **kwargs: Any) -> Any: ...
        def clear(self) -> None: ...
        def remove(self, value: Any, /) -> None: ...
        def update(self, values: Any, /) -> None: ...
else:
    _Base = object


class _Telling(_Base):
    """The base of tracked lists, dicts and sets. What is removed from them is no longer tracked."""

    _held: Tracker

    def pop(self, *where: Any) -> Any:
        value = super().pop(*where)
        self._held.drop(value)
        return value

    def clear(self) -> None:
        for each in self.values() if isinstance(self, dict) else self:
            self._held.drop(each)
        super().clear()


class _TellingElements(_Telling):
    """The base of tracked lists and sets."""

    def __init__(self, values: Iterable[Any] = (), held: Tracker | None = None) -> None:
        self._held = held or Tracker()
        super().__init__(map(self._held.take, values))

    def remove(self, value: Any) -> None:
        self._held.drop(value)
        super().remove(value)


class _TellingEntries(_Telling):
    """The base of tracked dicts."""

    def __init__(self, values: Any = (), held: Tracker | None = None) -> None:
        self._held = held or Tracker()
        super().__init__({key: self._held.take(each) for key, each in dict(values).items()})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._held.take(value)
        super().__setitem__(key, value)

    def update(self, values: Mapping[Any, Any]) -> None:  # as in Keras, by place alone
        super().update({key: self._held.take(each) for key, each in values.items()})

    def popitem(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        key, value = super().popitem(*args, **kwargs)
        self._held.drop(value)
        return key, value


class TrackedList(_TellingElements, list[Any]):
    """A list in an attribute of a layer; without a layer, it tracks by itself. Copies of it are plain lists."""

    def append(self, value: Any) -> None:
        self._held.take(value)
        super().append(value)

    def insert(self, index: Any, value: Any) -> None:
        self._held.take(value)
        super().insert(index, value)

    def extend(self, values: Iterable[Any]) -> None:
        super().extend([self._held.take(each) for each in values])

    def __delitem__(self, index: Any) -> None:
        self._held.drop(self[index])
        super().__delitem__(index)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (), None, iter(self)


class TrackedDict(_TellingEntries, dict[Any, Any]):  # type: ignore[misc]  # of `update`, as in Keras
    """A dict in an attribute of a layer; without a layer, it tracks by itself. Copies of it are plain dicts."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (), None, None, iter(self.items())


class TrackedOrderedDict(_TellingEntries, OrderedDict[Any, Any]):  # type: ignore[misc]  # of `update`, as in Keras
    """An ordered dict in an attribute of a layer. Copies of it are plain ordered dicts."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return OrderedDict, (), None, None, iter(self.items())


class TrackedSet(_TellingElements, set[Any]):
    """A set in an attribute of a layer; without a layer, it tracks by itself. Copies of it are plain sets."""

    def add(self, value: Any) -> None:
        self._held.take(value)
        super().add(value)

    def update(self, values: Iterable[Any]) -> None:  # type: ignore[override]  # as in Keras, of one argument
        super().update([self._held.take(each) for each in values])

    def __reduce_ex__(self, protocol: Any) -> Any:
        return set, (list(self),)


_TELLING: dict[type[Any], Any] = {
    list: TrackedList,
    OrderedDict: TrackedOrderedDict,
    dict: TrackedDict,
    set: TrackedSet,
}
