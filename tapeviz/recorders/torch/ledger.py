"""PyTorch's tensors -> ids of the log, in which each is mentioned once, with its origin."""

from __future__ import annotations

from types import FrameType
from typing import Any
from weakref import ref

import torch

from tapeviz.events.program.inspection import is_a
from tapeviz.events.raw import Mentioned, next_id
from tapeviz.events.types import LeafCreated, Unwatched, Watched
from tapeviz.recorders.naming import rename, take_name
from tapeviz.recorders.torch.backward.nodes import Nodes
from tapeviz.recorders.torch.held_values import HeldValues
from tapeviz.recorders.torch.levels import inside, is_followed, is_row, levels
from tapeviz.recorders.torch.tape_session import TapeSession
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.values import node_of, spec_of


class Ledger:
    """Records tensors that no recorded op has made, when they are made or at their first use."""

    def __init__(self, session: TapeSession, tensors: Tensors, values: HeldValues) -> None:
        self._session = session
        self._log = session.log
        self._tensors = tensors
        self._values = values
        self.nodes = Nodes(session, tensors, values, self.id_of)
        self._retained: list[ref[Any]] = []
        self._replaced: list[tuple[ref[Any], int]] = []

    def id_of(self, tensor: Any) -> int:
        """The raw id of a tensor, which is mentioned in the log if it has not been yet."""
        found = self._tensors.ids.get(id(tensor))
        return self.mention(tensor) if found is None else found

    def is_new(self, tensor: Any) -> bool:
        """Whether a leaf is not in the log yet, and has no name."""
        return (
            self._tensors.get(tensor) is None and self._tensors.facts(tensor).name is None and node_of(tensor) is None
        )

    def resolve(self, obj: Any) -> int | None:
        """The raw id of a tensor, -1 if it is not in the log; None for anything else. The log's resolver."""
        if not is_a(obj, torch.Tensor):
            return None
        found = self._tensors.get(obj)
        return -1 if found is None else found

    def mention(self, tensor: Any) -> int:
        """Log a tensor that was made out of sight, with the graph that leads to it, or as a leaf; its raw id."""
        self._session.open()
        within = inside(tensor)
        if within is not None and (is_row(tensor) or is_followed(within)):
            raw_id = self.id_of(within)
            self._tensors.bind(tensor, raw_id)
            return raw_id
        if node_of(tensor) is not None:
            raw_id = self.nodes.adopt(tensor)
            if tensor.retains_grad:
                self.retain(tensor)
            return raw_id
        facts = self._tensors.facts(tensor)
        raw_id = facts.reserved or next_id()
        self._tensors.bind(tensor, raw_id)
        about = self._about(tensor, None if facts.short else facts.name)
        self._log.append(Mentioned, None, raw_id, self._values.hold(tensor, raw_id), about, *facts.place)
        if facts.short and facts.name is not None:
            self.give_name(tensor, facts.name, short=True)
        if facts.reserved is None:
            self._watch(tensor, raw_id)
        return raw_id

    def give_name(self, tensor: Any, name: str, *, short: bool = False) -> None:
        """Give a tensor a name of the program's; it may have been mentioned before.

        A `short` name is one inside of an object whose own name is not known yet.
        """
        raw_id = self._tensors.get(tensor) or self._tensors.facts(tensor).reserved
        if raw_id is None:
            facts = self._tensors.learn(tensor)
            facts.name, facts.short = name, short
        else:
            rename(self._log, raw_id, (name,) if short else name)

    def announce(self, parameter: Any, parents: tuple[int, ...], frame: FrameType, named: bool) -> None:
        """A parameter was made. Its elements count only from its first use, since modules fill them after making it."""
        self._session.open()
        raw_id = self._tensors.learn(parameter).reserved = next_id()
        code, lasti = frame.f_code, frame.f_lasti
        about = self._about(parameter, None)
        self._log.append(LeafCreated, parents, raw_id, spec_of(parameter), about, code, lasti, self._log.scope)
        if not named:
            take_name(self._log, raw_id)
        self._watch(parameter, raw_id)

    def replaced(self, parameter: Any) -> None:
        """Another parameter takes the place of this one in its module, as where weights are tied."""
        raw_id = self._tensors.get(parameter) or self._tensors.facts(parameter).reserved
        if raw_id is not None:
            self._replaced.append((ref(parameter), raw_id))

    def cut(self, parameter: Any) -> None:
        """Of this parameter the process has a part from here on, of a shape of its own, or none."""
        raw_id = self._tensors.get(parameter) or self._tensors.facts(parameter).reserved
        if raw_id is not None:
            self._tensors.bind(parameter, raw_id)
            about = self._about(parameter, None)
            self._log.append(Mentioned, None, raw_id, self._values.hold(parameter, raw_id), about)

    def unwatch_gone(self) -> None:
        """Stop watching replaced parameters that have been deleted, since nobody can want their gradients."""
        gone = [raw_id for parameter, raw_id in self._replaced if parameter() is None]
        self._replaced = [each for each in self._replaced if each[1] not in gone]
        for raw_id in gone:
            self._log.append(Unwatched, self._session.tapes, raw_id)

    def created(self, tensor: Any, parents: tuple[int, ...], frame: FrameType) -> None:
        """A tensor was made by no op, in the user's `frame`."""
        raw_id = self._tensors.add(tensor)
        about = self._about(tensor, self._tensors.facts(tensor).name)
        value = self._values.hold(tensor, raw_id)
        self._log.append(LeafCreated, parents, raw_id, value, about, frame.f_code, frame.f_lasti, self._log.scope)
        self._watch(tensor, raw_id)

    def _about(self, tensor: Any, name: str | None) -> tuple[str, bool, str | None]:
        """The role of a leaf, whether it requires a gradient, and its name, in the form of a record."""
        variable = tensor.requires_grad or isinstance(tensor, torch.nn.Parameter)
        return "variable" if variable else "constant", tensor.requires_grad, name

    def _watch(self, tensor: Any, raw_id: int) -> None:
        """Record that autograd follows a leaf, if it requires a gradient and is not on the meta device."""
        if tensor.requires_grad and not tensor.is_meta:
            self._log.append(Watched, self._session.tapes, raw_id, None, "accessed")

    def retain(self, tensor: Any) -> None:
        """Note that backward passes store a gradient in a tensor that is not a leaf."""
        self._retained.append(ref(tensor))

    def retained(self) -> list[Any]:
        """The tensors that were given to `retain` and still exist."""
        self._retained = [each for each in self._retained if each() is not None]
        return [tensor for each in self._retained if (tensor := each()) is not None]

    def result_id(self, tensor: Any) -> int:
        """The raw id of a gradient that a call returns; of one without a graph, what is wrapped in it has that, too."""
        if any(map(node_of, levels(tensor))):
            return self.id_of(tensor)
        raw_id = self._tensors.add(tensor)
        for each in levels(tensor):
            self._tensors.bind(each, raw_id)
            if is_row(each):  # the whole of its rows is another tensor
                break
        return raw_id

    def born_here(self, tensor: Any, parents: tuple[int, ...], frame: FrameType) -> None:
        """A leaf was made; one that a library made for itself is mentioned only when it is used."""
        if parents or self._session.in_users_code(3):
            self._session.open()
            self.created(tensor, parents, frame)
        else:
            self._tensors.learn(tensor).place = frame.f_code, frame.f_lasti

    def owner_of(self, tensor: Any) -> Any:
        """The tensor that has the elements of another one, unknown to autograd: a variable, or that with this `.data`.

        While autograd is off, it may be any tensor of a graph of which the other one is a view.
        """
        original = self._tensors.original(tensor)
        whole = tensor if tensor._base is None else tensor._base
        for each in (whole, original):
            if (
                each is not None
                and node_of(each) is None
                and (each.requires_grad or isinstance(each, torch.nn.Parameter))
            ):
                return each
        is_followed = original is None and node_of(whole) is not None
        return whole if is_followed and not torch.is_grad_enabled() else original
