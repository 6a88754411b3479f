"""tapeviz: see automatic differentiation. Record a gradient tape, step it backward, find out why a gradient is None.

    import tapeviz as tv      # tv.debug(tape), tv.why(tape, loss, w), tv.diagnose(tape), tv.draw(tape), tv.plot(tape)
    import tapeviz as tf      # a tutorial's code runs unchanged: every other name is TensorFlow's, as in `tapeviz.tf`

Below: the debugger's public names, and the ties between those who write a log and those who read it. Nearly all is
loaded when it is first asked for.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tapeviz import errors as errors
from tapeviz.engine import logs
from tapeviz.engine.configure import configure as configure
from tapeviz.events import log as event_log
from tapeviz.events.log import EventLog as EventLog
from tapeviz.recorders.alarm import Alarm
from tapeviz.recorders.record import record as record

# To type checkers a name is public if it is imported as itself; what only `__getattr__` finds is `Any`.
if TYPE_CHECKING:
    from tapeviz.diagnosis.diagnose import diagnose as diagnose
    from tapeviz.diagnosis.table import table as table
    from tapeviz.diagnosis.why import why as why
    from tapeviz.engine.backward.indexed_slices import IndexedSlices as IndexedSlices
    from tapeviz.engine.backward.unconnected import UnconnectedGradients as UnconnectedGradients
    from tapeviz.engine.custom_gradient import custom_gradient as custom_gradient
    from tapeviz.engine.gradient_checks.directional import check_gradients as check_gradients
    from tapeviz.engine.rules.register_gradient import RegisterGradient as RegisterGradient
    from tapeviz.engine.rules.user_ops import defop as defop
    from tapeviz.engine.specs.dtypes import DType as DType
    from tapeviz.engine.specs.dtypes import as_dtype as as_dtype
    from tapeviz.engine.specs.shape import TensorShape as TensorShape
    from tapeviz.engine.specs.tensor_spec import TensorSpec as TensorSpec
    from tapeviz.engine.tape import GradientTape as GradientTape
    from tapeviz.engine.tensors.tensor import Tensor as Tensor
    from tapeviz.engine.tensors.variable import Variable as Variable
    from tapeviz.engine.values.constant import constant as constant
    from tapeviz.engine.values.constant import convert_to_tensor as convert_to_tensor
    from tapeviz.events.store.load import load as load
    from tapeviz.events.store.save import save as save
    from tapeviz.live import testing as testing
    from tapeviz.live.audit import audit as audit
    from tapeviz.live.check_step import check_step as check_step
    from tapeviz.live.debug import debug as debug
    from tapeviz.live.explore import explore as explore
    from tapeviz.live.export import export as export
    from tapeviz.live.history import History as History
    from tapeviz.live.keras_callback import keras_callback as keras_callback
    from tapeviz.live.lightning_callback import lightning_callback as lightning_callback
    from tapeviz.live.modes import modes as modes
    from tapeviz.live.same import same as same
    from tapeviz.live.transformers_callback import transformers_callback as transformers_callback
    from tapeviz.live.watch import watch as watch
    from tapeviz.recorders.jax.record_jax import record_jax as record_jax
    from tapeviz.tf import autodiff as autodiff
    from tapeviz.tf import autograph as autograph
    from tapeviz.tf import config as config
    from tapeviz.tf import data as data
    from tapeviz.tf import debugging as debugging
    from tapeviz.tf import dtypes as dtypes
    from tapeviz.tf import keras as keras
    from tapeviz.tf import linalg as linalg
    from tapeviz.tf import math as math
    from tapeviz.tf import nest as nest
    from tapeviz.tf import nn as nn
    from tapeviz.tf import random as random
    from tapeviz.tf import signal as signal
    from tapeviz.tf import test as test
    from tapeviz.tf.module import Module as Module
    from tapeviz.tf.tracing.function import function as function
    from tapeviz.views.drawing.animate import animate as animate
    from tapeviz.views.drawing.draw import draw as draw
    from tapeviz.views.drawing.frames import frames as frames
    from tapeviz.views.drawing.to_dot import to_dot as to_dot
    from tapeviz.views.drawing.to_graphviz import to_graphviz as to_graphviz
    from tapeviz.views.page.compare import compare as compare
    from tapeviz.views.page.save_html import save_html as save_html
    from tapeviz.views.page.show import show as show
    from tapeviz.views.reports.depth import depth as depth
    from tapeviz.views.reports.plot import plot as plot
    from tapeviz.views.reports.update import update as update

__version__ = "0.2.0"

# Like TensorFlow, the engine is silent about 1/0 and log(0); the user's own NumPy is left alone.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"tapeviz\.(engine|tf)\b")

VERBS = {
    "History": "tapeviz.live.history",
    "animate": "tapeviz.views.drawing.animate",
    "audit": "tapeviz.live.audit",
    "check_step": "tapeviz.live.check_step",
    "compare": "tapeviz.views.page.compare",
    "debug": "tapeviz.live.debug",
    "depth": "tapeviz.views.reports.depth",
    "diagnose": "tapeviz.diagnosis.diagnose",
    "draw": "tapeviz.views.drawing.draw",
    "explore": "tapeviz.live.explore",
    "export": "tapeviz.live.export",
    "frames": "tapeviz.views.drawing.frames",
    "keras_callback": "tapeviz.live.keras_callback",
    "lightning_callback": "tapeviz.live.lightning_callback",
    "load": "tapeviz.events.store.load",
    "modes": "tapeviz.live.modes",
    "plot": "tapeviz.views.reports.plot",
    "record_jax": "tapeviz.recorders.jax.record_jax",
    "same": "tapeviz.live.same",
    "save": "tapeviz.events.store.save",
    "save_html": "tapeviz.views.page.save_html",
    "show": "tapeviz.views.page.show",
    "table": "tapeviz.diagnosis.table",
    "to_dot": "tapeviz.views.drawing.to_dot",
    "to_graphviz": "tapeviz.views.drawing.to_graphviz",
    "transformers_callback": "tapeviz.live.transformers_callback",
    "update": "tapeviz.views.reports.update",
    "watch": "tapeviz.live.watch",
    "why": "tapeviz.diagnosis.why",
}
"""What makes a log of JAX or reads a log, and the module that is imported when it is first asked for."""

ENGINE = (
    *("GradientTape", "IndexedSlices", "RegisterGradient", "Tensor", "UnconnectedGradients", "Variable"),
    *("check_gradients", "constant", "convert_to_tensor", "custom_gradient", "defop"),
)
"""What a user of the engine's tape needs besides ops; they are listed with the verbs."""

