"""The elements of tensors -> what the log stores of them, also before the program changes them in place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakSet, WeakValueDictionary, ref

from tapeviz.events.log import EventLog
from tapeviz.events.raw import INPUTS, OUTPUTS, STRIDE, TAPES, VALUES
from tapeviz.events.types import BackwardFinished
from tapeviz.events.values import OBJECT, ReleasedTensor
from tapeviz.recorders.torch.elements import storage_of, view_of
from tapeviz.recorders.torch.shared_values import SharedElements, SharedTensor
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.values import (
    COPIED,
    BorrowedTensor,
    HeldTorchTensor,
    held,
    node_of,
    spec_of,
)

LATELY = 500
"""How many of the latest records are searched for the old value of a result that is changed in place."""


class HeldValues:
    """The values of a log that share their elements with tensors of the program, by raw id."""

    def __init__(self, log: EventLog, tensors: Tensors) -> None:
        self._log = log
        self._tensors = tensors
        self._held: WeakValueDictionary[int, HeldTorchTensor] = WeakValueDictionary()
        self._needed: WeakValueDictionary[int, SharedElements] = WeakValueDictionary()
        self._aliases: dict[int, WeakSet[HeldTorchTensor]] = {}
        self._owners: dict[int, ref[Any]] = {}

    def add(self, raw_id: int, value: Any) -> None:
        """Note that a value which the log has stored belongs to a tensor."""
        if isinstance(value, HeldTorchTensor):
            self._held[raw_id] = value

    def hold(self, tensor: Any, raw_id: int) -> Any:
        """What the log stores of a tensor's elements."""
        if not self._log.keeps_values:
            return spec_of(tensor)
        value = held(tensor)
        if node_of(tensor) is None:
            if type(value) is HeldTorchTensor and tensor.requires_grad:
                value = self._borrowed(tensor, value, raw_id)
            self.add(raw_id, value)
        return self._log.keep(value)

    def _borrowed(self, tensor: Any, value: HeldTorchTensor, raw_id: int) -> BorrowedTensor:
        """The value of a variable. Nothing is left of its last one, if the program has changed that in place."""
        last = self._held.get(raw_id)
        if last is not None and type(last.tensor) is not ReleasedTensor and not last.is_unchanged:
            self._log.bytes -= last.cost
            last.let_go()
        if raw_id not in self._owners:
            self._owners[raw_id] = ref(tensor, partial(_left_alone, ref(self), raw_id))
        return BorrowedTensor(value)

    def own(self, raw_id: int) -> None:
        """The program has let go of a variable: what the log has of it counts from now on."""
        self._owners.pop(raw_id, None)
        value = self._held.get(raw_id)
        if isinstance(value, BorrowedTensor):
            before, value.is_borrowed = value.cost, False
            self._log.bytes += value.cost - before

    def keep_for_later(self, tensor: Any, raw_id: int) -> Any:
        """What the log stores of a tensor that something is still to be computed from: also once it is changed."""
        source = self._needed.get(raw_id)
        if source is None or not source.is_whole or view_of(source.tensor) != view_of(tensor):
            source = self._needed[raw_id] = SharedElements(tensor)
        if (latest := source.latest()) is not None:
            self._log.bytes -= max(latest.cost - OBJECT, 0)
        return self._log.keep(SharedTensor(source))

    def follow(self, alias: Any, tensor: Any) -> None:
        """An op has just given an alias of a leaf: what is held of it changes with the leaf, and no version tells."""
        raw, owner = self._log.raw, self._tensors.get(tensor)
        if owner is not None and node_of(tensor) is None and raw and raw[-STRIDE + OUTPUTS] == self._tensors.get(alias):
            value = raw[-STRIDE + VALUES]
            if isinstance(value, HeldTorchTensor):
                self._aliases.setdefault(owner, WeakSet()).add(value)

    def about_to_change(self, tensor: Any) -> None:
        """Keep the old elements of a small tensor that the log holds, and statistics of a larger gradient.

        In a log of norms, these of any tensor.
        """
        raw_id = self._tensors.get(tensor)
        if raw_id is None or tensor.is_sparse:
            return
        needed = self._needed.pop(raw_id, None)
        if needed is not None:
            needed.copy()
        is_small = tensor.nbytes <= COPIED
        if not is_small and not self._log.keeps_norms and self._tensors.facts(tensor).gradient_of is None:
            return
        before = self._held.get(raw_id) or self._made_lately(raw_id)
        if isinstance(before, HeldTorchTensor) and is_small:
            self._copy(before)
        elif isinstance(before, HeldTorchTensor):
            self._log.bytes -= before.summarise()

    def about_to_overwrite(self, tensor: Any) -> bool:
        """The same of a variable that autograd does not see change: one that a backward pass is still to use is kept.

        It says whether it was, so that what it is changed to is to be kept as well. Another one that is not small is
        known no more, which its version does not tell where it is changed by way of its `.data`.
        """
        self.about_to_change(tensor)
        raw_id = self._tensors.get(tensor)
        for each in self._aliases.pop(raw_id, ()) if raw_id is not None else ():
            each.copy() if each.nbytes <= COPIED else each.outdate()
        if raw_id is None or tensor.nbytes <= COPIED:
            return False
        if not self._is_used_lately(raw_id):
            if raw_id in self._held:
                self._held[raw_id].outdate()
            return False
        self.keep(raw_id)
        return True

    def about_to_be_given_back(self, storage: int) -> None:
        """Keep the elements of small variables in a storage whose memory is given back."""
        for each in list(self._held.values()):
            if each.nbytes <= COPIED and each.is_whole and storage_of(each.tensor) == storage:
                each.copy()

    def keep(self, raw_id: int) -> None:
        """Keep the elements that a tensor has now, however large it is."""
        now = self._held.get(raw_id) or self._made_lately(raw_id)
        if isinstance(now, HeldTorchTensor):
            self._copy(now)

    def _copy(self, value: HeldTorchTensor) -> None:
        before = value.cost
        value.copy()
        self._log.bytes += value.cost - before

    def _is_used_lately(self, raw_id: int) -> bool:
        """Whether one of the latest ops, of which no gradient was taken yet, has read a tensor."""
        raw = self._log.raw
        last = len(raw) - STRIDE
        for at in range(last, max(last - LATELY * STRIDE, -1), -STRIDE):
            if raw[at] is BackwardFinished:
                return False
            if type(raw[at]) is str and raw[at + TAPES] and raw_id in raw[at + INPUTS]:
                return True
        return False

    def _made_lately(self, raw_id: int) -> Any:
        """The value of an op's result, searched for among the latest records: there is no index of all of them."""
        raw = self._log.raw
        last = len(raw) - STRIDE
        for at in range(last, max(last - LATELY * STRIDE, -1), -STRIDE):
            outputs = raw[at + OUTPUTS]
            if outputs == raw_id:
                return raw[at + VALUES]
            if type(outputs) is tuple and type(raw[at]) is str and raw_id in outputs:
                return raw[at + VALUES][outputs.index(raw_id)]
        return None


def _left_alone(
    values: ref[HeldValues], raw_id: int, _: Any, is_ending: Callable[[], bool] = sys.is_finalizing
) -> None:
    """The callback of a reference; when the interpreter ends, what a module knows of others is gone."""
    found = values()
    if found is not None and not is_ending():
        found.own(raw_id)
