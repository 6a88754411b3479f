"""GradientCall -> Findings: why a gradient is zero in every element.

- `all_zero`      the op at which it becomes zero, `context`, and by `reasons` why it does: `factors`, a zero operand;
                  `verdicts`, what is said of it; `dead_rectifiers`, the update that switched a unit off;
                  `left_out`, the op that takes none of what it is given; `lost_numbers`, the op whose numbers are too
                  small, or too large; `users_rules`, a gradient function of the user's
- `cancel`        contributions that add up to nothing
- `out_of_range`  an index outside of what it indexes
"""