NAMESPACES = (
    *("autodiff", "autograph", "config", "data", "debugging", "dtypes", "keras", "linalg", "math", "nest", "nn"),
    *("random", "signal", "test"),
)
"""TensorFlow's modules, which can be imported from here as well as from `tapeviz.tf`."""

MODULES = {name: f"tapeviz.tf.{name}" for name in NAMESPACES} | {"testing": "tapeviz.live.testing"}
"""What can be imported from here, and where it is."""


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in VERBS:
        found = getattr(import_module(VERBS[name]), name)
    elif find_spec(f"{__name__}.{name}"):
        found = import_module(f"{__name__}.{name}")
    elif name in (public := import_module("tapeviz.engine.namespace").PUBLIC):
        found = public[name]
    else:
        found = _of_tensorflow(name)
    globals()[name] = found  # the next look-up is Python's own
    return found


def _of_tensorflow(name: str) -> Any:
    """What is TensorFlow's by this name, and no op.

    Raises:
        AttributeError: there is no such name; it says which is nearest, among the debugger's names as well.
    """
    if not find_spec("tapeviz.tf"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it has TensorFlow's names by tapeviz.tf.")
    tf = import_module("tapeviz.tf")
    missing = import_module("tapeviz.tf.names").missing
    return getattr(tf, name) if name in tf.__all__ else missing(__name__, [*__dir__(), *tf.__all__])(name)


def __dir__() -> list[str]:
    """The debugger's names; TensorFlow's are listed by `dir(tapeviz.tf)`."""
    return sorted({*VERBS, *ENGINE, "EventLog", "__version__", "configure", "errors", "record", "testing", "tf"})


def _real(fullname: str) -> str | None:
    """The module that is meant by a name of `MODULES` or below; None for other names."""
    package, _, path = fullname.partition(".")
    name, *below = path.split(".")
    return ".".join([MODULES[name], *below]) if package == "tapeviz" and name in MODULES else None


class OtherNames:
    """`tapeviz.keras.layers`, as an import names it -> the module `tapeviz.tf.keras.layers`, loaded once for both."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec for a name at or below one of `MODULES`, whose real module there is; None for other names."""
        real = _real(fullname)
        if real is None or not find_spec(real.rpartition(".")[0]) or not find_spec(real):
            return None
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]  # a loader by what it does, not by its class

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The real module, which Python is about to give this spec."""
        module = import_module(_real(spec.name) or "")
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back; it has run already."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


# First of all, since Python's own finder would load a file below `tapeviz.keras` once more, under that name.
sys.meta_path.insert(0, OtherNames())


def _show(subject: Any) -> dict[str, Any] | None:
    """The display of a tape or a log as the last line of a cell; none of a tape that was never entered."""
    try:
        event_log.log_of(subject)
    except RuntimeError:
        return None
    from tapeviz.views.page.show import bundle

    return bundle(subject)


def _noted(log: EventLog, error: BaseException) -> str | None:
    """The note under the traceback of an exception about gradients."""
    from tapeviz.diagnosis.explain import explain

    return explain(log, error)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tapeviz`: cells that begin with `%%tape` show their tapes."""
    from tapeviz import magic

    magic.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext tapeviz`."""
    from tapeviz import magic

    magic.unload(shell)


def _stopped(log: EventLog, reason: str) -> str:
    """What is said of a gradient that an alarm is for."""
    from tapeviz.diagnosis.explain import first_finding

    return first_finding(log, reason)


event_log.Showable.display_hook = staticmethod(_show)
EventLog.error_hook = staticmethod(_noted)
record.home = logs.EngineRecorder
Alarm.explain = staticmethod(_stopped)

if os.environ.get("TAPEVIZ") == "1":
    __getattr__("watch")()
