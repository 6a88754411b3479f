"""The names of modules -> a call when one of them is first imported."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import get_ident
from types import ModuleType
from typing import Any

from tapeviz.recorders.patches import Patches, Row


def install_when_imported(patches: Patches, rows: Mapping[str, Callable[[Any], Iterable[Row]]]) -> None:
    """Put hooks in their places, in each module as soon as the program has imported it; `patches` takes them away."""
    others = []  # by a look-up each: a difference of sets would go over all modules
    for name, make in rows.items():
        module = sys.modules.get(name)
        if module is None:
            others.append(name)
        else:
            patches.install(make(module))
    if others:
        watch = ImportWatch(others, lambda name: patches.install(rows[name](sys.modules[name])))
        watch.open()
        patches.finally_(watch.close)


class ImportWatch:
    """A finder at the head of `sys.meta_path`, from `open` until `close`, that waits for top-level modules by name.

    It finds no module itself: it asks the other finders for the module's loader, and has `imported` called with the
    name once that has run. Only imports in its own thread count, which is the one that is recorded.
    """

    def __init__(self, names: Collection[str], imported: Callable[[str], None]) -> None:
        self._waiting = set(names)
        self._imported = imported
        self._thread = get_ident()

    def open(self) -> None:
        """Begin to watch."""
        sys.meta_path.insert(0, self)

    def close(self) -> None:
        """Watch no longer."""
        self._waiting.clear()
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module that is waited for, its loader made to tell; None for any other."""
        if name not in self._waiting or get_ident() != self._thread:
            return None
        self._waiting.discard(name)  # the others are asked through `sys.meta_path`, where this finder is one
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            self._waiting.add(name)
            return spec
        loader: Any = spec.loader
        load = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            vars(loader).pop("exec_module", None)  # another watch may wait for the same module
            try:
                load(module)
            except BaseException:
                self._waiting.add(name)
                raise
            self._imported(name)

        loader.exec_module = exec_module
        return spec
