"""A log -> the libraries that the user's files in it import."""

from __future__ import annotations

import ast
from functools import lru_cache

from tapeviz.events import EventLog
from tapeviz.source.parsing import parse

_KNOWN_FILES = 64
"""How many files are remembered; a picture asks for words at each of its ops."""


def libraries_of(log: EventLog) -> frozenset[str]:
    """The first names of all modules that are imported in the files of a log's sites, wherever they stand there."""

    def find() -> frozenset[str]:
        files = {site.filename for site in log.sites}
        return frozenset().union(*(imported_in("".join(log.source(each))) for each in files))

    return log.once("libraries", find)


@lru_cache(_KNOWN_FILES)
def imported_in(source: str) -> frozenset[str]:
    """The first names of the modules that a source imports.

    >>> sorted(imported_in("import jax.numpy as jnp, os\\nfrom keras import ops"))
    ['jax', 'keras', 'os']
    """
    tree = parse(source)
    found: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)
