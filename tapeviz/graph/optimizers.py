"""Log -> its optimizers: where each was made, the list of parameters it was given, and the steps it took."""

from __future__ import annotations

from dataclasses import dataclass, field

from tapeviz.events import EventLog, OptimizerCreated, OptimizerStepped


@dataclass(slots=True)
class OptimizerHistory:
    """Where one optimizer was made, its list of parameters, and where it stepped, by positions in the log."""

    made_at: int
    parameters: tuple[int, ...]
    steps: list[int] = field(default_factory=list)
    changed: bool = False
    """Whether any of its steps changed a parameter."""

    @property
    def is_idle(self) -> bool:
        """Whether it steps, and no step changes anything."""
        return bool(self.steps) and not self.changed


def optimizers(log: EventLog) -> dict[int, OptimizerHistory]:
    """The optimizers that were made while the log was open, by their numbers; one that is older has no list here."""
    found: dict[int, OptimizerHistory] = {}
    for position, event in log.of_kind(OptimizerCreated, OptimizerStepped).items():
        if isinstance(event, OptimizerCreated):
            found[event.optimizer] = OptimizerHistory(position, event.parameters)
        elif event.optimizer in found:
            optimizer = found[event.optimizer]
            optimizer.steps.append(position)
            optimizer.changed |= bool(event.parameters)
    return found
