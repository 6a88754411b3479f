"""A PyTorch tensor -> its raw id, for as long as the tensor lives, without keeping it alive.

PyTorch keeps a tensor's Python object as long as anything holds the tensor, so its identity serves as the key; the
entry goes when the object does.
"""

from __future__ import annotations

from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any
from weakref import ref

from tapeviz.events.raw import next_id

if TYPE_CHECKING:
    from tapeviz.recorders.torch.groups import Replica, Shard


class TensorFacts:
    """What is known of a tensor besides its id. Few tensors have such facts.

    Attributes:
        gradient_of: the raw id of the tensor whose `.grad` it is.
        name: the name with which it will be mentioned.
        short: whether this is a name inside of an object that has a name itself.
        place: the place with which it will be mentioned.
        original: the tensor whose elements it shares without autograd knowing it.
        reserved: the raw id of a tensor that was announced, and whose elements do not count before its first use.
        replica: the model, one of those in several processes, that it is a parameter of.
        shard: what it was gathered from, where processes share it out.
    """

    __slots__ = ("gradient_of", "name", "original", "place", "replica", "reserved", "shard", "short")

    def __init__(self) -> None:
        self.gradient_of: int | None = None
        self.name: str | None = None
        self.short = False
        self.place: tuple[CodeType | None, int] = (None, -1)
        self.original: ref[Any] | None = None
        self.reserved: int | None = None
        self.replica: Replica | None = None
        self.shard: Shard | None = None


NOTHING = TensorFacts()
DEAD = 1024
"""How many references to tensors that are gone may stay, whatever number there is of others."""


class Tensors:
    """The tensors that a recording knows; `ids` by identity."""

    def __init__(self) -> None:
        self.ids: dict[int, int] = {}
        self._forget = self.ids.pop
        self._refs: dict[int, ref[Any]] = {}  # of dead tensors, too: what calls back has to be kept, and no more is
        self._facts: dict[int, tuple[TensorFacts, ref[Any]]] = {}

    def get(self, tensor: Any) -> int | None:
        """The raw id of a tensor, None if it is not known."""
        return self.ids.get(id(tensor))

    def alive(self) -> list[Any]:
        """All known tensors that are alive."""
        found = [self._refs[key]() for key in list(self.ids)]
        return [each for each in found if each is not None]

    def hooked(self) -> list[Any]:
        """Those that are alive and have hooks of the program's on their gradients."""
        if len(self._refs) > 2 * len(self.ids) + DEAD:
            self._refs = {key: self._refs[key] for key in list(self.ids)}
        return [each for each in self.alive() if each._backward_hooks]

    def add(self, tensor: Any) -> int:
        """A new raw id for a tensor, which replaces the one that it may have."""
        key, ids = id(tensor), self.ids
        if key not in ids:  # a call of `pop`, with the key and the reference, runs nothing in Python
            self._refs[key] = ref(tensor, partial(self._forget, key))
        raw_id = ids[key] = next_id()
        return raw_id

    def bind(self, tensor: Any, raw_id: int) -> None:
        """Set the raw id of a tensor."""
        key = id(tensor)
        if key not in self.ids:
            self._refs[key] = ref(tensor, partial(self._forget, key))
        self.ids[key] = raw_id

    def facts(self, tensor: Any) -> TensorFacts:
        """The facts about a tensor, for reading only."""
        found = self._facts.get(id(tensor))
        return NOTHING if found is None else found[0]

    def learn(self, tensor: Any) -> TensorFacts:
        """The facts about a tensor, for adding to them."""
        key = id(tensor)
        found = self._facts.get(key)
        if found is None:
            found = self._facts[key] = TensorFacts(), ref(tensor, partial(self._facts.pop, key))
        return found[0]

    def share(self, alias: Any, tensor: Any) -> None:
        """Note that `alias` has the elements of `tensor`, which nothing else shows."""
        self.learn(alias).original = self.facts(tensor).original or ref(tensor)

    def original(self, alias: Any) -> Any:
        """The tensor that shares its elements with an alias; None if it does not exist any more."""
        found = self.facts(alias).original
        return None if found is None else found()
