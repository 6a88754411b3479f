"""The command `tapeviz`, and the option of pytest's.

- the command  `main`, its arguments; `run`, a program under a recording; `show`, a log file
- tests        `pytest_plugin`, for `pytest --tapeviz`
- its parts    `script`, a program as `python` runs it; `progress`, what is said meanwhile
"""
