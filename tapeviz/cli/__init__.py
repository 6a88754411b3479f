"""The command `tapeviz`.

- the command  `main`, its arguments; `run`, a program under a recording; `show`, a log file
- its parts    `script`, a program as `python` runs it; `progress`, what is said meanwhile
"""
