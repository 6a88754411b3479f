"""An op's rules, which are its VJPs -> what a tape keeps for them, and how they are run; rules of the user's own.

- a plan       `plan`, what is saved for the rules of one op, and their code
- run on       `arrays`, where nothing records them; what is like one, a `stand_in`: many rows by `batching`, bfloat16
               by `rounding`, also in `tuples`
- own rules    `user_ops`, a whole op with its rules; `register_gradient`, for TensorFlow's graphs
- checks       `check` and `numerical`, gradients beside differences
"""
