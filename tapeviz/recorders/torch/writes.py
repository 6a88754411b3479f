"""A call that changes tensors in place -> its record.

If autograd follows the change, or the tensor is not trained, the call is an op, whose result goes on under the old
name. If not, it is a write: a variable stays the same variable, with a new value, and so does a tensor of the graph
that is changed while autograd is off, which the gradient passes as before.
"""

from __future__ import annotations

from itertools import compress
from typing import Any

import torch

from tapeviz.events.raw import IN_PLACE
from tapeviz.events.types import StateWritten
from tapeviz.recorders.naming import take_name
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.torch.arguments import Arguments
from tapeviz.recorders.torch.backward.nodes import counter
from tapeviz.recorders.torch.elements import view_of
from tapeviz.recorders.torch.grad_attribute import GradAttribute
from tapeviz.recorders.torch.names import signature_of
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import node_of, tensors_in


class Write:
    """One function of PyTorch's that changes its first argument, or what it was given as `out`.

    Several tensors that are changed at once, as the gradients of all parameters are when they are clipped, are one op.
    """

    def __init__(self, session: Session, gradients: GradAttribute, func: Any, name: str) -> None:
        known = signature_of(name)
        self._session = session
        self._gradients = gradients
        self._how = name
        self._name = "setitem" if name == "__setitem__" else known.name
        self._arguments = Arguments(session, func, known)

    def __call__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        session = self._session
        into = kwargs.get("out")
        # An initializer of `torch.nn.init` is handed on with keywords alone.
        first = args[0] if args else next(iter(kwargs.values()), None)
        targets = tensors_in(first if into is None else into)
        if not targets:
            return func(*args, **kwargs)
        owners = [session.ledger.owner_of(each) for each in targets]
        if into is None and not self._is_known((*args, *kwargs.values())):
            return self._first(func, owners, args, kwargs)
        session.open()
        inputs, attrs = self._arguments.split(args, {name: each for name, each in kwargs.items() if name != "out"})
        attrs = (*attrs, IN_PLACE)
        bases = [each._base for each, owner in zip(targets, owners, strict=True) if owner is None]
        whole = list({id(each): each for each in bases if each is not None}.values())
        before = tuple(map(session.ledger.id_of, whole))
        for each in targets:
            session.values.about_to_change(each)
        kept = [each is not None and session.values.about_to_overwrite(each) for each in owners]
        start = counter()
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            session.fail(error)
            raise
        self._log(start, targets, whole, inputs + before, attrs, owners)
        for each in compress(owners, kept):
            session.values.keep(session.ledger.id_of(each))
        self._gradients.zeroed(self._how, targets)
        return out

    def _is_known(self, args: tuple[Any, ...]) -> bool:
        """Whether the log knows a tensor that is changed, or one that goes in."""
        ids = self._session.tensors.ids
        return any(id(each) in ids for each in tensors_in(args))

    def _first(self, func: Any, owners: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A tensor that the log never mentioned gets its first values; only the user's own line counts."""
        session = self._session
        try:
            out = func(*args, **kwargs)
        except Exception as error:
            self._arguments.split(args, kwargs)
            session.fail(error)
            raise
        if session.in_users_code(2):
            for owner in owners:
                if owner is not None:
                    raw_id = session.ledger.id_of(owner)
                    session.note(StateWritten, None, raw_id, session.values.hold(owner, raw_id), self._how)
        return out

    def _log(
        self, start: int, targets: list[Any], whole: list[Any], inputs: Any, attrs: Any, owners: list[Any]
    ) -> None:
        """The op: `targets` were changed, and the `whole` tensors that they are views of."""
        changed = [*targets, *whole]
        session = self._session
        log, tensors = session.log, session.tensors
        frame = session.enter(2)
        variables = [None if each is None else session.ledger.id_of(each) for each in owners]
        ids = tuple([tensors.add(each) for each in changed])
        followers = [_with_version(each, owner) for each, owner in zip(targets, owners, strict=True)]
        holders = zip((*followers, *whole), ids, strict=True)
        values = tuple([session.values.hold(each, raw) for each, raw in holders])
        followed = torch.is_grad_enabled() and any(node_of(each) is not None for each in changed)
        outputs = one_or_all(ids)
        if followed:
            for each, raw_id in zip(changed, ids, strict=True):
                session.nodes.note_output(each, raw_id)  # a view makes its node when it is asked for it
            session.nodes.add(start, counter(), inputs, outputs)
        tapes = session.tapes if followed else ()
        code, lasti = frame.f_code, frame.f_lasti
        name = self._how if whole else self._name
        log.raw += (name, inputs, outputs, one_or_all(values), attrs, (), tapes, log.scope, code, lasti)
        if len(targets) > 1:
            for raw_id in ids:
                take_name(log, raw_id)  # what the line gives a name to is none of these
        written = zip(owners, variables, targets, followers, ids, values, strict=False)
        for owner, variable, target, follower, raw_id, value in written:
            if variable is not None:
                if owner is target:
                    tensors.bind(owner, variable)
                if owner is follower:
                    session.values.add(variable, value)  # one for both: it is copied ahead of the next change
                    held = value
                else:
                    held = session.values.hold(owner, variable)
                log.append(StateWritten, raw_id, variable, held, self._how, code, lasti, log.scope)


def _with_version(target: Any, owner: Any) -> Any:
    """The tensor whose version tells of later changes to the elements of `target`: its `.data` counts its own alone."""
    return target if owner is None or view_of(owner) != view_of(target) else owner
