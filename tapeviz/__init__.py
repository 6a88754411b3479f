"""tapeviz: TensorFlow's gradient tape in NumPy, and a debugger that shows what a tape did and why.

    import tapeviz as tf      # a tutorial's code runs unchanged
    import tapeviz as tv      # tv.debug(tape), tv.why(tape, loss, w), tv.diagnose(tape), tv.draw(tape), tv.plot(tape)

Below: the public names, and the ties between the engine, the recorders and what shows.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tapeviz import errors as errors
from tapeviz.engine import api, logs
from tapeviz.engine.backward import heap
from tapeviz.engine.backward.indexed_slices import IndexedSlices as IndexedSlices
from tapeviz.engine.backward.unconnected import UnconnectedGradients as UnconnectedGradients
from tapeviz.engine.custom_gradient import custom_gradient as custom_gradient
from tapeviz.engine.function import function as function
from tapeviz.engine.gradient_checks.directional import check_gradients as check_gradients
from tapeviz.engine.logs import configure as configure
from tapeviz.engine.module import Module as Module
from tapeviz.engine.rules.register_gradient import RegisterGradient as RegisterGradient
from tapeviz.engine.rules.user_ops import defop as defop
from tapeviz.engine.specs.dtypes import ALIASES, DTYPES
from tapeviz.engine.specs.dtypes import DType as DType
from tapeviz.engine.specs.dtypes import as_dtype as as_dtype
from tapeviz.engine.specs.shape import TensorShape as TensorShape
from tapeviz.engine.specs.tensor_spec import TensorSpec as TensorSpec
from tapeviz.engine.tape import GradientTape as GradientTape
from tapeviz.engine.tensors import operators
from tapeviz.engine.tensors.graph_era import VariableAggregation as VariableAggregation
from tapeviz.engine.tensors.graph_era import VariableSynchronization as VariableSynchronization
from tapeviz.engine.tensors.tensor import Tensor as Tensor
from tapeviz.engine.tensors.variable import Variable as Variable
from tapeviz.engine.values.constant import constant as constant
from tapeviz.engine.values.constant import convert_to_tensor as convert_to_tensor
from tapeviz.events import log as event_log
from tapeviz.events.log import EventLog as EventLog
from tapeviz.recorders import stop
from tapeviz.recorders.record import record as record

# To type checkers a name is public if it is imported as itself; the ops are `Any`, as whatever `__getattr__` finds.
if TYPE_CHECKING:
    from tapeviz.diagnosis import diagnose as diagnose
    from tapeviz.diagnosis import table as table
    from tapeviz.diagnosis import why as why
    from tapeviz.events.store import load as load
    from tapeviz.events.store import save as save
    from tapeviz.live.check import check_step as check_step
    from tapeviz.live.debugger import debug as debug
    from tapeviz.live.explore import explore as explore
    from tapeviz.live.history import History as History
    from tapeviz.live.modes import modes as modes
    from tapeviz.recorders.jax import record_jax as record_jax
    from tapeviz.views.drawing.dot import to_dot as to_dot
    from tapeviz.views.drawing.dot import to_graphviz as to_graphviz
    from tapeviz.views.drawing.draw import draw as draw
    from tapeviz.views.drawing.frames import animate as animate
    from tapeviz.views.drawing.frames import frames as frames
    from tapeviz.views.page.cell import show as show
    from tapeviz.views.page.compare import compare as compare
    from tapeviz.views.page.html import save_html as save_html
    from tapeviz.views.reports.depth import depth as depth
    from tapeviz.views.reports.plots import plot as plot

__version__ = "0.1.0"

# Like TensorFlow, the engine is silent about 1/0 and log(0); the user's own NumPy is left alone.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"tapeviz\.(engine|keras)\b")

operators.attach()
globals().update(DTYPES | ALIASES | api.exports(""))
newaxis = None

VERBS = {
    "History": "tapeviz.live.history",
    "animate": "tapeviz.views.drawing.frames",
    "check_step": "tapeviz.live.check",
    "compare": "tapeviz.views.page.compare",
    "debug": "tapeviz.live.debugger",
    "depth": "tapeviz.views.reports.depth",
    "diagnose": "tapeviz.diagnosis",
    "draw": "tapeviz.views.drawing.draw",
    "explore": "tapeviz.live.explore",
    "frames": "tapeviz.views.drawing.frames",
    "load": "tapeviz.events.store",
    "modes": "tapeviz.live.modes",
    "plot": "tapeviz.views.reports.plots",
    "record_jax": "tapeviz.recorders.jax",
    "save": "tapeviz.events.store",
    "save_html": "tapeviz.views.page.html",
    "show": "tapeviz.views.page.cell",
    "table": "tapeviz.diagnosis",
    "to_dot": "tapeviz.views.drawing.dot",
    "to_graphviz": "tapeviz.views.drawing.dot",
    "why": "tapeviz.diagnosis",
}
"""What makes a log of JAX or reads a log, and the module that is imported when it is first asked for."""

NAMESPACES = (
    *("autodiff", "autograph", "config", "data", "debugging", "dtypes", "errors", "keras", "linalg", "math", "nest"),
    *("nn", "random", "signal", "test"),
)
SYNONYMS = ("initializers", "losses", "metrics", "optimizers")
"""TensorFlow's shorter names of Keras' namespaces."""

_absent = api.missing("tapeviz")


def __getattr__(name: str) -> Any:
    if name in VERBS:
        return getattr(import_module(VERBS[name]), name)
    if name in NAMESPACES:
        return import_module(f"tapeviz.{name}")
    if name in SYNONYMS:
        return import_module(f"tapeviz.keras.{name}")
    return _absent(name)


def __dir__() -> list[str]:
    """The public names: what is defined in tapeviz or written out here, but no module that only this one needs."""
    ours = {name for name, each in globals().items() if getattr(each, "__module__", "").startswith("tapeviz")}
    return sorted(
        {name for name in ours if not name.startswith("_")} | {*VERBS, *NAMESPACES, *SYNONYMS, "newaxis", "__version__"}
    )


def _show(subject: Any) -> dict[str, Any] | None:
    """The display of a tape or a log as the last line of a cell; none of a tape that was never entered."""
    try:
        event_log.log_of(subject)
    except RuntimeError:
        return None
    from tapeviz.views.page.cell import bundle

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
    """What is said where a recording stops the program."""
    from tapeviz.diagnosis.explain import first_finding

    return first_finding(log, reason)


event_log.Showable.display_hook = staticmethod(_show)
EventLog.error_hook = staticmethod(_noted)
record.home = logs.EngineRecorder
stop.StopOn.explain = staticmethod(_stopped)
heap.hold_back()
