"""What a type checker is told of `tapeviz.keras` and its like, which are modules of `tapeviz.tf` by another name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import tapeviz

STUBS = Path(tapeviz.__file__).parent / "tf" / "stubs" / "tapeviz-stubs"


def public_modules(name: str) -> Iterator[tuple[str, ModuleType]]:
    """A public module of TensorFlow's namespace, and those in it that its `__all__` names."""
    module = importlib.import_module(f"tapeviz.tf.{name}")
    yield name, module
    for each in module.__all__:
        inner = getattr(module, each)
        if isinstance(inner, ModuleType) and inner.__name__.startswith(f"{module.__name__}."):
            yield from public_modules(f"{name}.{each}")


def stub(name: str, module: ModuleType) -> str:
    """The stub that says that `tapeviz.NAME` holds what `tapeviz.tf.NAME` does."""
    lines = [f"from tapeviz.tf.{name} import *"]
    if hasattr(module, "__getattr__"):
        lines.append(f"from tapeviz.tf.{name} import __getattr__ as __getattr__")
    return "\n".join(lines) + "\n"


def test_every_module_with_two_names_has_a_stub_and_no_other() -> None:
    modules = dict(found for name in tapeviz.NAMESPACES for found in public_modules(name))
    packages = {name.rpartition(".")[0] for name in modules}
    files = {
        STUBS.joinpath(*name.split("."), "__init__.pyi")
        if name in packages
        else STUBS.joinpath(*name.split(".")).with_suffix(".pyi"): stub(name, module)
        for name, module in modules.items()
    }
    assert {path: path.read_text(encoding="utf-8") for path in STUBS.rglob("*.pyi")} == files
    assert (STUBS / "py.typed").read_text(encoding="utf-8") == "partial\n"
