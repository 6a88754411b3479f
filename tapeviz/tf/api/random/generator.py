"""Sources of random numbers that have a state of their own (`tf.random.Generator`)."""

from __future__ import annotations

from math import prod
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.array.conversions import cast
from tapeviz.engine.functions.exports import export
from tapeviz.engine.kernels.philox import RESERVED, Philox, skipped
from tapeviz.engine.nest import map_structure
from tapeviz.engine.op_errors.require import require
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.variable import Variable
from tapeviz.engine.values.constant import make
from tapeviz.errors import UnimplementedError
from tapeviz.tf.api.random import sampling

_one_thread = Lock()
"""Held while a state is read and moved on, so that no two calls draw the same numbers."""
_WORDS = 3
"""How many numbers a state has: the two halves of the count, and the key."""


@export("random.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator that starts with a seed.

    Args:
        seed: an integer of any size, or a vector of up to three numbers.
        alg: the algorithm; "philox" or "auto_select".

    Returns:
        A vector of three int64.

    Raises:
        UnimplementedError: the seed is a string.

    >>> create_rng_state(1, "philox").numpy()
    array([1, 0, 0])
    """
    sampling.algorithm(alg)
    if isinstance(seed, int):
        words = [seed >> shift & 2**64 - 1 for shift in (0, 64, 128)]
        return make(np.array(words, np.uint64).view(np.int64))
    given = tensor_of(seed)
    if given.dtype.name == "string":
        raise UnimplementedError(f"Cast string to int64 is not supported. A seed is a number, not {seed!r}.")
    last = cast(given, "int64")._value.reshape(-1)[:_WORDS]
    return make(np.concatenate([np.zeros(_WORDS - len(last), np.int64), last]))


def _words(value: Any, shape: tuple[int, ...]) -> Any:
    """Numbers of a state, of a shape.

    Raises:
        ValueError: another shape.
    """
    found = cast(value, "int64")
    found.shape.assert_is_compatible_with([*shape])
    return found._value


_ONE_BOUND = (
    "For integer dtype {!s}, minval and maxval must be both `None` or both non-`None`; got minval={} and maxval={}"
)


@export("random.Generator", "random.experimental.Generator")
class Generator:
    """A source of random numbers with a state of its own, independent of `tf.random.set_seed`.

    Args:
        copy_from: a generator whose state is copied.
        state: the state to start with: three numbers, of which the first two are a count, and the last is a key. A
            variable is used as the state itself.
        alg: the algorithm of `state`; "philox" or "auto_select".

    Raises:
        AssertionError: neither `copy_from` nor both of `state` and `alg` are given, or all of them.
        ValueError: the state has another shape, or the algorithm is unknown.

    >>> import tapeviz as tf
    >>> a, b = (tf.random.Generator.from_seed(3) for _ in range(2))
    >>> bool(tf.reduce_all(a.normal([2]) == b.normal([2])))
    True
    >>> a.state
    <tf.Variable 'StateVar:0' shape=(3,) dtype=int64, numpy=array([515,   0,   0])>
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None and alg is None) or (state is None) != (alg is None):
            raise AssertionError(  # TensorFlow's class for this
                "Generator: give `copy_from`, or `state` and `alg`; or write Generator.from_seed(seed)."
            )
        if copy_from is not None:
            state, alg = copy_from.state, copy_from.algorithm
        self._algorithm = sampling.algorithm(alg)
        words = _words(state, (_WORDS,))
        shared = copy_from is None and isinstance(state, Variable) and state.dtype.name == "int64"
        self._state = state if shared else Variable(words, trainable=False, name="StateVar", dtype="int64")

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that starts with the `state` of another one."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that starts with a seed: an integer of any size, or up to three numbers."""
        alg = "philox" if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that starts with a random state."""
        words = np.random.default_rng().integers(-(2**63), 2**63 - 1, _WORDS)
        return cls(state=words, alg="philox" if alg is None else alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that starts with a key, which is one number, and a count, which is two."""
        return cls(state=_of_key(key, counter), alg=alg)

    # ----- the state -----

    @property
    def state(self) -> Variable:
        """The state: a variable of three numbers, of which the first two are a count, and the last is a key."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm in `tf.random.Algorithm`."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key of the state, a scalar tensor."""
        return make(self._state._value[-1])

    def reset(self, state: Any) -> None:
        """Set the state.

        Raises:
            ValueError: the state does not have three numbers.
        """
        self._state.assign(_words(state, (_WORDS,)))

    def reset_from_seed(self, seed: Any) -> None:
        """Set the state to that of a new generator with this seed."""
        self.reset(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Set the state to a key and a count."""
        self.reset(_of_key(key, counter))

    def skip(self, delta: Any) -> Tensor:
        """Skip as many random numbers as a call that draws `delta` of them uses.

        Returns:
            The state before.
        """
        before, numbers = make(self._state._value), tensor_of(delta)
        require(not numbers.ndim, f"input 2 (0-based) must have shape [], not {listed(numbers.shape)}. In skip.")
        self._ahead(int(cast(numbers, "int64")))
        return before

    def _ahead(self, size: int) -> Philox:
        """The stream for a call that draws so many numbers; the state is behind what is kept for it."""
        with _one_thread:
            state = self._state._value
            self._state._value = skipped(state, RESERVED * size)
        return Philox.of_state(state.tolist())

    # ----- other generators -----

    def make_seeds(self, count: Any = 1) -> Tensor:
        """Random seeds for stateless functions.

        Returns:
            A matrix of two rows with a seed in each column.
        """
        drawn = self.uniform_full_int([count], "int64")._value
        return make(np.stack([drawn, np.zeros_like(drawn)]))

    def split(self, count: int = 1) -> list[Generator]:
        """Generators that are independent of this one and of each other."""
        keys = self.make_seeds(count)._value[0]
        return [type(self)(state=[0, 0, int(key)], alg=self._algorithm) for key in keys]

    # ----- numbers -----

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers, as by `tf.random.normal`."""
        return sampling.normal_from(lambda: self._for(shape), shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Normally distributed numbers within two standard deviations, as by `tf.random.truncated_normal`."""
        return sampling.normal_from(lambda: self._for(shape), shape, mean, stddev, dtype, truncated=True)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = "float32", name: str | None = None
    ) -> Any:
        """Uniformly distributed numbers, as by `tf.random.uniform`; integers without bounds from all of their dtype."""
        sampling.require_bounds(minval, maxval, dtype, _ONE_BOUND)
        return sampling.bounded_from(lambda: self._for(shape), shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: Any, dtype: Any = "uint64", name: str | None = None) -> Any:
        """Integers, drawn from all of their dtype.

        Raises:
            InvalidArgumentError: the dtype is not an integer one of 32 or 64 bits.
        """
        return sampling.integers_from(self._for(shape), shape, dtype)

    def binomial(self, shape: Any, counts: Any, probs: Any, dtype: Any = "int32", name: str | None = None) -> Any:
        """Numbers of successes in independent trials.

        Args:
            shape: the shape of the result, which ends with that of `counts` and `probs`.
            counts: the numbers of trials.
            probs: the probabilities of success, of the same dtype.
            dtype: the dtype of the result.

        Raises:
            InvalidArgumentError: `counts` and `probs` have different dtypes or are integers, or the shape does not fit.
        """
        _, chances, samples = sampling.pairs_of(shape, counts, probs)
        reserved = _RESERVED_FOR_COUNTS * len(chances) * (samples + _MORE)
        return sampling.binomial_from(self._ahead(reserved), shape, counts, probs, dtype)

    def _for(self, shape: Any) -> Philox:
        return self._ahead(prod(sampling.dims(shape)))


_RESERVED_FOR_COUNTS, _MORE = 50, 3
"""How many numbers are kept for each sample of a binomial distribution, and for how many more samples of each pair."""


def _of_key(key: Any, counter: Any) -> Any:
    """A state."""
    last = _words(_signed(key), ())
    return np.array([*_words(map_structure(_signed, counter), (_WORDS - 1,)), last])


def _signed(value: Any) -> Any:
    """A number of 64 bits as the signed integer of these bits."""
    return np.uint64(value).view(np.int64) if isinstance(value, int) and value >= 2**63 else value


class _Global:
    """The generator of those who make none."""

    generator: ClassVar[Generator | None] = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The generator that all parts of a program share. Unless one was set, it starts with a random state.

    >>> get_global_generator() is get_global_generator()
    True
    """
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Set the generator that `tf.random.get_global_generator` returns.

    >>> set_global_generator(Generator.from_seed(1))
    >>> get_global_generator().state.numpy()
    array([1, 0, 0])
    """
    _Global.generator = generator
