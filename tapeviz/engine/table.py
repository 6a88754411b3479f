"""The op table: the name of an op -> the op. `defop` fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeviz.engine.op import Op

OPS: dict[str, Op] = {}
