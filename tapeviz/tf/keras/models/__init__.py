"""`tf.keras.models`: models made of layers.

- the model    `model`; `graph_model`, between placeholders, of which there are two kinds, `functional` and
               `sequential`; `submodels`, which begin inside another one; `summary`, its table; `cloning`;
               `serialization`, its config; `saving`, which is not supported
- training     `training`, and the `steps` it is made of; `batches` of the data, with `class_weights`; `compile_loss`
               and `compile_metrics`, the arguments of `compile`, and the `outputs` that they are for; `batch_shapes`,
               and the error for one that does not fit; `step_graphs`, what the graph of a step knows, and undoes
"""

from tapeviz.tf.keras.models.cloning import clone_model
from tapeviz.tf.keras.models.functional import Functional as Functional  # which registers itself with `Model`
from tapeviz.tf.keras.models.model import Model
from tapeviz.tf.keras.models.sequential import Sequential
from tapeviz.tf.names import missing

__all__ = ["Model", "Sequential", "clone_model"]
__getattr__ = missing(__name__)
