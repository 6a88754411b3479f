"""A run of autograd's engine -> the gradients of parameters that processes share out, from those of the whole ones.

Autograd's graph ends at the whole parameters, which a library gathers ahead of each module, and takes the gradients of
away again when it has summed them up over the processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tapeviz.recorders.torch.backward.stored import GradientHolder
from tapeviz.recorders.torch.backward.sweep import Sweep
from tapeviz.recorders.torch.grad_attribute import grad_of
from tapeviz.recorders.torch.groups import Shard
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import spec_of


class GatheredLeaves:
    """Those leaves of a run that stand for parameters of the program's, whose gradients the run shares out."""

    def __init__(self, session: Session, leaves: Iterable[Any]) -> None:
        self._session = session
        found = ((id(each), session.tensors.facts(each).shard) for each in leaves)
        self._shards: dict[int, Shard] = {key: each for key, each in found if each is not None and each.is_reduced()}

    def results(self) -> frozenset[tuple[int, ...]]:
        """What the ops give that gathered them, by op."""
        return frozenset(each.outputs for each in self._shards.values())

    def own(self, leaf: Any, raw_id: int) -> list[tuple[Any, int]]:
        """The program's own parameters behind a leaf that are to learn, and their raw ids; of any other leaf, what is
        given."""
        shard = self._shards.get(id(leaf))
        own = [(each, own_id) for own_id, each in shard.own.items() if each.requires_grad] if shard is not None else []
        return own if shard is not None else [(leaf, raw_id)]

    def pull(self, sweep: Sweep, leaves: Iterable[GradientHolder]) -> None:
        """Log the VJPs of the ops that gathered them, once the engine has run.

        What this run has added to a gradient that was there is not known by itself.
        """
        sent: dict[int, Any] = {}
        for leaf in leaves if self._shards else ():
            gradient = grad_of(leaf.tensor)
            if gradient is not None:
                sent[leaf.raw_id] = sweep.kept(gradient) if leaf.before is None else spec_of(gradient)
        for outputs, inputs in {each.outputs: each.inputs for each in self._shards.values()}.items():
            sweep.pull_beyond(outputs, inputs, tuple(map(sent.get, inputs)))
        for own_id, each in (own for shard in self._shards.values() for own in shard.own.items()):
            self._session.tensors.bind(each, own_id)  # where it is the whole one, too, it is that no longer
