"""How TensorFlow would run a dataset -> settings that are kept, and change nothing here."""

from __future__ import annotations

from typing import Any


class Settings:
    """Attributes of known names, None until they are set.

    Raises:
        AttributeError: a name that is none of them is set.
    """

    names: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.__dict__.update(dict.fromkeys(self.names))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.__dict__:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has {', '.join(sorted(self.__dict__))}."
            )
        self.__dict__[name] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class AutotuneOptions(Settings):
    """How TensorFlow would find out what is fastest (`tf.data.experimental.AutotuneOptions`)."""

    names = ("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism", "min_parallelism", "ram_budget")


class ThreadingOptions(Settings):
    """How many threads TensorFlow would take (`tf.data.ThreadingOptions`)."""

    names = ("max_intra_op_parallelism", "private_threadpool_size")


class OptimizationOptions(Settings):
    """What TensorFlow would do at once (`tf.data.experimental.OptimizationOptions`)."""

    names = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization", "inject_prefetch"),
        *("map_and_batch_fusion", "map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination"),
        *("parallel_batch", "seq_interleave_prefetch", "shuffle_and_repeat_fusion"),
    )


class Options(Settings):
    """What `dataset.with_options` is told (`tf.data.Options`): it is kept, and the elements are the same.

    >>> options = Options()
    >>> options.threading.private_threadpool_size = 2
    >>> options.deterministic is None, options == Options()
    (True, False)
    """

    names = (
        *("dataset_name", "deterministic", "experimental_deterministic", "experimental_external_state_policy"),
        *("experimental_slack", "experimental_symbolic_checkpoint", "experimental_warm_start", "framework_type"),
    )

    def __init__(self) -> None:
        super().__init__()
        threading = ThreadingOptions()
        self.__dict__.update(threading=threading, experimental_threading=threading, autotune=AutotuneOptions())
        self.__dict__.update(experimental_optimization=OptimizationOptions())
