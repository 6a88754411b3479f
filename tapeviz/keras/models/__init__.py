"""`tf.keras.models`: models made of layers.

- the model    `model`; `drawn`, those between placeholders, and their two kinds `functional` and `sequential`;
               `sliced`, from the midst of another; `summary`, its table; `cloning`; `serialization`, its config;
               `saving`, which there is not
- training     `training`, and the `steps` it is made of; `batches` of what it is given, with `class_weights`;
               `compile_loss` and `compile_metrics`, what `compile` was told, and the `outputs` that these are for;
               `widened`, when it is met that a batch does not fit
"""

from tapeviz.engine.api import missing
from tapeviz.keras.models.cloning import clone_model
from tapeviz.keras.models.model import Model
from tapeviz.keras.models.sequential import Sequential

__all__ = ["Model", "Sequential", "clone_model"]
__getattr__ = missing("tapeviz.keras.models")
