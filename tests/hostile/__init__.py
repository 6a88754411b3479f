"""That bad luck, bad input and curious readers do no harm: what CI samples, and `python -m tests.hostile` runs long.

- `exporters`  all that writes a file, on a small program
- `faults`     a full disk, a limit or a kill at each system call of theirs: the old file whole, or the new one
- `planted`    what was planted in a program, looked for in the bytes of every file that was asked to leave it out
- `edits`      logs that were edited or damaged, through every verb: an answer, or one `LogError`
- `patterns`   every regular expression of tapeviz's, and its worst line: it grows as the line does
- `strings`    hostile strings in every place of every kind of page, in Chromium: text, and nothing but text
"""
