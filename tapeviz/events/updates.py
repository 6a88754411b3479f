"""The events of optimizers: what each was given, and what its steps changed."""

from __future__ import annotations

from dataclasses import dataclass

from tapeviz.events.attrs import Attr as Attr  # in whose terms `Attrs` is
from tapeviz.events.attrs import Attrs
from tapeviz.events.ids import SiteId, TensorId


@dataclass(frozen=True, slots=True)
class OptimizerCreated:
    """An optimizer was given a list of parameters."""

    optimizer: int
    name: str
    parameters: tuple[TensorId, ...]
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class OptimizerStepped:
    """An optimizer changed `parameters`, those of its list that had a gradient."""

    optimizer: int
    parameters: tuple[TensorId, ...]
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class ParameterUpdated:
    """A step of an optimizer is about to write `tensor`: `gradient` is what it got there, which may have been clipped.

    `state` is what it has kept of its earlier steps, by `names`, and `options` are its hyperparameters.
    """

    optimizer: int
    tensor: TensorId
    gradient: TensorId | None
    names: tuple[str, ...]
    state: tuple[TensorId | None, ...]
    options: Attrs
    site: SiteId | None
