"""An op that a program of tinygrad builds -> its record, at the user's line; nodes that it has for parts, before it."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from tinygrad import Tensor
from tinygrad import tensor as tensors

from tapeviz.events.program.frames import scope_called
from tapeviz.events.raw import ScopeNode, next_id
from tapeviz.recorders.hooks import When
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tinygrad.below import below
from tapeviz.recorders.tinygrad.leaves import Leaves
from tapeviz.recorders.tinygrad.names import form_of, has_gradient, is_number, operands_of
from tapeviz.recorders.tinygrad.session import Session
from tapeviz.recorders.tinygrad.values import kept

COMPOSITE = frozenset(
    (
        *("dot", "matmul", "__matmul__", "linear", "einsum", "conv2d", "conv_transpose2d", "batchnorm", "layernorm"),
        *("softmax", "log_softmax", "logsumexp", "cross_entropy", "sparse_categorical_crossentropy", "nll_loss"),
        *("binary_crossentropy", "binary_crossentropy_logits", "avg_pool2d", "max_pool2d", "var", "std", "gelu"),
        *(
            "silu",
            "swish",
            "tanh",
            "sigmoid",
            "softplus",
            "mish",
            "dropout",
            "gather",
            "cumsum",
            "one_hot",
            "normalize",
        ),
        *("scaled_dot_product_attention", "__getitem__", "cat", "stack", "pow", "__pow__", "elu", "leaky_relu"),
    )
)
"""Methods of a tensor that are many ops: these are in a scope of the method's name."""


class Ops:
    """Hooks at the function by which a tensor becomes another one."""

    def __init__(self, session: Session, leaves: Leaves) -> None:
        self._session = session
        self._leaves = leaves
        self._method: tuple[Any, ScopeNode | None] = None, None

    def rows(self) -> list[Row]:
        """The function, where all methods find it."""
        running = When(lambda: self._session.is_here and not self._session.is_quiet)
        return [running.instead(Tensor, "_apply_uop", self._apply)]

    def _apply(self, apply: Any, tensor: Any, function: Any, *others: Any, **options: Any) -> Any:
        with self._session.noting():
            for each in (tensor, *others):
                if not is_number(each.uop):
                    self.id_of(each)
        made = apply(tensor, function, *others, **options)
        with self._session.noting():
            if not is_number(made.uop):
                self._session.ledger.note_tensor(made, self.id_of_node(made.uop))
        return made

    def id_of(self, tensor: Any, *, is_trained: bool = False) -> int:
        """The id of a tensor; what leads to it is logged if it is not yet."""
        if is_trained:
            self._session.open()
            raw = self._leaves.of(tensor.uop, tensor, is_trained=True)
        else:
            raw = self.id_of_node(tensor.uop, tensor)
        self._session.ledger.note_tensor(tensor, raw)
        return raw

    def id_of_node(self, uop: Any, tensor: Any = None) -> int:
        """The id of a node: of an op's result if something in the log leads there, else of a leaf."""
        ledger = self._session.ledger
        known = ledger.id_of(uop)
        if known is not None:
            return known
        self._session.open()
        order, leading = self._below(uop)
        if uop not in leading and self._leaves.made_below(uop, order):
            order, leading = self._below(uop)
        if uop not in leading:
            return self._leaves.of(uop, tensor)
        for node in order:
            if node in leading and ledger.id_of(node) is None:
                self._write(node)
        found = ledger.id_of(uop)
        return found if found is not None else self._leaves.of(uop, tensor)

    def _below(self, root: Any) -> tuple[list[Any], set[Any]]:
        """The nodes that lead to one and are not in the log, in order; and those to which something in it leads."""
        order = below(root, self._is_known)
        leading: set[Any] = set()
        for node in order:
            if any(each in leading or self._is_known(each) for _, each in operands_of(node)):
                leading.add(node)
        return order, leading

    def _is_known(self, node: Any) -> bool:
        ledger = self._session.ledger
        return ledger.id_of(node) is not None or node in ledger.realized

    def _write(self, uop: Any) -> None:
        session, log = self._session, self._session.log
        frame = session.enter(1)
        form, operands = form_of(uop), operands_of(uop)
        entries = tuple([self._entry(each) for _, each in operands])
        raw = next_id()
        value = kept(log, session.numbers, uop)
        session.ledger.note(uop, raw)
        attrs = form.attrs + session.packages.passed(sys._getframe(1), frame)
        tapes = (session.tape,) if has_gradient(uop) and any(has_gradient(each) for _, each in operands) else ()
        scope = self._scope(frame)
        log.raw += (form.name, entries, raw, value, attrs, (), tapes, scope, frame.f_code, frame.f_lasti)

    def _entry(self, uop: Any) -> Any:
        """The entry of an operand in a record: an id, or a number that is a literal."""
        raw = self._session.ledger.id_of(uop)
        if raw is not None:
            return raw
        if is_number(uop):
            number = self._session.numbers.of(uop)
            if number is not None:
                return number[()]
        return self._leaves.of(uop)

    def _scope(self, frame: FrameType) -> ScopeNode | None:
        """The scope of what runs: that of the method of many ops which the program has called, or the user's own."""
        method = tensors._METADATA.get()
        if method is None or method.name not in COMPOSITE:
            return self._session.log.scope
        if self._method[0] is not method:
            self._method = method, scope_called(method.name.strip("_"), self._session.log.scope, frame)
        return self._method[1]
