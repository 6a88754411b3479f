"""The command `tapeviz`, and the option of pytest's.

- the command  `main`, its arguments; `run`, a program under a recording; `watch`, one under a flight
               recorder; `show`, a log file; `mcp`, a program that a coding assistant asks about
- tests        `pytest_plugin`, for `pytest --tapeviz`
- its parts    `program`, what the command line names; `script`, that as `python` runs it; `progress`, what is said
               meanwhile; `recordings`, of one program, by processes of their own; `answers`, in a few words;
               `colours`, of what a terminal shows
- processes    `launch`, a launcher's command with each of them under a recording; `ranks`, what is each one's own;
               `children`, which a program starts by itself; `started`, those of them that are recorded;
               `workers`, which a library starts elsewhere
"""
