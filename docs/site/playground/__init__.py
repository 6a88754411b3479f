"""The playground: an editor, Python in the browser, and the debugger. `python -m docs.site.playground [FOLDER]`.

- `build`         all of it, into a folder
- `files`         its page, the worker that Python runs in, and `runner.py`, which that worker calls
- `distribution`  Pyodide's own files, by version and checksum
- `programs`      the programs of its menu
- `archive`       tapeviz, and what it needs of Python alone, as one file
"""
