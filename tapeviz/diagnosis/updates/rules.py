"""All rules about what optimizers make of gradients."""

from __future__ import annotations

from tapeviz.diagnosis.updates import averages, clipping, decay, lost, micro_batches, moments, twice

RULES = (
    *clipping.RULES,
    *micro_batches.RULES,
    *lost.RULES,
    *twice.RULES,
    *moments.RULES,
    *averages.RULES,
    *decay.RULES,
)
