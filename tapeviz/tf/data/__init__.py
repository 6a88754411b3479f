"""Arrays, generators or other datasets -> an iterable of elements, which begins anew at every iteration (`tf.data`).

- a dataset    `dataset`, the list of its methods, over its base, `pipeline`; `elements` and their `structures`; `spec`
- made from    `sources`, arrays and numbers; `generators`; `joins`, other datasets
- made into    `functions`, the results of a user's function, which `iterating` starts anew for each iteration;
               `predicates`; `grouping`; `batches`; `order`; `shuffling`
- how it runs  `running` and `options`, of which nearly all is without effect here
- its methods  `names`, a check of their argument `name`
- older names  `experimental`
"""

from tapeviz.tf.data import experimental
from tapeviz.tf.data.dataset import Dataset
from tapeviz.tf.data.options import Options, ThreadingOptions
from tapeviz.tf.data.pipeline import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from tapeviz.tf.data.spec import DatasetSpec
from tapeviz.tf.names import missing

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
__getattr__ = missing(__name__)
