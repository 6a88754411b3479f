"""Ops in order -> groups to fold and unfold, and what is visible with some of them unfolded.

- groups     `branches`, the tree of calls and loops, with `loops` and `repeats`; `groups`, its rows
- unfolded   `initially_unfolded`, which groups are unfolded at first; `fold`, what is visible then; `tucked`, the
             parameters that are seen as the ops that read them
"""
