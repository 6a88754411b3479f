"""A value leaves TensorFlow for Python or NumPy -> its record."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tensorflow.python.framework import ops as framework_ops
from tensorflow.python.ops import resource_variable_ops
from tensorflow.python.util import nest

from tapeviz.events.types import AN_INDEX, ReadOut
from tapeviz.recorders.patches import Patches
from tapeviz.recorders.tensorflow import buffers
from tapeviz.recorders.tensorflow.ops import Ops

SPELLINGS = {
    "numpy": ".numpy()",
    "__array__": "np.asarray()",
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
    "__bool__": "bool()",
    "__index__": AN_INDEX,
}
"""The methods by which a tensor gives its value away, and how the user spells them."""


class ReadOuts:
    """Notices what is read out of tensors and variables."""

    def __init__(self, ops: Ops) -> None:
        self._ops = ops
        self._session = ops.session

    def install(self, patches: Patches) -> None:
        """Watch the methods of eager tensors, and those of variables, which read through a copy."""
        for method, how in SPELLINGS.items():
            patches.wrap(framework_ops._EagerTensorBase, method, self._reading(how))
        for method in ("numpy", "__array__", "__float__", "__int__", "__complex__"):
            patches.wrap(resource_variable_ops.BaseResourceVariable, method, self._reading_variable(SPELLINGS[method]))
        for owner in (framework_ops._EagerTensorBase, resource_variable_ops.BaseResourceVariable):
            patches.wrap(owner, "__getitem__", self._indexing)
        buffers.install(patches, self._note_buffer)
        keras = sys.modules.get("keras.src.backend.tensorflow.trainer")
        if keras is not None:
            for method in ("predict", "predict_on_batch"):
                patches.wrap(keras.TensorFlowTrainer, method, self._predicting)

    def _reading(self, how: str) -> Callable[[Any], Any]:
        def hooked(read: Any) -> Any:
            def reading(tensor: Any, *args: Any, **more: Any) -> Any:
                if self._ops.is_recording:
                    self._note(tensor, how)
                return read(tensor, *args, **more)

            return reading

        return hooked

    def _reading_variable(self, how: str) -> Callable[[Any], Any]:
        def hooked(read: Any) -> Any:
            def reading(variable: Any, *args: Any, **more: Any) -> Any:
                if not self._ops.is_recording:
                    return read(variable, *args, **more)
                self._session.note(ReadOut, None, self._ops.ledger.accessed(variable), None, how)
                with self._ops.unrecorded():
                    return read(variable, *args, **more)

            return reading

        return hooked

    def _indexing(self, pick: Any) -> Any:
        def picking(tensor: Any, key: Any, *args: Any, **more: Any) -> Any:
            if self._ops.is_recording:
                for each in key if isinstance(key, (tuple, list)) else (key,):
                    for end in (each.start, each.stop, each.step) if isinstance(each, slice) else (each,):
                        if isinstance(end, framework_ops.EagerTensor) and not end.shape.rank:
                            self._note(end, AN_INDEX)
            return pick(tensor, key, *args, **more)

        return picking

    def _predicting(self, predict: Any) -> Any:
        def predicting(model: Any, *args: Any, **more: Any) -> Any:
            if self._ops.is_recording:
                for each in nest.flatten(args[0] if args else more.get("x")):
                    if isinstance(each, framework_ops.EagerTensor):
                        self._note(each, ".predict()")
            return predict(model, *args, **more)

        return predicting

    def _note_buffer(self, tensor: Any) -> None:
        """NumPy has the tensor's memory; this is called from C, which no exception can pass."""
        try:
            if self._ops.is_recording:
                self._note(tensor, "np.asarray()")
        except Exception as error:
            self._session.missed("a tensor read by NumPy", error)

    def _note(self, tensor: Any, how: str) -> None:
        """A tensor was read out; what the log knows as a number of the user's is none."""
        entry = self._ops.ledger.entry(tensor, self._session.enter())
        if type(entry) is int:
            self._session.note(ReadOut, None, entry, None, how)
