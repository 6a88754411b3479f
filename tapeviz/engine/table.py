"""The op table: a name -> the op. `defop` fills it, row by row; whoever needs an op by its name reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapeviz.engine.op import Op

OPS: dict[str, Op] = {}
