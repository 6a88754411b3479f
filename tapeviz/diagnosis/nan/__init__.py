"""Run -> Findings: why a gradient is NaN or infinite.

- `not_finite` the op at which it becomes so, and what op of the forward pass is to blame
- `overflow`   too large for its dtype, at no edge of any domain
- `spoilt`     what the op reads was not finite before anything was computed from it
"""
