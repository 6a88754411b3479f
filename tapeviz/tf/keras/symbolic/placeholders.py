"""What stands for a tensor of which only shape and dtype are known, and the calls of layers on such placeholders."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.batch_length import batch_length
from tapeviz.engine.setting import Setting
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.tf.keras import naming

Lengths = tuple[int | None, ...]


class LayerCall:
    """A call of a layer on placeholders.

    Args:
        layer: the layer.
        args: the positional arguments.
        kwargs: the keyword arguments.
    """

    def __init__(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.layer = layer
        self.args = args
        self.kwargs = kwargs
        self.outputs: Any = None
        self.masks: list[KerasTensor] = []
        """The placeholders of the masks that it heeds besides, which Keras passes as arguments."""
        self.number = layer._placements_
        """How many calls of the layer there were before."""
        layer._placements_ += 1

    def place_of(self, output: KerasTensor) -> int:
        """The index of a placeholder among the outputs of the call."""
        return [id(each) for each in nest.flatten(self.outputs)].index(id(output))

    @property
    def inputs(self) -> list[KerasTensor]:
        """The placeholders among its arguments."""
        return [each for each in nest.flatten((self.args, self.kwargs)) if isinstance(each, KerasTensor)]

    @property
    def sources(self) -> list[KerasTensor]:
        """Its inputs, and the masks of those."""
        return [*self.inputs, *self.masks]


_NO_OPERAND = """\
A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic placeholder for a shape \
and dtype, used when constructing Keras Functional models or Keras Functions. You can only use it as input to a Keras \
layer or a Keras operation (from the namespaces `keras.layers` and `keras.ops`). You are likely doing something like:

```
x = Input(...)
...
tf_fn(x)  # Invalid.
```

What you should do instead is wrap `tf_fn` in a layer:

```
class MyLayer(Layer):
    def call(self, x):
        return tf_fn(x)

x = MyLayer()(x)
```
"""


def _settled(name: str) -> property:
    """An attribute that is settled when the placeholder is made."""

    def refuse(self: KerasTensor, value: Any) -> None:
        raise AttributeError(
            f"The `{name}` attribute of KerasTensor is immutable. One should create a new instance of KerasTensor for "
            "this."
        )

    return property(attrgetter(f"_{name}"), refuse)


class KerasTensor:
    """A placeholder for a tensor of a graph of layers.

    Args:
        shape: its shape, in which None stands for any length.
        dtype: its dtype.
        call: the call that returned it.
        name: its name.
    """

    _keras_mask: KerasTensor
    """The placeholder of the mask that the tensor will have, if it will have one."""
    sparse = ragged = False

    def __init__(
        self, shape: Any, dtype: Any = "float32", call: LayerCall | None = None, name: str | None = None
    ) -> None:
        self._shape: Lengths = tuple(shape)
        self._dtype: str = as_dtype(dtype).name
        self.call = call
        self.name = naming.named_after(self) if name is None else name

    shape = _settled("shape")
    dtype = _settled("dtype")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<KerasTensor shape={self.shape}, dtype={self.dtype}, sparse=False, ragged=False, name={self.name}>"

    def __iter__(self) -> Any:
        raise NotImplementedError("Iterating over a symbolic KerasTensor is not supported.")

    def __bool__(self) -> bool:
        raise TypeError("A placeholder, a keras.Input, has no truth value, no bool: it has no numbers yet.")

    def __float__(self) -> float:
        raise self._has_no_number("a float")

    def __int__(self) -> int:
        raise self._has_no_number("an int")

    def _has_no_number(self, wanted: str) -> ValueError:
        return ValueError(
            "A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have any actual "
            f"numerical value. You cannot convert it to {wanted}. It is {self!r}."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._has_no_number("a NumPy array")

    def __tf_tensor__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(_NO_OPERAND)


def shape_of(value: Any) -> Any:
    """The shape of a tensor or a placeholder; for a structure of them, the structure of shapes."""
    return nest.map_structure(_lengths_of, value)


def _lengths_of(value: Any) -> Lengths:
    shape: Lengths = tuple(getattr(value, "shape", ()))
    return (None, *shape[1:]) if shape and shape[0] == batch_length.get() else shape


def of_any_number(batch: Any) -> Setting:
    """A block in which the number of examples in a batch counts as unknown, in shapes and in errors.

    >>> import tapeviz as tf
    >>> batch = tf.zeros([5, 2])
    >>> with of_any_number(batch):
    ...     shape_of([batch, tf.zeros([2, 5])])
    [(None, 2), (2, 5)]
    """
    known = (shape_of(each) for each in nest.flatten(batch) if each is not None)
    return Setting(batch_length, next(iter(next(known, ())), None))


def is_symbolic(values: Any) -> bool:
    """Whether there is a placeholder in a structure."""
    return any(isinstance(each, KerasTensor) for each in nest.flatten(values))
