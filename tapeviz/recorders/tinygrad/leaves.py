"""A tensor that no op of the log made -> its record, at its first use, with its place, its name and its numbers."""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any

from tinygrad import Tensor

from tapeviz.events.raw import Mentioned, next_id
from tapeviz.events.types import LeafCreated, Watched
from tapeviz.recorders.naming import rename
from tapeviz.recorders.patches import Row, Wrapped
from tapeviz.recorders.tinygrad.names import has_gradient, operands_of
from tapeviz.recorders.tinygrad.names_held import name_of
from tapeviz.recorders.tinygrad.session import Place, Session
from tapeviz.recorders.tinygrad.values import kept

MAKERS = (
    *("empty", "invalids", "full", "zeros", "ones", "arange", "linspace", "eye", "tri", "rand", "randn", "randint"),
    *("normal", "uniform", "scaled_uniform", "glorot_uniform", "kaiming_uniform", "kaiming_normal", "randperm"),
)
"""The methods of the class that make tensors, perhaps by many ops."""
LIKE = ("empty_like", "full_like", "zeros_like", "ones_like", "rand_like", "randn_like")


class Leaves:
    """Hooks at what makes tensors of nothing but numbers; `of` logs one of them."""

    def __init__(self, session: Session, home: FrameType) -> None:
        self._session = session
        self._home: FrameType | None = home
        self._settled: set[int] = set()
        self._places: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()
        self._holders: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()

    def close(self) -> None:
        """The recording ends: keep no frame of the program's alive."""
        self._home = None

    def rows(self) -> list[Row]:
        """The constructor, and the functions that call it."""
        here = self._session.here
        return [
            here.after(Tensor, "__init__", self._created),
            *(self._maker(name) for name in MAKERS if hasattr(Tensor, name)),
            *(here.instead(Tensor, name, self._make) for name in LIKE if hasattr(Tensor, name)),
        ]

    def _maker(self, name: str) -> Wrapped:
        """A class method, which the class inherits, in the place of the same."""

        def make(original: Any) -> Any:
            inherited = getattr(original, "__func__", None)

            def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
                own = original if inherited is None else inherited.__get__(cls)
                return self._make(own, *args, **kwargs) if self._session.is_here else own(*args, **kwargs)

            return classmethod(call)

        return Wrapped(Tensor, name, make)

    def _make(self, make: Any, *args: Any, **kwargs: Any) -> Any:
        with self._session.unseen():
            made = make(*args, **kwargs)
        with self._session.noting():
            self._created(made)
            self._session.numbers.of(made.uop)  # before a generator of random numbers has gone on
        return made

    def _created(self, tensor: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(tensor, Tensor):
            self._places.setdefault(tensor.uop, self._session.place(2))
            self._holders.setdefault(tensor.uop, weakref.ref(tensor))

    def made_below(self, root: Any, order: list[Any]) -> bool:
        """Whether tensors of the program are below a node, of which it was made by what no hook sees, as by a cast.

        Those of them that are made of no other are logged.
        """
        made: set[Any] = set()
        found = False
        for node in order:
            holder = self._holders.get(node)
            inner = any(each in made for _, each in operands_of(node))
            if node is not root and not inner and holder is not None and holder() is not None:
                self.of(node)
                found = inner = True
            if inner:
                made.add(node)
        return found

    def settle(self, frame: FrameType) -> None:
        """Give leaves the paths by which the program has them now, where it had only a variable before."""
        ledger = self._session.ledger
        for raw, reference in list(ledger.leaves.items()):
            tensor = reference()
            if raw in self._settled or tensor is None:
                continue
            path = name_of(frame, tensor, self._home)
            if path is not None and "." in path and not path.startswith("self."):
                self._settled.add(raw)
                rename(self._session.log, raw, path)

    def of(self, uop: Any, tensor: Any = None, *, is_trained: bool = False) -> int:
        """The id of a node that is a leaf, which is logged now if it is not in the log yet.

        tinygrad differentiates by all of them. A variable is what an optimizer has, or an object as an attribute.
        """
        session, ledger = self._session, self._session.ledger
        known = ledger.id_of(uop)
        if known is not None:
            return known
        holder = self._holders.get(uop)
        tensor = tensor if tensor is not None else holder() if holder is not None else None
        frame, place = session.enter(1), self._places.get(uop)
        raw, parent = next_id(), ledger.realized.get(uop)
        name = name_of(frame, tensor, self._home) if tensor is not None and parent is None else None
        floats = has_gradient(uop) and uop.device is not None and tensor is not None
        may_learn = floats and bool(tensor.is_param) and parent is None
        is_variable = may_learn and (is_trained or "." in (name or ""))
        about = ("variable" if is_variable else "constant", may_learn, name)
        value = kept(session.log, session.numbers, uop)
        if place is None:
            session.log.append(Mentioned, None, raw, value, about)
        else:
            session.log.append(LeafCreated, () if parent is None else (parent,), raw, value, about, *place)
        if floats:
            session.log.append(Watched, (session.tape,), raw, None, "accessed")
        ledger.note(uop, raw)
        if tensor is not None and parent is None:
            ledger.note_leaf(tensor, raw)
        return raw
