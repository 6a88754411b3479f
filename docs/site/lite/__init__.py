"""JupyterLite: the notebooks, in a browser with no server behind it, and in its Python the wheel that is released.

- `build`       all of it, into a folder
- `wheels`      that wheel, and those that it needs of Python alone, by version and checksum (`wheels.txt`)
- `lock`        wheels -> what Pyodide has to know of each, so that `import tapeviz` loads them
"""
