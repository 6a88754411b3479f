"""`tf.linalg`: matrices."""

from tapeviz.engine.api import exports, missing

globals().update(exports("linalg"))
__all__ = sorted(exports("linalg"))
__getattr__ = missing("tapeviz.linalg")
