"""The vocabulary of a log: frozen events in the past tense, and the rows of its tables.

Events hold ids and plain values only. A tensor id is an index into `log.tensors`, a site id into `log.sites`, a scope
id into `log.scopes`; an op is named by its position in `log.events`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tapeviz.events.attrs import Attr as Attr
from tapeviz.events.attrs import Attrs as Attrs
from tapeviz.events.buffers import BuffersMeasured as BuffersMeasured
from tapeviz.events.compiled_graphs import CompiledWithout as CompiledWithout
from tapeviz.events.compiled_graphs import GraphTraced as GraphTraced
from tapeviz.events.compiled_graphs import NodeTraced as NodeTraced
from tapeviz.events.ids import Position, RunId, ScopeId, SiteId, TapeId, TensorId
from tapeviz.events.updates import OptimizerCreated as OptimizerCreated
from tapeviz.events.updates import OptimizerStepped as OptimizerStepped
from tapeviz.events.updates import ParameterUpdated as ParameterUpdated
from tapeviz.source.sites import Site as Site

Role: TypeAlias = Literal["variable", "constant", "literal", "intermediate", "cotangent"]
"""variable: a `Variable`; constant: a tensor no op made; literal: a number written into an expression; intermediate:
the output of an op; cotangent: a value of the backward pass."""

Decision: TypeAlias = Literal["recorded", "unwatched", "integer_dtype", "paused"]
"""What one open tape did with an op; all but the first say why it was not recorded."""
How: TypeAlias = Literal["explicit", "accessed"]
"""Why a tape follows a tensor: it was told to, or the tensor is a variable that was read."""

TapeDecisions: TypeAlias = tuple[tuple[TapeId, Decision], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """One call of the user's own: a function, called from `site` within `parent` (None: the cell or the script).

    Of a module, or a layer, `kind` is its class; "" of what has none.
    """

    parent: ScopeId | None
    name: str
    site: SiteId | None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """What is known of a tensor besides its value; `name` is the user's own, where there is one.

    Of one that is distributed, shape and value are those of this process's part, and `placement` says, in the words of
    its framework, where the parts are: `Shard(0)`, `Replicate()`, `Partial(sum)`.
    """

    id: TensorId
    shape: tuple[int, ...]
    dtype: str
    role: Role
    name: str | None
    placement: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is a single number that was written in an expression."""
        return self.role == "literal" and self.shape == ()


@dataclass(frozen=True, slots=True)
class TapeOpened:
    """A tape began to record, as by `with tf.GradientTape()`; `watch_accessed`: it follows variables that are read."""

    tape: TapeId
    persistent: bool
    watch_accessed: bool
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class TapeClosed:
    """The block of a tape ended; from here on the tape records nothing."""

    tape: TapeId


@dataclass(frozen=True, slots=True)
class TapeReset:
    """A tape forgot all that it had recorded and watched, as `tape.reset()` asks it to."""

    tape: TapeId
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class RecordingPaused:
    """A tape stopped following what runs, as within `tape.stop_recording()` or `torch.no_grad()`."""

    tape: TapeId
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class RecordingResumed:
    """The pause ended, and the tape follows again what runs."""

    tape: TapeId


@dataclass(frozen=True, slots=True)
class Watched:
    """A tape began to follow a leaf, so that what is computed from it has a gradient with respect to it."""

    tape: TapeId
    tensor: TensorId
    how: How
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class Unwatched:
    """The tape was told to follow a leaf no longer."""

    tape: TapeId
    tensor: TensorId
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class SavedChanged:
    """What the op of `tensor` kept for its gradient has other numbers as its VJP gets it.

    `recomputed`: it was computed again for that, as a checkpoint does; else it was written over where it was kept.
    """

    tensor: TensorId
    recomputed: bool


@dataclass(frozen=True, slots=True)
class LeafCreated:
    """A tensor that no op made. `parents` are tensors whose values went straight into it."""

    tensor: TensorId
    kind: Literal["variable", "constant"]
    trainable: bool
    parents: tuple[TensorId, ...]
    site: SiteId | None


@dataclass(frozen=True, slots=True)
class OpRecorded:
    """An op ran, and at least one open tape recorded it. `saved` are the tensors its VJPs keep."""

    op: str
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    attrs: Attrs
    saved: tuple[TensorId, ...]
    tapes: TapeDecisions
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class OpSkipped:
    """An op ran and no tape recorded it; `tapes` is empty where none was open."""

    op: str
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    attrs: Attrs
    tapes: TapeDecisions
    site: SiteId | None
    scope: ScopeId | None


Reason: TypeAlias = Literal["unneeded", "released"]


@dataclass(frozen=True, slots=True)
class Pruned:
    """The tape let go of `tensors`: no VJP asks for them, or the tape was released."""

    tape: TapeId
    tensors: tuple[TensorId, ...]
    reason: Reason
    bytes: int


AN_INDEX = "an index"
"""How a value is read out that says which elements of another tensor are picked, as `i` in `table[i]`."""

