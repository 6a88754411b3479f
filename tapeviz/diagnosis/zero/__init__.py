"""GradientCall -> Findings: why a gradient is zero in every element.

- `all_zero`   the op at which it becomes zero, `met`, and by `reasons` why it does: `factors`, a zero operand;
               `verdicts`, what is said of it; `died`, the update that put a unit out;
               `lost`, the op whose numbers are too small, or too large
- `cancel`     contributions that add up to nothing
- `outside`    an index outside of what it indexes
"""
