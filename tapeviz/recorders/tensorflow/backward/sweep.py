"""One sweep of a tape of TensorFlow's -> what the log has of it: beginning, steps, sums and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tapeviz.events.raw import Arrived
from tapeviz.recorders.runs import LoggedRun, one_or_all
from tapeviz.recorders.tensorflow.backward.logged_ops import LoggedOp
from tapeviz.recorders.tensorflow.ledger import raw_id
from tapeviz.recorders.tensorflow.tapes import Tapes, TapeState
from tapeviz.recorders.tensorflow.values import is_followed, kept_gradient


class Sweep:
    """One sweep: the ops that it has pulled back, the number of contributions to each tensor, and the logged sums."""

    def __init__(self, tapes: Tapes, tape: TapeState) -> None:
        self._run = LoggedRun(tapes.log, tape.id)
        self._tape = tape
        self._tapes = tapes
        self._ledger = tapes.ledger
        self._session = tapes.session
        self._log = tapes.log
        self._parts: Counter[int] = Counter()
        self._summed: set[int] = set()
        self._pulled: dict[LoggedOp, None] = {}
        self._values: dict[int, tuple[Any, Any]] = {}

    def begin(self, targets: Any, sources: Any, variables: Any, seeds: list[Any], rows: int | None = None) -> None:
        """The sweep is requested. The program may have `variables` variables, whose handles are the `sources`.

        For a Jacobian, `rows` is the number of its rows.
        """
        frame = self._session.enter()
        for each in variables or ():
            if getattr(each, "handle", None) is not None:
                self._ledger.asked_for(each)
        ends, ids = (tuple([self._ledger.mention(each, frame) for each in group]) for group in (targets, sources))
        self._parts.update(ends)
        values = (*seeds, *[True] * (len(targets) - len(seeds)))
        self._run.begin(ends, ids, values, self._session.place(), rows)

    def pull(self, op: LoggedOp, upstream: Any, result: Any) -> None:
        """The gradient function of an op has run."""
        if op in self._pulled:  # the rows of a Jacobian, one after the other
            return
        self._pulled[op] = None
        given = upstream if isinstance(upstream, (list, tuple)) else (upstream,)
        for output, g in zip(op.outputs, given, strict=False):
            self._sum(output, g)
        pulled = result if isinstance(result, (list, tuple)) else (result,)
        parts = [pulled[index] if index < len(pulled) else None for index in op.form.arguments]
        # a gradient function may have one for what the tape does not follow, too: TensorFlow drops it there
        parts = [
            each if type(entry) is int and entry in self._tape.follows else None
            for each, entry in zip(parts, op.inputs, strict=True)
        ]
        values = tuple([None if each is None else self._kept(each) for each in parts])
        raw_ids = tuple([self._known(each) for each in parts]) if self._tapes.open else None
        for entry, each in zip(op.inputs, parts, strict=True):
            if each is not None:
                self._parts[entry] += 1
        self._run.pull(one_or_all(op.outputs), values, raw_ids)

    @property
    def about(self) -> tuple[int, TapeState]:
        """The number of the run, and the tape."""
        return self._run.id, self._tape

    def counts(self, op: LoggedOp) -> dict[int, int]:
        """How many contributions have arrived at each output of an op."""
        return {each: self._parts[each] for each in op.outputs}

    def arriving_more(self, op: LoggedOp, counts: Mapping[int, int]) -> None:
        """Of the inputs of an op, by place, some get several contributions each, of ops inside of this one."""
        for at, count in counts.items():
            entry = op.inputs[at] if at < len(op.inputs) else None
            if type(entry) is int and self._parts[entry]:
                self._parts[entry] += count - 1

    def hand_over(self, op: LoggedOp, upstream: Any) -> None:
        """Recorded ops are about to read the upstream gradients of an op: these become tensors of the log."""
        for output, g in zip(op.outputs, upstream, strict=False):
            self._sum(output, g)
            if is_followed(self._log, g) and raw_id(g) not in self._ledger.known:
                self._ledger.known.add(raw_id(g))
                self._log.append(Arrived, self._run.id, output, None, raw_id(g))

    @property
    def read(self) -> tuple[int, ...]:
        """The ids of the tensors that the ops on its way have read."""
        return tuple(dict.fromkeys(entry for op in self._pulled for entry in op.inputs if type(entry) is int))

    def end(self, sources: Any, found: Any) -> None:
        """The sweep has ended with these results; a tape that is not persistent forgets its ops."""
        ids: list[int | None] = []
        values: list[Any] = []
        for source, gradient in zip(sources, found, strict=True):
            if gradient is None:
                ids.append(None)
                values.append(None)
                continue
            self._sum(raw_id(source), gradient)
            raw = raw_id(gradient if is_followed(self._log, gradient) else gradient.values)
            self._ledger.known.add(raw)
            self._ledger.gradients.add(raw)
            ids.append(raw)
            values.append(self._kept(gradient))
        for tensor, count in self._parts.items():
            if count > 1 and tensor not in self._summed:  # TensorFlow makes no sum that nobody asks for
                self._run.sum_up(tensor, True, parts=count)
        self._run.end(tuple(ids), tuple(values))
        if not self._tape.persistent:
            self._tapes.release(self._tape.id)

    def _sum(self, tensor: int, total: Any) -> None:
        """All contributions to a tensor have arrived: log their sum, if there are several."""
        count = self._parts[tensor]
        if count > 1 and tensor not in self._summed and total is not None:
            self._summed.add(tensor)
            self._run.sum_up(tensor, self._kept(total), self._known(total), parts=count)

    def _kept(self, gradient: Any) -> Any:
        """What the log stores of a gradient: one object wherever the gradient is passed on, so that it counts once."""
        found = self._values.get(id(gradient))
        if found is None:
            found = self._values[id(gradient)] = gradient, kept_gradient(self._log, gradient)
        return found[1]

    def _known(self, gradient: Any) -> int | None:
        """The id of a gradient, if it is the result of a recorded op."""
        raw = raw_id(gradient) if is_followed(self._log, gradient) else 0
        return raw if raw in self._ledger.known else None
