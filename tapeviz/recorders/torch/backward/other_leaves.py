"""A run of autograd's engine -> gradients in leaves that its graph does not lead to.

A reentrant checkpoint recomputes its part on the way back, and runs the engine once more for the leaves in it, to which
the graph of the target does not lead.
"""

from __future__ import annotations

from typing import Any

from tapeviz.recorders.torch.grad_attribute import GradAttribute, grad_of
from tapeviz.recorders.torch.session import Session


class OtherLeaves:
    """If a run meets a Python function: the known leaves that it does not meet, and their gradients before it."""

    def __init__(self, session: Session, runs_functions: bool, reached: list[Any]) -> None:
        self._before: list[tuple[Any, Any, int]] = []
        self._tensors = session.tensors
        if not runs_functions:
            return
        known = {id(each) for each in reached}
        for leaf in session.tensors.alive():
            if leaf.is_leaf and leaf.requires_grad and id(leaf) not in known:
                gradient = grad_of(leaf)
                session.values.about_to_change(gradient)
                self._before.append((leaf, gradient, -1 if gradient is None else gradient._version))

    def note(self, run: int, kept: Any, gradients: GradAttribute) -> None:
        """Record the gradients that the run has left in these leaves."""
        for leaf, before, version in self._before:
            gradient = grad_of(leaf)
            if gradient is not None and (gradient is not before or gradient._version != version):
                raw_id = self._tensors.add(gradient)
                gradients.stored(
                    run, leaf, gradient, raw_id, kept(gradient), accumulated=before is not None, apart=True
                )
