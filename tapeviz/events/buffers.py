"""The event of the buffers of a module: what they were when it was called."""

from __future__ import annotations

from dataclasses import dataclass

from tapeviz.events.ids import TensorId


@dataclass(frozen=True, slots=True)
class BuffersMeasured:
    """A module was called, as one of several processes: `norms` holds those of its buffers, by `names`, as it met them.

    Of `tensors` None is what the log had not mentioned by then. Told once between two backward passes, of what is saved
    with the module alone.
    """

    names: tuple[str, ...]
    tensors: tuple[TensorId | None, ...]
    norms: TensorId
