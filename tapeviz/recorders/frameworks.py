"""The name of a framework -> its recorder; which frameworks there are, and which of their versions."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from tapeviz.events import BackwardStarted, Event, EventLog, GradientUnseen, OpRecorded, OpSkipped, TapeOpened
from tapeviz.recorders.base import Recorder, RecordOptions


@dataclass(frozen=True)
class Framework:
    """A library of tensors whose programs can be recorded: which module it is, its recorder, the versions tested.

    `module` is what a program imports, `recorder` the module here whose `recorder(options)` makes a `Recorder`. It was
    tested with every version from the `oldest` to the `newest`, which are named without the number of a patch. Texts
    call it by its `title`. If not each op of it is recorded, `nothing` says what it has not done where nothing was.
    """

    module: str
    recorder: str
    distributions: tuple[str, ...]
    oldest: str
    newest: str
    title: str = ""
    nothing: str = ""

    def open(self, options: RecordOptions) -> Recorder:
        """Its recorder.

        Raises:
            ImportError: what is installed is older than the oldest.
        """
        self.check_version()
        make: Callable[[RecordOptions], Recorder] = import_module(self.recorder).recorder
        return make(options)

    def check_version(self) -> None:
        """Refuse a version that is older than the oldest; warn, once, of one that is newer than the newest.

        Raises:
            ImportError: it is older.
        """
        if self.module in _checked:
            return
        found = self._version()
        if found is not None and _minor(found) < _minor(self.oldest):
            others = [name for name in FRAMEWORKS if name != self.module]
            without = f" To record without it: tv.record(frameworks={others})." * (self.module in FRAMEWORKS)
            raise ImportError(
                f"tapeviz records {self.module} from {self.oldest} on; this is {found}. Install a newer one: "
                f"pip install --upgrade {self.distributions[0]}.{without}"
            )
        _checked.add(self.module)
        if found is None or _minor(found) <= _minor(self.newest):
            return
        warnings.warn(
            f"tapeviz was tested with {self.module} {self.oldest} to {self.newest}; this is {found}. "
            "What is recorded may be incomplete; the program itself is not affected. If something is missing, look for "
            "a newer tapeviz, or install a version that was tested: "
            f"pip install '{self.distributions[0]}<{self._end}'.",
            stacklevel=4,
        )

    @property
    def _end(self) -> str:
        """The first version that is newer than the newest."""
        major, minor = _minor(self.newest)
        return f"{major}.{minor + 1}"

    def _version(self) -> str | None:
        from importlib.metadata import PackageNotFoundError, version  # they bring fifty modules with them

        for distribution in self.distributions:
            try:
                return version(distribution)
            except PackageNotFoundError:
                continue
        return None


def _minor(version: str) -> tuple[int, ...]:
    """The first two numbers of a version, as (2, 13) of 2.13.0+cpu."""
    return tuple(map(int, re.findall(r"\d+", version)[:2]))


FRAMEWORKS: dict[str, Framework] = {
    "tensorflow": Framework(
        "tensorflow",
        "tapeviz.recorders.tensorflow",
        ("tensorflow", "tensorflow-cpu", "tensorflow-intel"),
        oldest="2.18",
        newest="2.21",
        title="TensorFlow",
    ),
    "torch": Framework("torch", "tapeviz.recorders.torch", ("torch",), oldest="2.6", newest="2.15", title="PyTorch"),
    "jax": Framework(
        "jax", "tapeviz.recorders.jax", ("jax",), oldest="0.6", newest="0.12", title="JAX", nothing="took no gradient"
    ),
    "autograd": Framework(
        "autograd",
        "tapeviz.recorders.autograd",
        ("autograd",),
        oldest="1.8",
        newest="1.8",
        title="autograd",
        nothing="took no gradient",
    ),
    "tinygrad": Framework(
        "tinygrad",
        "tapeviz.recorders.tinygrad",
        ("tinygrad",),
        oldest="0.14",
        newest="0.14",
        title="tinygrad",
        nothing="built no graph",
    ),
}
"""By the name of the module that a program imports."""

_checked: set[str] = set()
"""The modules whose version was looked up: it takes as long as a hundred ops."""


def imported(names: Iterable[str] | None) -> list[Framework]:
    """The frameworks to record now: those that the program has imported, of the named ones (None: of all).

    Raises:
        ValueError: a name that is no framework's.
    """
    names = list(FRAMEWORKS if names is None else names)
    unknown = [name for name in names if name not in FRAMEWORKS]
    if unknown:
        raise ValueError(f"frameworks must be among {', '.join(FRAMEWORKS) or 'none'}, got {unknown[0]!r}.")
    return [FRAMEWORKS[name] for name in names if name in sys.modules]


def is_looked_at(event: Event) -> bool:
    """Whether an event is one that there is something to say of."""
    return isinstance(event, (OpRecorded, OpSkipped, TapeOpened, BackwardStarted, GradientUnseen))


def nothing_recorded(log: EventLog) -> str:
    """What to say of a log in which a program left nothing to look at; else ""."""
    if any(map(is_looked_at, log.events)):
        return ""
    by_op = " or ".join([", ".join(each.title for each in FRAMEWORKS.values() if not each.nothing), "tapeviz"])
    others = (each for each in FRAMEWORKS.values() if each.nothing and each.module in sys.modules)
    of_others = "".join(f", and {each.title} {each.nothing}" for each in others)
    return f"Nothing was recorded: no tape was opened, and no op of {by_op} ran{of_others}."
