"""Gradients that TensorFlow takes -> the runs, steps and sums of a log.

- `sweeps`      every gradient that is being taken, and `sweep`, one of them
- `logged_ops`  from a gradient function back to the op in the log; `saved`, what the tape keeps for it
"""
