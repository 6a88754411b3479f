"""True and predicted values of a batch -> one loss: those of its examples, their mean or their sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.functions.exports import EXPORTS as tf
from tapeviz.tf.keras import naming
from tapeviz.tf.keras.dtype_policy import dtype_told
from tapeviz.tf.keras.floats import floatx
from tapeviz.tf.keras.losses.operands import convert_to_tensor, masked_weights, same_rank
from tapeviz.tf.keras.masks import both, mask_of
from tapeviz.tf.keras.scopes import scope
from tapeviz.tf.keras.serialization import Configured, OfFunction

MEAN = "sum_over_batch_size"
REDUCTIONS = frozenset((MEAN, "sum", "mean", "mean_with_sample_weight", "none", None))


class Reduction:
    """The names of reductions in programs for earlier versions of Keras (`tf.keras.losses.Reduction`)."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = MEAN

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All of them."""
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: str) -> None:
        """Check that a name is one of them.

        Raises:
            ValueError: it is not.
        """
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key: {key}. Expected keys are "{cls.all()}"')


class Loss(Configured):
    """The loss of a batch (`tf.keras.losses.Loss`). Subclasses define `call(y_true, y_pred)`, the loss of each example.

    Args:
        name: the name of the loss.
        reduction: how the losses of the examples are combined: "sum_over_batch_size" or "mean" for their mean; "sum";
            "mean_with_sample_weight" for their sum, divided by that of the weights; "none" or None for the losses
            themselves.
        dtype: the dtype that it is computed in.

    Raises:
        ValueError: an unknown reduction.
        TypeError: a tensor or an array instead of a reduction.

    >>> import tapeviz as tf
    >>> float(tf.keras.losses.MeanSquaredError()(tf.constant([0.0, 2.0]), tf.constant([0.0, 0.0])))
    2.0
    """

    _module_ = "keras.losses"
    _settings_: ClassVar[tuple[str, ...]] = ("name", "reduction")

    def __init__(self, name: str | None = None, reduction: str | None = MEAN, dtype: Any = None) -> None:
        self.name = name or naming.named_after(self)
        named = reduction is None or isinstance(reduction, str)
        first = "" if named else f". Make the loss first, then call it: {type(self).__name__}()(y_true, y_pred)."
        try:
            known = reduction in REDUCTIONS
        except TypeError as error:
            raise TypeError(f"{str(error).removesuffix('.')}{first}") from None
        if not known:
            raise ValueError(
                f"Invalid value for argument `reduction`. Expected one of {set(REDUCTIONS)}. "
                f"Received: reduction={reduction}{first}"
            )
        self.reduction = reduction
        self.dtype = dtype_told(dtype or floatx()).name

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        raise NotImplementedError(f"{type(self).__name__} must define call(self, y_true, y_pred).")

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        name = naming.checked(self.name)
        wanted, predicted = self._taken_(y_true, y_pred)
        with scope(name, type(self).__name__):
            each = self.call(wanted, predicted)
            losses = convert_to_tensor(each, self.dtype)
            weights = None if sample_weight is None else convert_to_tensor(sample_weight, self.dtype)
            mask = both(mask_of(y_pred), mask_of(each))
            if mask is not None and self.reduction in (MEAN, "mean"):
                counted = tf["cast"](mask, self.dtype)
                mask = counted * tf["math.divide_no_nan"](float(mask._value.size), tf["reduce_sum"](counted))
            weights = masked_weights(mask, weights, self.dtype)
            if weights is not None:
                losses, weights = same_rank(losses, weights)
                losses = losses * weights
            return self._reduced_(losses, weights)

    def _taken_(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        """True and predicted values as the arguments of `call`: tensors, or structures of tensors."""

        def taken(values: Any) -> Any:
            return nest.map_structure(lambda each: convert_to_tensor(each, self.dtype), values)

        predicted = taken(y_pred)  # first, as Keras, which refuses the first that is no number
        return taken(y_true), predicted

    def _reduced_(self, losses: Any, weights: Any) -> Any:
        if self.reduction in (None, "none") or tuple(losses.shape) in ((), (0,)):
            return losses
        total = tf["reduce_sum"](losses)
        if self.reduction == "sum":
            return total
        weighted = self.reduction == "mean_with_sample_weight" and weights is not None
        count = tf["reduce_sum"](weights) if weighted else float(losses._value.size)
        return tf["math.divide_no_nan"](total, count)


def _nesting(value: Any) -> Any:
    """The structure of a value, with None for its leaves."""
    return (type(value), [_nesting(each) for each in value]) if nest.is_nested(value) else None


def _unlike(y_true: Any, y_pred: Any, dtype: Any) -> str:
    """The sentence about two different structures; their last parts are compared first."""
    asked = [(y_true, y_pred)]
    while asked:
        wanted, given = asked.pop()
        if not nest.is_nested(wanted):
            continue
        kind, found = type(wanted).__name__, nest.map_structure(lambda each: convert_to_tensor(each, dtype), given)
        if type(given) is not type(wanted):
            return f"Expected an instance of {kind}, got {found!r}."
        if len(wanted) != len(given):
            return f"{kind} arity mismatch; expected: {len(wanted)}, got: {len(given)}; {kind}: {found!r}."
        asked += zip(wanted, given, strict=True)
    return "Structures don't have the same nested structure."


class LossFunction(OfFunction, Loss):
    """A loss that calls a function of `(y_true, y_pred)` with further options."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str | None = None,
        reduction: str | None = MEAN,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self._function, self._options = function, options

    @property
    def fn(self) -> Callable[..., Any]:
        """The function, under the name that it has in Keras."""
        return self._function

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self._function}, kwargs={self._options})>"

    def _taken_(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        """True and predicted values as one tensor each.

        Raises:
            ValueError: their structures differ.
        """
        predicted, wanted = convert_to_tensor(y_pred, self.dtype), convert_to_tensor(y_true, self.dtype)
        if _nesting(y_true) != _nesting(y_pred):
            raise ValueError(
                f"{_unlike(y_true, y_pred, self.dtype)} In {self.name} the labels are {y_true!r}: no structure of the "
                "same shape. Make both of them tensors: tf.constant(...)."
            )
        return wanted, predicted

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return self._function(*same_rank(y_true, y_pred), **self._options)
