"""The docstrings of what users call -> one HTML page, the API reference.

python -m docs [PATH]     writes build/reference.html, or PATH
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import tapeviz

TITLE = "tapeviz: the reference"
STYLE = """
html { color-scheme: light dark }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.55 system-ui, sans-serif }
nav { columns: 3; margin: 1rem 0 2rem }
nav a { display: block; text-decoration: none }
section { border-top: 1px solid #8884; padding: .5rem 0 1rem }
h3 { font: 600 15px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
pre { white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace }
"""


def chapters() -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Chapters of the reference: a heading, and names with what they stand for.

    The verbs come first, then what they return, then TensorFlow's names, module by module.
    """
    verbs = [(name, getattr(tapeviz, name)) for name in sorted(tapeviz.VERBS)]
    yield "Looking at a tape", verbs
    yield "What they return", sorted({each.__name__: each for _, verb in verbs for each in _returned(verb)}.items())
    names = {*dir(tapeviz), *tapeviz.tf.__all__}
    own = {name: each for name in names if _is_told(name, each := getattr(tapeviz, name))}
    yield "tapeviz", [(name, each) for name, each in sorted(own.items()) if name not in tapeviz.VERBS]
    for namespace in sorted([*tapeviz.NAMESPACES, "errors"]):
        module = import_module(f"tapeviz.{namespace}")
        yield f"tapeviz.{namespace}", list(_members(module, namespace))


def _returned(verb: Any) -> Iterator[type]:
    """The classes of tapeviz that the annotation of what a verb returns names."""
    module = sys.modules[verb.__module__]
    for name in re.findall(r"\w+", verb.__annotations__.get("return", "")):
        each = getattr(module, name, None)
        if inspect.isclass(each) and each.__module__.startswith("tapeviz"):
            yield each


def _members(module: ModuleType, path: str) -> Iterator[tuple[str, Any]]:
    for name in sorted(getattr(module, "__all__", dir(module))):
        each = getattr(module, name, None)
        if isinstance(each, ModuleType) and each.__name__.startswith(f"{module.__name__}."):
            yield from _members(each, f"{path}.{name}")
        elif _is_told(name, each):
            yield f"{path}.{name}", each


def _is_told(name: str, each: Any) -> bool:
    public = not name.startswith("_") and (inspect.isroutine(each) or inspect.isclass(each))
    return public and getattr(each, "__module__", "").startswith("tapeviz")


def _parts(owner: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class and its bases, as functions, if they have words of their own."""
    for name, part in inspect.getmembers_static(owner):
        function = getattr(part, "__func__", None) or getattr(part, "fget", None) or part
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        if function.__module__.startswith("tapeviz") and not function.__name__.startswith("_"):  # that is a hook
            yield name if isinstance(part, property) else name + _signature(getattr(owner, name)), function


class _Annotation(str):
    """An annotation as it is written, without quotes."""

    __repr__ = str.__str__


def _signature(each: Any) -> str:
    try:
        signature = inspect.signature(each)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [part.replace(annotation=_written(part.annotation)) for part in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=_written(signature.return_annotation)))


def _written(annotation: Any) -> Any:
    return _Annotation(annotation) if isinstance(annotation, str) else annotation


def entry(name: str, each: Any, level: int = 3) -> Iterator[str]:
    """One name, headed at this level: how it is called, what its docstring says; of a class also its methods."""
    yield f'<section id="{escape(name)}"><h{level}>{escape(name + _signature(each))}</h{level}>'
    yield f"<pre>{escape(inspect.getdoc(each) or '')}</pre>"
    if inspect.isclass(each):
        for called, function in _parts(each):
            yield f"<h3>.{escape(called)}</h3><pre>{escape(inspect.getdoc(function) or '')}</pre>"
    yield "</section>"


def page() -> str:
    """The whole reference."""
    parts = []
    for heading, members in chapters():
        links = "".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name, _ in members)
        parts.append(f"<h2>{escape(heading)}</h2><nav>{links}</nav>")
        parts += [line for name, each in members for line in entry(name, each)]
    head = f'<meta charset="utf-8"><title>{TITLE}</title><style>{STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body><h1>{TITLE}</h1>{"".join(parts)}</body></html>\n'


def main(path: Path) -> None:
    """Write the page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(), encoding="utf-8")
    print(f"wrote {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/reference.html"))
