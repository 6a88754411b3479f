"""How TensorFlow would run a dataset: settings that are accepted, and change nothing here."""

from __future__ import annotations

from typing import Any, ClassVar


class OptionsBase:
    """The base of classes with a fixed set of attributes, which are None until they are set.

    Raises:
        AttributeError: another attribute is set.
        TypeError: an attribute is set to a value of another type.
    """

    types: ClassVar[dict[str, type]] = {}

    def __init__(self) -> None:
        self.__dict__.update(dict.fromkeys(self.types))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has {', '.join(sorted(self.__dict__))}."
            )
        if not isinstance(value, self.types[name]):
            raise TypeError(f'Property "{name}" must be of type {self.types[name]}, got: {value} (type: {type(value)})')
        self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class AutotuneOptions(OptionsBase):
    """Options for tuning in TensorFlow, which have no effect here (`tf.data.experimental.AutotuneOptions`)."""

    types: ClassVar[dict[str, type]] = {
        "autotune_algorithm": object,
        "enabled": bool,
        **dict.fromkeys(("cpu_budget", "initial_parallelism", "min_parallelism", "ram_budget"), int),
    }


class ThreadingOptions(OptionsBase):
    """Options for threads in TensorFlow, which have no effect here (`tf.data.ThreadingOptions`)."""

    types: ClassVar[dict[str, type]] = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class OptimizationOptions(OptionsBase):
    """Options for optimizations, which have no effect here (`tf.data.experimental.OptimizationOptions`)."""

    types: ClassVar = dict.fromkeys(
        (
            *("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch"),
            *("map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization"),
            *("noop_elimination", "parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion"),
        ),
        bool,
    )


class Options(OptionsBase):
    """The argument of `dataset.with_options`, which has no effect here (`tf.data.Options`).

    >>> options = Options()
    >>> options.threading.private_threadpool_size = 2
    >>> options.deterministic is None, options == Options()
    (True, False)
    """

    types: ClassVar[dict[str, type]] = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "experimental_external_state_policy": object,
        "experimental_optimization": OptimizationOptions,
        "experimental_threading": ThreadingOptions,
        "framework_type": list,
        "threading": ThreadingOptions,
        **dict.fromkeys(("deterministic", "experimental_deterministic", "experimental_slack"), bool),
        **dict.fromkeys(("experimental_symbolic_checkpoint", "experimental_warm_start"), bool),
    }

    def __init__(self) -> None:
        super().__init__()
        threading = ThreadingOptions()
        self.__dict__.update(threading=threading, experimental_threading=threading, autotune=AutotuneOptions())
        self.__dict__.update(experimental_optimization=OptimizationOptions())
