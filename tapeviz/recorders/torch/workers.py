"""A batch from a `DataLoader`'s worker processes -> one op that says so, since other processes are not recorded."""

from __future__ import annotations

from typing import Any

from torch.utils.data import dataloader

from tapeviz.phrases import counted
from tapeviz.recorders.patches import Row
from tapeviz.recorders.torch.mode import FunctionMode
from tapeviz.recorders.torch.session import Session
from tapeviz.recorders.torch.values import tensors_in

WHY = (("why", "made in other processes, which are not recorded"),)


class Workers:
    """The loaders that have workers; one that has none loads in the recorded thread, op by op."""

    def __init__(self, session: Session, mode: FunctionMode) -> None:
        self._session = session
        self._mode = mode

    def rows(self) -> list[Row]:
        """Every batch is taken by `next`."""
        return [self._mode.recording.instead(dataloader._MultiProcessingDataLoaderIter, "__next__", self._take)]

    def _take(self, take: Any, batches: Any) -> Any:
        with self._mode.unrecorded():
            batch = take(batches)
            self._note(list(tensors_in(batch)), batches._num_workers)
        return batch

    def _note(self, batch: list[Any], workers: int) -> None:
        session, log = self._session, self._session.log
        if not batch:
            return
        session.open()
        frame = session.enter(2)
        ids = tuple([session.tensors.add(each) for each in batch])
        values = tuple([session.values.hold(each, raw_id) for each, raw_id in zip(batch, ids, strict=True)])
        name = f"DataLoader with {counted(workers, 'worker')}"
        log.raw += (name, (), ids, values, WHY, (), (), log.scope, frame.f_code, frame.f_lasti)
