"""Words and numbers -> HTML. Nothing here knows of logs and their readers.

- `theme`    role -> colour; the only place with colours
- `text`     a user's text -> the same in HTML, escaped and cut to a readable length
- `card`     a finding, a sentence -> boxes for an output cell
- `table`    rows, lines -> tables and lists for an output cell
- `offline`  any of these, or a program -> a page of its own that reaches nothing outside itself

An output cell's HTML has no script and no style sheet, and is readable on a light and a dark background.
"""
