"""Ops in order -> groups to fold and unfold, and what is seen with some of them unfolded.

- groups     `branches`, the tree of calls and loops, with `loops` and `repeats`; `groups`, its rows
- unfolded   `opening`, which of them are at first; `fold`, what is seen then
"""
