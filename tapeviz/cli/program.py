"""What a command line names -> a call that runs it: a script, a folder or archive, or a module, and its arguments."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial

from tapeviz.cli import script

NO_SCRIPT = 2
"""The exit code of `python` for a script that is not there."""


def program_of(options: Namespace) -> Callable[[], None]:
    """What runs the program; where there is none the process ends as `python` would."""
    if options.module:
        name, *arguments = options.module
        return partial(script.run_module, name, arguments)
    if not options.script:
        options.parser.error(f"which script? tapeviz {options.name} script.py")
    name, *arguments = options.script
    if script.is_importable(name):
        return partial(script.run_inside, name, arguments)
    try:
        return partial(script.run_script, name, script.source(name), arguments)
    except OSError as error:
        path = os.path.abspath(name)
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        sys.exit(NO_SCRIPT)