TRUTH = "bool()"
"""How a value is read out that only a choice of Python's is made by."""

SHARED_MEMORY = "shared memory"
"""How a write is told that another library made, at the line that gave it the memory."""


@dataclass(frozen=True, slots=True)
class ReadOut:
    """A tensor's value left the recorded world: `how` is the user's spelling, as `.numpy()`."""

    tensor: TensorId
    how: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class StateWritten:
    """A variable was written; `value` is the tensor that went in, None for a plain number."""

    tensor: TensorId
    value: TensorId | None
    how: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class BackwardStarted:
    """`tape.gradient` began; `seeds` are parallel to `targets` (None: ones).

    `rows` counts those of a Jacobian: they go back together, and their numbers are not kept. None: it is a gradient.
    `create_graph` says whether the call asked that its result can be differentiated. None: the tapes say so.
    """

    run: RunId
    tape: TapeId
    targets: tuple[TensorId, ...]
    sources: tuple[TensorId, ...]
    seeds: tuple[TensorId | None, ...]
    site: SiteId | None
    rows: int | None = None
    create_graph: bool | None = None


@dataclass(frozen=True, slots=True)
class VjpApplied:
    """The rules of the op at position `op` ran; `upstream` is parallel to its outputs, `cotangents` to its inputs."""

    run: RunId
    op: Position
    upstream: tuple[TensorId | None, ...]
    cotangents: tuple[TensorId | None, ...]


@dataclass(frozen=True, slots=True)
class VjpWitnessed:
    """What the user's own rule of the op at position `op` gave, and what the framework has for the same.

    `upstream` is parallel to the op's outputs, and to its inputs all others: `rule` is what the user's rule gave,
    `witness` what the framework has for what the function computed, `nearby` that at inputs a few roundings away,
    `names` the function's arguments. It `ran` these ops, but for extremes without a part in the witness, and the
    `narrowest` in this dtype; `redrew`: both drew at random.
    `bends`: whether the witness changes with an input; of none where nobody asked for what can be differentiated again.
    """

    op: Position
    upstream: tuple[TensorId | None, ...]
    rule: tuple[TensorId | None, ...]
    witness: tuple[TensorId | None, ...]
    nearby: tuple[TensorId | None, ...]
    names: tuple[str, ...]
    ran: tuple[str, ...]
    narrowest: str
    redrew: bool = False
    bends: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class CotangentAccumulated:
    """Further contributions reached `tensor`: `parts` are the sum so far and what arrived, `total` their sum."""

    run: RunId
    tensor: TensorId
    parts: tuple[TensorId, ...]
    total: TensorId


@dataclass(frozen=True, slots=True)
class BackwardFinished:
    """`gradients` are parallel to the run's sources; None where no gradient arrived, and the program has `zeros` or
    None for it."""

    run: RunId
    gradients: tuple[TensorId | None, ...]
    zeros: bool = False


@dataclass(frozen=True, slots=True)
class GradientStored:
    """A run left `gradient` in the `.grad` of `tensor`; `accumulated`: added to what was there."""

    run: RunId
    tensor: TensorId
    gradient: TensorId
    accumulated: bool


@dataclass(frozen=True, slots=True)
class GradientCleared:
    """The `.grad` of `tensor` was emptied or set to zero; `how` is the user's spelling."""

    tensor: TensorId
    how: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class GradientRead:
    """The program looked at the `.grad` of `tensor`; `gradient` is what it found there."""

    tensor: TensorId
    gradient: TensorId | None
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class FunctionReused:
    """A function that is compiled at its first call was called again; `changed` are Python values that it reads.

    Compiled, it goes on with the values that they had then.
    """

    function: str
    changed: tuple[str, ...]
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class FunctionOpened:
    """A compiled function was run op by op for the recording: its numbers may differ in the last bits, and at random.

    Told once of each function.
    """

    function: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class GradientUnseen:
    """A gradient was taken whose ops and steps are not in the log; `why`, or else its tape was opened before that."""

    why: str
    site: SiteId | None
    scope: ScopeId | None


@dataclass(frozen=True, slots=True)
class ErrorRaised:
    """An exception left the engine or the tape's block."""

    error: str
    message: str
    site: SiteId | None


Event: TypeAlias = (
    TapeOpened
    | TapeClosed
    | TapeReset
    | RecordingPaused
    | RecordingResumed
    | Watched
    | Unwatched
    | SavedChanged
    | LeafCreated
    | OpRecorded
    | OpSkipped
    | Pruned
    | ReadOut
    | StateWritten
    | BackwardStarted
    | VjpApplied
    | VjpWitnessed
    | CotangentAccumulated
    | BackwardFinished
    | GradientStored
    | GradientCleared
    | GradientRead
    | OptimizerCreated
    | OptimizerStepped
    | ParameterUpdated
    | BuffersMeasured
    | FunctionReused
    | FunctionOpened
    | CompiledWithout
    | GraphTraced
    | NodeTraced
    | GradientUnseen
    | ErrorRaised
)
