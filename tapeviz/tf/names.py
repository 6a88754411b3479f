"""A name that a namespace has not -> an AttributeError with the nearest one; namespaces that are not files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from dis import opmap
from types import FrameType, SimpleNamespace
from typing import Any

from tapeviz.engine.functions.exports import EXPORTS

CLOSE = 0.7
"""How similar a name must be to be suggested: `matmul` for `matmull`, nothing for `distribution`."""

FOREIGN = {
    *("audio", "bitwise", "compat", "distribute", "estimator", "experimental", "feature_column"),
    *("graph_util", "image", "io", "lite", "lookup", "mlir", "profiler", "quantization", "queue"),
    *("ragged", "raw_ops", "saved_model", "sets", "sparse", "strings", "summary", "sysconfig", "tpu"),
    *("train", "types", "version", "xla"),
}
"""TensorFlow's namespaces that tapeviz does not have: no similar name is suggested for them."""


def missing(module: str, names: list[str] | None = None) -> Callable[[str], Any]:
    """The `__getattr__` of a module, which raises an AttributeError that suggests another name.

    The suggestion is a function of this name in another namespace, or the most similar name.

    Args:
        module: the name of the module.
        names: the names to suggest; by default those of the module.
    """

    def absent(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        told = _advice(module, name, names or _listed(module))
        if _is_import(sys._getframe(1)):  # which would leave the advice out
            raise ImportError(f"cannot import name {name!r} from {module!r}.{told}", name=module)
        raise AttributeError(f"module {module!r} has no attribute {name!r}.{told}")

    return absent


def namespace(module: str, **names: Any) -> SimpleNamespace:
    """A namespace that is not a file. Missing names raise the same error as in a module.

    Args:
        module: its full name.
        names: what is in it.
    """
    absent = missing(module, sorted(names))
    kind = type("Namespace", (SimpleNamespace,), {"__getattr__": lambda self, name: absent(name)})
    made: SimpleNamespace = kind(**names)
    return made


def _is_import(frame: FrameType | None) -> bool:
    """Whether the frame that asks for a name executes `from module import name`."""
    while frame is not None and frame.f_code.co_name in ("__getattr__", "_of_tensorflow"):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _listed(module: str) -> list[str]:
    loaded = sys.modules[module]
    return getattr(loaded, "__all__", None) or [each for each in dir(loaded) if not each.startswith("_")]


def _advice(module: str, name: str, listed: list[str]) -> str:
    ours = "tf" + module.removeprefix("tapeviz").removeprefix(".tf")
    if ours == "tf" and name in FOREIGN:
        return f" tapeviz has nothing of tf.{name}."
    public = {_plain(each) for each in listed}
    elsewhere = next((full for full in EXPORTS if full.rpartition(".")[2] == name), None)
    if elsewhere is not None and _plain(name) not in public:
        return f" There is tf.{elsewhere}."
    for near in get_close_matches(_plain(name), public, n=1, cutoff=CLOSE):
        (nearest,) = get_close_matches(name, [each for each in listed if _plain(each) == near], n=1, cutoff=0)
        return f" The nearest it has is {ours}.{nearest}."
    return f" dir({ours}) lists what there is."


def _plain(name: str) -> str:
    """A name without what is a matter of style, for whoever writes `conv2d` in place of `Conv2D`."""
    return name.lower().replace("_", "")
