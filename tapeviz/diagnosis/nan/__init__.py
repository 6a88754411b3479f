"""GradientCall -> Findings: why a gradient is NaN or infinite.

- `not_finite` the op at which it becomes so, and what op of the forward pass is to blame
- `own_gradients`   code of the program's gave NaN back: a gradient function, or a hook
- `overflow`   too large for its dtype, at no edge of any domain
- `by_xla`   it is sound here, op by op, and would not be where XLA compiles the same
- `bad_input`     what the op reads was not finite before anything was computed from it
"""
