"""TensorFlow's `tf.autodiff`: the tape, which works backward, and the accumulator, which works forward."""

from tapeviz.engine.forward import ForwardAccumulator
from tapeviz.engine.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
