"""Arguments and methods of variables that were for graphs and sessions in TensorFlow 1, and do nothing here."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tapeviz.engine.tensors.missing_attributes import Absent


class VariableSynchronization(Enum):
    """When copies of a variable on several machines are aggregated; there is one copy here."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(Enum):
    """How copies of a variable on several machines are aggregated; there is one copy here."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VariableAggregation = VariableAggregationV2
"""`tf.VariableAggregation`, whose repr contains V2, as in TensorFlow."""

UNSUPPORTED = "is not supported when eager execution is enabled."


def mode_of(modes: type[Enum], given: Any, name: str | None) -> Enum:
    """The mode of the variable `name`, given as a member of the enum or as its number.

    Raises:
        ValueError: it is none of them.
    """
    try:
        return modes(given)
    except ValueError:
        what = "aggregation" if modes is VariableAggregation else "synchronization"
        ours = ", ".join(f"tf.Variable{what.title()}.{each.name}" for each in modes)
        raise ValueError(f"Invalid variable {what} mode: {given} for variable: {name}. Take one of {ours}.") from None


class OfGraphs:
    """Mixin of `Variable`: attributes and methods that raise the errors of eager mode."""

    __slots__ = ()

    initializer = None
    synchronization: Enum = VariableSynchronization.AUTO
    aggregation: Enum = VariableAggregation.NONE

    @property
    def initial_value(self) -> Any:
        """Raise RuntimeError: only a graph keeps what a variable began with."""
        raise RuntimeError(f"This property {UNSUPPORTED} Keep the value itself; v.numpy() is the one of now.")

    def eval(self, session: Any = None) -> Any:
        """Raise RuntimeError: no session is needed, the value is `v.numpy()`."""
        raise RuntimeError(f"This operation {UNSUPPORTED} Write v.numpy().")

    def to_proto(self, export_scope: Any = None) -> Any:
        """Raise RuntimeError: a variable is in no graph that could be written down."""
        raise RuntimeError(f"This operation {UNSUPPORTED} To keep the value, write np.save(path, v.numpy()).")


for _name in ("op", "graph"):
    setattr(OfGraphs, _name, Absent(_name))
