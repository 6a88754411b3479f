"""Logs -> what people look at: pictures, plots, text, and the payload of the debugger.

A group imports the groups above it, never one below; `tests/test_layers.py` holds that. Colours, and what a page or
an output cell is made of, come from `tapeviz.markup`.

- `words/`     what tensors and ops are called, and how numbers and formulas are written
- `folding/`   ops in order -> groups (calls, loops, repeats), and what is visible with some of them unfolded
- `reading/`   EventLog -> Reading: all that views know of a log: its boxes and wires, where gradients are lost
- `layout/`    sizes and edges -> positions: the layered layout, which knows nothing else of tapeviz
- `scene/`     Reading -> Scene: what is visible, with its words, flags, size and position
- `drawing/`   Scene -> pictures (SVG, PNG, PDF, GIF, DOT), whole or at one step: `draw`, `animate`, `to_dot`
- `reports/`   EventLog -> text for a terminal, plots, the gradient by layers: `plot`, `depth`
- `exports/`   EventLog -> the files of other viewers: Perfetto, Model Explorer, Netron
- `payload/`   EventLog -> the one JSON value that the front end shows
- `frontend/`  the debugger in the browser: ES modules, and what joins them into one; its `__init__.py` is their map
- `page/`      payload and front end -> what a browser opens: `show`, `save_html`, `modes`, `compare`, `debug`'s widget
"""
