"""Training steps as the documentation of JAX's libraries has them: whether a recording leaves them be, and sees them.

`python -m tests.recorders.jax.steps [NAMES]` runs each in a process of its own, plainly and in `with tv.record()`, and
prints a line for each; `--faults` plants faults into them, as `tests.diagnosis.planted` does, and prints which are
named.

- `programs/`   the steps; `results` is what each computes, `gradients` a structure for each gradient that it takes, or
                None where its library keeps them to itself
- `comparing`   a step -> what is not as in the run without a recording
- `faults`      a fault for each of some steps, chosen by hash
"""
