"""Gradients that TensorFlow takes -> the runs, steps and sums of a log.

- `sweeps`      every gradient that is being taken, and `sweep`, one of them
- `logged_ops`  from a gradient function back to the op in the log; `saved`, what the tape keeps for it
- `witnesses`   what TensorFlow has in the place of a gradient of the user's own
"""
