"""The public names and their functions, as "math.reduce_sum", and the error for a name that is not among them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from difflib import get_close_matches
from dis import opmap
from types import FrameType, SimpleNamespace
from typing import Any, TypeVar

from tapeviz.engine.api.argument_errors import with_argument_errors

EXPORTS: dict[str, Any] = {}
"""Every public function by its TensorFlow name without the `tf.`."""

CLOSE = 0.7
"""How similar a name must be to be suggested: `matmul` for `matmull`, nothing for `distribution`."""

FOREIGN = frozenset(
    [
        "audio",
        "bitwise",
        "compat",
        "distribute",
        "estimator",
        "experimental",
        "feature_column",
        "graph_util",
        "image",
        "io",
        "lite",
        "lookup",
        "mlir",
        "profiler",
        "quantization",
        "queue",
        "ragged",
        "raw_ops",
        "saved_model",
        "sets",
        "sparse",
        "strings",
        "summary",
        "sysconfig",
        "tpu",
        "train",
        "types",
        "version",
        "xla",
    ]
)
"""TensorFlow's namespaces that tapeviz does not have: no similar name is suggested for them."""

F = TypeVar("F", bound=Callable[..., Any])


def export(*names: str) -> Callable[[F], F]:
    """Register a function under its public names. TensorFlow's names for it are listed without the `tf.`.

    A function that another function has made gets the last part of the first name as its own. The decorated function,
    which tapeviz itself calls, is returned unchanged; only the public one checks its arguments as TensorFlow does.

    Raises:
        ValueError: a name is taken.
    """

    def enter(function: F) -> F:
        if function.__name__ not in {_last(name) for name in names}:  # as `round_`, which leaves Python's own in peace
            function.__name__ = function.__qualname__ = _last(names[0])
        public = with_argument_errors(function, names[0])
        if public is not function or not _is_in_its_module(function):  # and pickle would look for it there
            _place(public, names)
        for name in names:
            if name in EXPORTS:
                raise ValueError(f"tf.{name} is exported twice.")
            EXPORTS[name] = public
        return function

    return enter


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _is_in_its_module(value: Any) -> bool:
    """Whether a function has the name by which it was defined in its module; not if it was made by a function."""
    code = getattr(inspect.unwrap(value), "__code__", None)
    return code is None or code.co_qualname == value.__qualname__


def _place(function: Callable[..., Any], names: tuple[str, ...]) -> None:
    """Set the `__module__` of a function to where users find it: a namespace, if there is one, rather than `tf`.

    Nested namespaces are no modules: their names are part of `__qualname__`.
    """
    namespace = max(name.rpartition(".")[0] for name in names if _last(name) == function.__name__)
    module, _, rest = namespace.partition(".")
    function.__module__ = f"tapeviz.{module}".rstrip(".")
    function.__qualname__ = f"{rest}.{function.__name__}".lstrip(".")


def exports(namespace: str) -> dict[str, Any]:
    """The public functions of a namespace by the last part of their names.

    Args:
        namespace: for instance "math"; "" for `tf` itself.
    """
    start = f"{namespace}." if namespace else ""
    inner = {name.removeprefix(start): value for name, value in EXPORTS.items() if name.startswith(start)}
    return {name: value for name, value in inner.items() if "." not in name}


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
    while frame is not None and frame.f_code.co_name == "__getattr__":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _listed(module: str) -> list[str]:
    loaded = sys.modules[module]
    return getattr(loaded, "__all__", None) or [each for each in dir(loaded) if not each.startswith("_")]


def _advice(module: str, name: str, listed: list[str]) -> str:
    ours = "tf" + module.removeprefix("tapeviz")
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
