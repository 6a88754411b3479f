"""One recording of PyTorch: its tape, and the tensors that it knows."""

from __future__ import annotations

from typing import Any

from tapeviz.events.log import EventLog
from tapeviz.recorders.torch.held_values import HeldValues
from tapeviz.recorders.torch.ledger import Ledger
from tapeviz.recorders.torch.lent import Lent
from tapeviz.recorders.torch.saved_hooks import has_saved_hooks
from tapeviz.recorders.torch.tape_session import TapeSession
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.witnesses import Witnesses


class Session(TapeSession):
    """The state that all parts of the recorder share; `packs`: the program has put hooks on saved tensors; `passes`
    counts the runs of autograd's engine."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.tensors = Tensors()
        self.values = HeldValues(log, self.tensors)
        self.lent = Lent(self, self.tensors, self.values)
        self.ledger = Ledger(self, self.tensors, self.values)
        self.nodes = self.ledger.nodes
        self.witnesses = Witnesses(self, self.tensors)
        self.packs = has_saved_hooks()
        self.passes = 0

    def is_rewritten(self, leaf: Any) -> bool:
        """Whether a gradient may be changed as it is stored in a leaf, by a hook or a reduction over processes."""
        replica = self.tensors.facts(leaf).replica
        return bool(leaf._post_accumulate_grad_hooks) or (replica is not None and replica.synchronises)
