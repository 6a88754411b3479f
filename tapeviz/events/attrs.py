"""The plain values of a log: those of the attributes of an op, and of the hyperparameters of an optimizer."""

from __future__ import annotations

from typing import TypeAlias

Attr: TypeAlias = bool | int | float | str | tuple["Attr", ...] | None
Attrs: TypeAlias = tuple[tuple[str, Attr], ...]
