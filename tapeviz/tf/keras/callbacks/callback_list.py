"""The callbacks of a model, called one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.tf.keras.callbacks.base import Callback, History
from tapeviz.tf.keras.callbacks.logs import Logs, numbers
from tapeviz.tf.keras.callbacks.progress import ProgbarLogger


class CallbackList:
    """The callbacks of a model, called one after the other (`tf.keras.callbacks.CallbackList`).

    Args:
        callbacks: a callback, or a structure of callbacks.
        add_history: whether to add a `History`, if there is none.
        add_progbar: whether to add a `ProgbarLogger`, if there is none.
        model: the model.
        params: the options for `set_params`.

    Raises:
        AttributeError: something is not a callback.
    """

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: Any = None,
        **params: Any,
    ) -> None:
        self.callbacks: list[Any] = [] if callbacks is None else nest.flatten(callbacks)
        for each in self.callbacks:
            if not hasattr(each, "set_model"):
                raise AttributeError(
                    f"{type(each).__name__!r} object has no attribute 'set_model': `callbacks` takes objects like "
                    f"those of tf.keras.callbacks, and got {each!r}."
                )
        self.is_heard = bool(self.callbacks)
        """Whether there are callbacks of the user's, which need the logs of each batch as numbers."""
        if add_progbar and not any(isinstance(each, ProgbarLogger) for each in self.callbacks):
            self.callbacks.append(ProgbarLogger())
        self._counting = [each for each in self.callbacks if isinstance(each, ProgbarLogger)]
        if add_history and not any(isinstance(each, History) for each in self.callbacks):
            self.callbacks.append(History())
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    def append(self, callback: Any) -> None:
        """Add a callback at the end."""
        self.callbacks.append(callback)
        self.is_heard = True

    def set_params(self, params: Logs) -> None:
        """Set the options of all callbacks."""
        self.params = params
        for each in self.callbacks:
            each.set_params(params)

    def set_model(self, model: Any) -> None:
        """Set the model of all callbacks."""
        for each in self.callbacks:
            each.set_model(model)

    def tell(self, hook: str, *place: int, logs: Logs | None = None) -> None:
        """Call a hook of all callbacks with the index of the batch or epoch, and the logs as numbers."""
        of_batch = "_batch_" in hook
        heard_by = self.callbacks if self.is_heard or not of_batch else self._counting
        logs = logs or {}
        logs = logs if "predict" in hook or heard_by is self._counting else numbers(logs)
        for each in heard_by:
            if of_batch:
                getattr(each, hook)(*place, logs=logs)
            else:
                getattr(each, hook)(*place, logs)

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not hasattr(Callback, name) or not name.startswith("on_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return lambda *args, **kwargs: self._called(name, *args, **kwargs)

    def _called(self, hook: str, *args: Any, logs: Logs | None = None) -> None:
        """Call a hook of all callbacks, with the logs as positional or keyword argument as in Keras."""
        place, given = (args[:1], args[1:]) if "_batch_" in hook or "_epoch_" in hook else ((), args)
        self.tell(hook, *place, logs=given[0] if given else logs)
