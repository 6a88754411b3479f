"""`tf.keras.backend`: what Keras takes for granted, and the functions that older losses and layers are written in.

- tensors      `values`, made; `queries`, what they hold; `updates` of variables
- computing    `arrays`, `shapes`, `products`; `layers`; `crossentropies`; `renamed`, TensorFlow's under other names
- settings     `session`, names that are counted, and defaults
"""

from tapeviz.tf.keras import activations, floats
from tapeviz.tf.keras.backend import (
    arrays,
    crossentropies,
    layers,
    products,
    queries,
    session,
    shapes,
    updates,
    values,
)
from tapeviz.tf.keras.backend.renamed import RENAMED
from tapeviz.tf.names import missing

_FUNCTIONS = RENAMED | {
    name: function
    for module in (arrays, crossentropies, layers, products, queries, session, shapes, updates, values)
    for name, function in vars(module).items()
    if getattr(function, "__module__", None) == module.__name__ and not name.startswith("_")
}
_FUNCTIONS |= {"elu": activations.elu, "floatx": floats.floatx, "set_floatx": floats.set_floatx}
globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)
__getattr__ = missing(__name__)
