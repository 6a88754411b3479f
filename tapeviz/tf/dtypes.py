"""`tf.dtypes`: the dtype objects, and what is done with them."""

from tapeviz.engine.functions.exports import exports
from tapeviz.engine.specs.dtypes import DTYPES, DType, as_dtype
from tapeviz.tf.names import missing

_NAMES = {"DType": DType, "as_dtype": as_dtype} | DTYPES | exports("dtypes")

globals().update(_NAMES)
__all__ = sorted(_NAMES)
__getattr__ = missing(__name__)
