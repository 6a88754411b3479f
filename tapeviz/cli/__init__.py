"""The command `tapeviz`, and the option of pytest's.

- the command  `main`, its arguments; `run`, a program under a recording; `watch`, one under a flight
               recorder; `show`, a log file
- tests        `pytest_plugin`, for `pytest --tapeviz`
- its parts    `program`, what the command line names; `script`, that as `python` runs it; `progress`, what is said
               meanwhile
"""
