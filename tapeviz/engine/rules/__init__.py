"""An op's rules, which are its VJPs -> what a tape keeps for them, and how they are run; rules of the user's own.

- a plan       `plan`, what is saved for the rules of one op, and their code
- run on       `arrays`, if no tape records the backward pass; a `stand_in` for an array: many rows in `batching`,
               bfloat16 in `rounding`
- own rules    `user_ops`, a whole op with its rules; `register_gradient`, for TensorFlow's graphs
"""
