"""A function of the front end, called from Python by way of Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import tapeviz.views.frontend

FRONTEND = Path(tapeviz.views.frontend.__file__).parent
DRIVER = """
const [module, name] = process.argv.slice(1);
const { [name]: made } = await import(module);
let text = "";
for await (const chunk of process.stdin) text += chunk;
const revived = (value) => (value?.set ? new Set(value.set) : value);
console.log(JSON.stringify(JSON.parse(text).map((given) => made(...given.map(revived)))));
"""


def in_javascript(module: str | Path, name: str, calls: list[list[Any]]) -> list[Any]:
    """What a function of a module, of the front end or by its whole path, makes of each row of arguments; a set is
    sent as `{"set": [...]}`."""
    command = ["node", "--input-type=module", "-e", DRIVER, (FRONTEND / module).as_uri(), name]
    done = subprocess.run(command, input=json.dumps(calls), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))
