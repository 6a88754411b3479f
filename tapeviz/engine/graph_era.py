"""What variables keep of the time when programs were graphs, run by sessions on several machines."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tapeviz.engine.absent import Absent


class VariableSynchronization(Enum):
    """When copies of a variable on several machines are made one; there is one copy here."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregationV2(Enum):
    """How copies of a variable on several machines are made one; there is one copy here."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


VariableAggregation = VariableAggregationV2
"""By its public name."""


class OfGraphs:
    """What a variable says when it is asked as one of a graph."""

    __slots__ = ()

    initializer = None
    synchronization = VariableSynchronization.AUTO
    aggregation = VariableAggregation.NONE

    @property
    def initial_value(self) -> Any:
        """Nothing.

        Raises:
            RuntimeError: always, as no graph is built.
        """
        raise RuntimeError("This property is not supported when eager execution is enabled. Write v.numpy().")

    def eval(self, session: Any = None) -> Any:
        """Nothing.

        Raises:
            RuntimeError: always, as no graph is built.
        """
        raise RuntimeError("This operation is not supported when eager execution is enabled. Write v.numpy().")

    def to_proto(self, export_scope: Any = None) -> Any:
        """Nothing.

        Raises:
            RuntimeError: always, as no graph is built.
        """
        raise RuntimeError("This operation is not supported when eager execution is enabled. Write v.numpy().")


for _name in ("op", "graph"):
    setattr(OfGraphs, _name, Absent(_name))
