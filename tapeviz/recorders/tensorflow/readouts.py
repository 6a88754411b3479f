"""A value leaves TensorFlow for Python or NumPy -> its record."""

from __future__ import annotations

from functools import partial
from typing import Any

from tensorflow.python.framework import ops as framework_ops
from tensorflow.python.ops import resource_variable_ops
from tensorflow.python.util import nest

from tapeviz.events.types import AN_INDEX, TRUTH, ReadOut
from tapeviz.recorders.hooks import When
from tapeviz.recorders.keras import in_keras
from tapeviz.recorders.patches import Row
from tapeviz.recorders.tensorflow import buffers
from tapeviz.recorders.tensorflow.ops import Ops

SPELLINGS = {
    "numpy": ".numpy()",
    "__array__": "np.asarray()",
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
    "__bool__": TRUTH,
    "__index__": AN_INDEX,
}
"""The methods by which a tensor gives its value away, and how the user spells them."""
VARIABLES = ("numpy", "__array__", "__float__", "__int__", "__complex__")
"""Those of them that a variable has of its own."""
PREDICT = ("predict", "predict_on_batch")
"""The methods of a model of Keras' that give arrays."""


class ReadOuts:
    """Records when a value leaves tensors and variables for Python or NumPy, as by `.numpy()`."""

    def __init__(self, ops: Ops) -> None:
        self._ops = ops
        self._session = ops.session

    def rows(self) -> list[Row]:
        """Hooks at the methods of eager tensors and of variables, and at NumPy's access to the memory of tensors."""
        recording = When(lambda: self._ops.is_recording)
        tensor, variable = framework_ops._EagerTensorBase, resource_variable_ops.BaseResourceVariable
        trainers = in_keras("backend.tensorflow.trainer", "TensorFlowTrainer")
        return [
            *(recording.before(tensor, each, partial(self._read, how)) for each, how in SPELLINGS.items()),
            *(recording.instead(variable, each, partial(self._read_variable, SPELLINGS[each])) for each in VARIABLES),
            *(recording.before(each, "__getitem__", self._indexed) for each in (tensor, variable)),
            *(recording.before(each, name, self._predicting) for each in trainers for name in PREDICT),
            *buffers.rows(self._note_buffer),
        ]

    def _read(self, how: str, tensor: Any, *args: Any, **more: Any) -> None:
        self._note(tensor, how)

    def _read_variable(self, how: str, read: Any, variable: Any, *args: Any, **more: Any) -> Any:
        self._session.note(ReadOut, None, self._ops.ledger.accessed(variable), None, how)
        with self._ops.unrecorded():
            return read(variable, *args, **more)

    def _indexed(self, tensor: Any, key: Any, *args: Any, **more: Any) -> None:
        for each in key if isinstance(key, (tuple, list)) else (key,):
            for end in (each.start, each.stop, each.step) if isinstance(each, slice) else (each,):
                if isinstance(end, framework_ops.EagerTensor) and not end.shape.rank:
                    self._note(end, AN_INDEX)

    def _predicting(self, model: Any, x: Any = None, *args: Any, **more: Any) -> None:
        for each in nest.flatten(x):
            if isinstance(each, framework_ops.EagerTensor):
                self._note(each, ".predict()")

    def _note_buffer(self, tensor: Any) -> None:
        """NumPy reads the memory of a tensor. This is called from C, so it must not raise an exception."""
        try:
            if self._ops.is_recording:
                self._note(tensor, "np.asarray()")
        except Exception as error:
            self._session.missed("a tensor read by NumPy", error)

    def _note(self, tensor: Any, how: str) -> None:
        """A tensor was read out. It is not noted if it is a number of the user's."""
        entry = self._ops.ledger.entry(tensor, self._session.enter())
        if type(entry) is int:
            self._session.note(ReadOut, None, entry, None, how)
