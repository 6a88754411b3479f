"""Words and numbers -> HTML, for whatever shows something; it knows nothing of logs and their readers.

- `theme`    role -> colour; the only place with colours
- `text`     a text of the user's -> the same in HTML, escaped and cut to a length
- `card`     a finding, a sentence -> boxes for an output cell
- `table`    rows, lines -> tables and lists for an output cell
- `offline`  any of these, or a program -> a page of its own that reaches nothing outside itself

What stands in an output cell has no script and no style sheet, and is readable on light and dark paper.
"""
