"""A call that computes tensors -> one record: what went in, what came out, and whether autograd followed it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from torch._C import _is_any_autocast_enabled as is_any_autocast_enabled

from tapeviz.events.catalog import CUSTOM, RECOMPUTED, RULE
from tapeviz.events.program.frames import outward
from tapeviz.events.program.inspection import arguments_of, code_of
from tapeviz.recorders.torch.arguments import Arguments
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.backward.saved import saved_by
from tapeviz.recorders.torch.levels import is_followed, mapped, running
from tapeviz.recorders.torch.names import signature_of
from tapeviz.recorders.torch.saved_hooks import is_checkpointed
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import is_made_since, kept, tensors_in
from tapeviz.source.filenames import base_name

Tensor = torch.Tensor

Saves = dict[tuple[Any, ...], tuple[int, ...]]
"""Per argument whether it needs a gradient (`_need`) -> what the nodes of a function keep."""

_SAVES_OF_PYTORCHS: dict[Any, Saves] = {}
"""What the nodes of PyTorch's own functions keep, which is the same in every recording."""


class RecordedFunction:
    """One function of PyTorch's, as an op; `more` are attributes that all its calls have."""

    __slots__ = ("_makes_leaves", "_more", "_saves", "_session", "arguments", "name")
    is_closed: ClassVar[bool] = True
    """Whether what it calls is a part of it, a user's function as well."""

    def __init__(self, session: Session, func: Any, name: str, more: tuple[Any, ...] = ()) -> None:
        known = signature_of(name)
        self._session = session
        self._more = more
        self._saves: Saves = {} if CUSTOM in more else _SAVES_OF_PYTORCHS.setdefault(func, {})
        self.name = known.name
        self.arguments = Arguments(session, func, known)
        self._makes_leaves = self.name in LEAVES

    def has_gradient_of_the_users(self, rule: Any) -> None:
        """Its calls say so from now on, and where the gradient function is defined."""
        code = code_of(rule)
        if code is not None and not self._more:
            self._more = (CUSTOM, (RULE, (base_name(code.co_filename), code.co_firstlineno, *arguments_of(rule)[1:])))

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        start = counter()
        try:
            out = func(*args, **kwargs) if kwargs else func(*args)
        except Exception as error:
            self._session.fail(error)
            raise
        if isinstance(out, Tensor):
            for each in args:
                if each is out and not is_made_since(out, start):
                    return out  # as `x.contiguous()` may be `x`
            self._one(start, out, args, kwargs)
        elif isinstance(out, (tuple, list)) and out:
            self._many(start, out, args, kwargs)
        return out

    def _one(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Log a call with one tensor as its result, which is the commonest case."""
        session = self._session
        tensors, log = session.tensors, session.log
        if kwargs or None in (inputs := _known(tensors.ids.get, args)):
            inputs, attrs = self.arguments.split(args, kwargs)
            attrs += self._more
        else:
            attrs = self._more
            if session.lent.loans:
                session.lent.look_at(inputs)
        frame = sys._getframe(3)
        if frame is not log.frame:  # else the user's line, which was the last one, has made this call itself
            frame, passed = session.enter_from(frame)
            attrs += passed
        if not inputs or self._makes_leaves or (attrs and TO_LEARN in attrs):
            copied = inputs if self._makes_leaves else ()
            session.ledger.born_here(out, tuple(each for each in copied if type(each) is int), frame)
            if self.name in SHARING:
                session.lent.lend_of(out, args)
            return
        raw_id = tensors.add(out)
        is_wrapped = running() is not None
        value = kept(log, out)
        tapes: tuple[int, ...] = ()
        saves: tuple[int, ...] = ()
        if is_wrapped:
            attrs = mapped(attrs, out)
        is_learned = out.requires_grad
        if is_learned or (is_wrapped and is_followed(out)):
            tapes = session.tapes
            end = counter()
            session.nodes.add(start, end, inputs, raw_id)
            if end - start > 1 or is_wrapped:
                session.nodes.note_output(out, raw_id)
            if session.packs and is_checkpointed():
                attrs += (RECOMPUTED,)
            elif is_learned:
                saves = self._saved(start, out, inputs, args, kwargs)
        log.raw += (self.name, inputs, raw_id, value, attrs, saves, tapes, log.scope, frame.f_code, frame.f_lasti)

    def _many(self, start: int, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Log a call with several tensors as its results, perhaps in a structure."""
        session = self._session
        known, given = session.tensors.ids, tensors_in(args)
        made = [
            each
            for each in tensors_in(out)
            if is_made_since(each, start) or not (id(each) in known or _is_among(each, given))
        ]
        if not made:
            return
        inputs, attrs = self.arguments.split(args, kwargs)
        attrs += self._more
        frame, passed = session.enter_from(sys._getframe(2))
        if not inputs:
            for each in made:
                session.ledger.born_here(each, (), frame)
            return
        attrs += passed
        log = session.log
        ids = tuple([session.tensors.add(each) for each in made])
        values = tuple([kept(log, each) for each in made])
        followed = any(map(is_followed, made))
        attrs = mapped(attrs, made[0])
        if followed:
            session.nodes.add(start, counter(), inputs, ids)
            for each, raw_id in zip(made, ids, strict=True):
                session.nodes.note_output(each, raw_id)
        tapes = session.tapes if followed else ()
        code = frame.f_code
        log.raw += (self.name, inputs, ids, values, attrs, (), tapes, log.scope, code, frame.f_lasti)

    def _saved(
        self, start: int, out: Any, inputs: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int, ...]:
        """What the op's nodes keep, as indices into its inputs and output; it is looked up at the first call.

        Under autocast they keep the copies that it makes.
        """
        given = (*args, *kwargs.values()) if kwargs else args
        needs: tuple[Any, ...]
        if len(given) == 2 and type(given[0]) is type(given[1]) is Tensor:  # the commonest case, in less time
            needs = given[0].requires_grad, given[1].requires_grad
        else:
            needs = tuple([each.requires_grad if isinstance(each, Tensor) else _need(each) for each in given])
        if is_any_autocast_enabled():
            needs = "autocast", *needs
        found = self._saves.get(needs)
        if found is None:
            tensors = tensors_in(given)
            saved = saved_by(out, start, tensors)
            if saved is None:
                return ()
            slots = [at for at, each in enumerate(inputs) if type(each) is int]
            slots_of = (*slots, len(inputs)) if len(slots) == len(tensors) else ()  # a slice's bounds are in neither
            found = self._saves[needs] = tuple([slots_of[at] for at in saved if at < len(slots_of)])
        return found


class OverwritingFunction(RecordedFunction):
    """A function that overwrites some of its arguments, which no version counter tells of: the running statistics of a
    normalization. The log keeps what they were when it met them."""

    __slots__ = ("_kept",)

    def __init__(self, session: Session, func: Any, name: str) -> None:
        super().__init__(session, func, name)
        self._kept: set[int] = set()

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > RUNNING.stop and args[RUNNING.stop] and running() is None:
            self._keep([each for each in args[RUNNING] if isinstance(each, Tensor)], args, kwargs)
        return super().__call__(func, types, args, kwargs)

    def _keep(self, statistics: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        ids = self._session.tensors.ids
        if any(id(each) not in ids for each in statistics):
            self.arguments.split(args, kwargs)  # it mentions what the log does not know, in order
        for each in statistics:
            if ids[id(each)] not in self._kept:
                self._kept.add(ids[id(each)])
                self._session.values.about_to_change(each)


def _known(id_of: Callable[[int], int | None], args: tuple[Any, ...]) -> tuple[int | None, ...]:
    """The raw ids of the arguments, None of those that are no known tensors; the commonest numbers in less time."""
    if len(args) == 2:
        return id_of(id(args[0])), id_of(id(args[1]))
    return (id_of(id(args[0])),) if len(args) == 1 else tuple([id_of(id(each)) for each in args])


def running_op() -> RecordedFunction | None:
    """The op that is running, such as one that a package has registered: what it calls is a part of it."""
    call = RecordedFunction.__call__.__code__
    running = next((frame for frame in outward(sys._getframe(2)) if frame.f_code is call), None)
    found = None if running is None else running.f_locals["self"]
    return found if found is not None and found.is_closed else None


def _need(operand: Any) -> Any:
    """Whether an operand needs a gradient, or each of those in a tuple or list, as indices are; None of others."""
    if isinstance(operand, Tensor):
        return operand.requires_grad
    return tuple(map(_need, operand)) if isinstance(operand, (tuple, list)) else None


def _is_among(tensor: Any, operands: Sequence[Any]) -> bool:
    """Whether a result is one of the operands, as `x.contiguous()` may be `x`."""
    return any(each is tensor for each in operands)  # `in` would compare elements


TO_LEARN = ("requires_grad", True)
"""The attribute of a call that makes a trainable leaf: even one made like another tensor has numbers of its own."""

LEAVES = frozenset({"tensor", "as_tensor", "asarray", "scalar_tensor", "new_tensor", "from_numpy"})
"""Functions that make a leaf of whatever they are given."""
SHARING = frozenset({"as_tensor", "asarray"})
"""Those whose leaf may go on sharing the memory of an array."""

OVERWRITING = frozenset({"batch_norm", "instance_norm", "native_batch_norm"})
RUNNING = slice(3, 5)
"""Where these have the running mean and variance; after them they are told whether to update them."""
