"""True and predicted values of a batch -> one loss: a function of `functions`, its mean or its sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.api import EXPORTS as tf
from tapeviz.engine.dtypes import as_dtype
from tapeviz.keras import naming
from tapeviz.keras.configuration import Configured
from tapeviz.keras.floats import floatx
from tapeviz.keras.losses import functions
from tapeviz.keras.losses.functions import heeding, same_rank, typed
from tapeviz.keras.masks import mask_of
from tapeviz.keras.scopes import scope

MEAN = "sum_over_batch_size"
REDUCTIONS = (MEAN, "sum", "mean", "mean_with_sample_weight", "none", None)


class Loss(Configured):
    """The loss of a batch (`tf.keras.losses.Loss`): subclass it with `call(y_true, y_pred)`, a loss per example.

    Args:
        reduction: "sum_over_batch_size" (the mean), "sum", or None for the losses per example.

    Raises:
        ValueError: an unknown reduction.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """

    module = "keras.losses"
    settings: ClassVar[tuple[str, ...]] = ("name", "reduction")

    def __init__(self, name: str | None = None, reduction: str | None = MEAN, dtype: Any = None) -> None:
        if reduction not in REDUCTIONS:
            raise ValueError(
                f"Invalid value for argument `reduction`. Expected one of {REDUCTIONS}. Received: reduction={reduction}"
            )
        self.name = naming.named_after(self) if name is None else name
        self.reduction = reduction
        self.dtype = as_dtype(dtype or floatx()).name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        raise NotImplementedError(f"{type(self).__name__} must define call(self, y_true, y_pred).")

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if _nesting(y_true) != _nesting(y_pred):
            raise ValueError(
                f"Expected an instance of {type(y_true).__name__}, got {y_pred!r}. In {self.name} the labels are "
                f"{y_true!r}: no structure of the same shape. Make both of them tensors: tf.constant(...)."
            )
        with scope(self.name):
            losses = typed(self.call(typed(y_true, self.dtype), typed(y_pred, self.dtype)), self.dtype)
            weights = None if sample_weight is None else typed(sample_weight, self.dtype)
            mask = self._counted(y_true, y_pred, losses)
            if mask is not None and self.reduction in (MEAN, "mean"):
                counted = typed(mask, self.dtype)
                mask = counted * tf["math.divide_no_nan"](float(mask._value.size), tf["reduce_sum"](counted))
            weights = heeding(mask, weights, self.dtype)
            if weights is not None:
                losses, weights = same_rank(losses, weights)
                losses = losses * weights
            return self._reduced(losses, weights)

    def _counted(self, y_true: Any, y_pred: Any, losses: Any) -> Any:
        """What the mask of the predictions and the loss itself let count; None for everything."""
        mask, kept = mask_of(y_pred), self.kept(y_true)
        if kept is None:
            return mask
        kept = tf["reshape"](kept, losses.shape)
        return kept if mask is None else tf["logical_and"](mask, kept)

    def kept(self, y_true: Any) -> Any:
        """Which examples count; None for all of them."""
        return None

    def _reduced(self, losses: Any, weights: Any) -> Any:
        if self.reduction in (None, "none") or not losses.ndim:
            return losses
        total = tf["reduce_sum"](losses)
        if self.reduction == "sum":
            return total
        weighted = self.reduction == "mean_with_sample_weight" and weights is not None
        count = tf["reduce_sum"](weights) if weighted else float(losses._value.size)
        return tf["math.divide_no_nan"](total, count)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _nesting(value: Any) -> Any:
    """How lists lie in each other; a tensor or a number is None."""
    return [_nesting(each) for each in value] if nest.is_nested(value) else None


class LossFunction(Loss):
    """A function of `(y_true, y_pred)` as a loss, with options that it is called with."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        reduction: str | None = MEAN,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self.function, self.options = function, options

    def get_config(self) -> dict[str, Any]:
        """The arguments that it was made with; of a function's options, those that `settings` names."""
        return {name: self.options[name] if name in self.options else getattr(self, name) for name in self.settings}

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.function}, kwargs={self.options})>"

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self.function(*same_rank(y_true, y_pred), **self.options)


class MeanSquaredError(LossFunction):
    """The mean of the squared differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_error, name, reduction, dtype)


class MeanAbsoluteError(LossFunction):
    """The mean of the absolute differences.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanAbsoluteError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    1.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_error, name, reduction, dtype)


class Huber(LossFunction):
    """Half the square of a difference up to `delta`, a straight line beyond it; the mean.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Huber()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    0.75
    """

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = MEAN,
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.huber, name, reduction, dtype, delta=delta)


class Hinge(LossFunction):
    """The mean of max(1 - y_true y_pred, 0), for labels -1 and 1, or 0 and 1.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.Hinge()(tf.constant([-1.0, 1.0]), tf.constant([0.5, 0.5])))
    1.0
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.hinge, name, reduction, dtype)


class KLDivergence(LossFunction):
    """The mean over the examples of the sum of y_true log(y_true / y_pred).

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.KLDivergence()(tf.constant([[0.5, 0.5]]), tf.constant([[0.25, 0.75]]))), 4)
    0.1438
    """

    def __init__(
        self,
        reduction: str | None = MEAN,
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.kl_divergence, name, reduction, dtype)


class BinaryCrossentropy(LossFunction):
    """The mean of -y log(p) - (1 - y) log(1 - p); `from_logits` says that p = sigmoid(y_pred).

    >>> import tapeviz as tf
    >>> round(
    ...     float(
    ...         tf.keras.losses.BinaryCrossentropy(from_logits=True)(tf.constant([0.0, 1.0]), tf.constant([0.0, 0.0]))
    ...     ),
    ...     4,
    ... )
    0.6931
    """

    settings = (*Loss.settings, "from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.binary_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(LossFunction):
    """The mean of -sum(y log(p)), for one-hot labels; `from_logits` says that p = softmax(y_pred).

    >>> import tapeviz as tf
    >>> round(float(tf.keras.losses.CategoricalCrossentropy()(tf.constant([[0.0, 1.0]]), tf.constant([[0.5, 0.5]]))), 4)
    0.6931
    """

    settings = (*Loss.settings, "from_logits", "label_smoothing", "axis")

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = MEAN,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.categorical_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(LossFunction):
    """The mean of -log(p) of the right class, for labels that are class numbers.

    >>> import tapeviz as tf
    >>> round(
    ...     float(
    ...         tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
    ...             tf.constant([1]), tf.constant([[0.0, 0.0]])
    ...         )
    ...     ),
    ...     4,
    ... )
    0.6931
    """

    settings = (*Loss.settings, "from_logits", "ignore_class")

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = MEAN,
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.sparse_categorical_crossentropy,
            name,
            reduction,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )

    def kept(self, y_true: Any) -> Any:
        ignored = self.options["ignore_class"]
        return None if ignored is None else typed(y_true, "int64") != ignored
