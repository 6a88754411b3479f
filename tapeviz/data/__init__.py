"""Arrays, generators or other datasets -> an iterable of elements, remade at every iteration (`tf.data`).

`pipeline` is what a dataset is, `elements` what flows through it, and `structures` how that is taken apart; `sources`,
`generators` and `joins` where elements come from; `functions`, `batches`, `order` and `shuffling` what is done with
them; `dataset` is all of these together, `spec` what is known of elements; `running` and `options`, what TensorFlow is
told of how it runs; `experimental` has older names.
"""

from tapeviz.data import experimental
from tapeviz.data.dataset import Dataset
from tapeviz.data.options import Options, ThreadingOptions
from tapeviz.data.pipeline import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from tapeviz.data.spec import DatasetSpec
from tapeviz.engine.api import missing

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "Options",
    "ThreadingOptions",
    "experimental",
]
__getattr__ = missing("tapeviz.data")
