"""`tf.keras.backend`: what Keras takes for granted, and the functions that older losses and layers are written in.

- computing    `arrays`; `layers`; `crossentropies`; `renamed`, what TensorFlow has under other names
- the rest     `values`, variables and constants; `session`, what is counted and taken for granted
"""

from tapeviz.engine.api import missing
from tapeviz.keras import activations, floats
from tapeviz.keras.backend import arrays, crossentropies, layers, session, values
from tapeviz.keras.backend.renamed import RENAMED

_FUNCTIONS = RENAMED | {
    name: function
    for module in (arrays, crossentropies, layers, session, values)
    for name, function in vars(module).items()
    if getattr(function, "__module__", None) == module.__name__ and not name.startswith("_")
}
_FUNCTIONS |= {"elu": activations.elu, "floatx": floats.floatx, "set_floatx": floats.set_floatx}
globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)
__getattr__ = missing("tapeviz.keras.backend")
