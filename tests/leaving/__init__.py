"""That a recording leaves nothing behind, however it is left: what CI samples, and `python -m tests.leaving` runs long.

- `interrupts`  Ctrl-C, or an error, before one line of tapeviz's while a recording is entered or left
- `guests`      the frameworks: a program in each, the ops that it has, and all that a recording could leave changed
- `programs`    random programs: the same bits and the same state, recorded in three ways or not at all
- `objects`     thousands of recordings: no object stays, and memory is flat
"""
