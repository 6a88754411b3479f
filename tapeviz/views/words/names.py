"""Graph and runs -> what each tensor and op is called in every view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.events import BackwardStarted, EventLog, GradientStored
from tapeviz.events.lookup import NUMBERING
from tapeviz.events.types import TensorInfo
from tapeviz.graph import Graph, Op
from tapeviz.replay import Run
from tapeviz.source.places import site_at
from tapeviz.views.words import numbers
from tapeviz.views.words.attributes import attributes
from tapeviz.views.words.names_in_source import maker_in_source, names_in_source
from tapeviz.views.words.one_line import one_line, shortened

_SUBSCRIPTS = str.maketrans("0123456789", NUMBERING)


def inside(name: str, scopes: Sequence[str]) -> str:
    """A dotted name inside of scopes, the outermost first, whose names it begins with.

    >>> inside("h.0.attn.out.weight", ["GPT2", "h.0", "attn"]), inside("mask", ["attn"])
    ('out.weight', 'mask')
    """
    for scope in scopes:
        name = name.removeprefix(f"{scope}.")
    return name


class Names:
    """The user's own names first, then the source's words, then the op's; a gradient is named after what it is the
    gradient of. Tensors of one role are numbered, and so is what a name meant before it meant something else: `state₀`,
    `state₁`, `state` of a loop.

    A line that asks for gradients names its result, and may name the target: one line runs and differentiates a
    function of JAX. The other ops that this line ran have no names of their own.
    """

    def __init__(self, graph: Graph, runs: Sequence[Run]) -> None:
        self.graph = graph
        self.log = graph.log
        self._rows = graph.log.tensors
        self._runs = runs
        self._dialect = dialect_of(graph.log)
        self._names: dict[int, str] = {}
        self._gradients = dict(_gradients(runs))
        asked = {event.site for event in self.log.of_kind(BackwardStarted).values()} - {None}
        results = {run.gradients[0] for run in runs if run.gradients and len(run.gradients) == 1}
        results.update(target for run in runs for target in run.targets)
        self._nameless = {
            output for op in graph.ops.values() if op.site in asked for output in op.outputs if output not in results
        }
        self._added = _added(self.log)
        self._names_in_source = names_in_source(graph)
        self._numbers = self._numbered()
        self._roles = self._roles_numbered()
        self._earlier = self._earlier_numbered()

    def tensor(self, tensor: int) -> str:
        """A tensor's name, on one line."""
        name = self._names.get(tensor)
        if name is None:
            self._names[tensor] = _role(self._rows[tensor])  # for a gradient of itself, as an edited log has it
            name = self._names[tensor] = self._named(tensor)
        return name

    def _named(self, tensor: int) -> str:
        row = self._rows[tensor]
        producer = self.graph.producer(tensor)
        if self._users(tensor):
            return one_line(row.name or "") + self._earlier.get(tensor, "")
        if tensor in self._gradients:
            gradient = self._gradients[tensor]
            via = "" if gradient.via is None or producer is None else f" via {self.whole_title(gradient.via)}"
            return f"∂{self.targets(gradient.targets)}/∂{self.tensor(gradient.of)}{via}"
        if producer is not None:
            return self._op(producer)
        if row.is_number:
            return numbers.short_text(self.log.value(tensor))
        return one_line(self._names_in_source.get(tensor) or self._roles.get(tensor) or _role(row))

    def run(self, run: Run) -> str:
        """The title of a run: `gradient of y`, `Jacobian of y`, and whether it is part of what is stored."""
        added = ", added to .grad" if run.number in self._added else ""
        return f"{'gradient' if run.rows is None else 'Jacobian'} of {self.targets(run.targets)}{added}"

    def targets(self, targets: Sequence[int]) -> str:
        """The targets of a run: one name, or several in parentheses."""
        names = [self.tensor(target) for target in targets]
        return names[0] if len(names) == 1 else f"({', '.join(names)})"

    def title(self, position: int) -> str:
        """What an op is called: the name its result was given, else its own; shortened."""
        return shortened(self.whole_title(position))

    def whole_title(self, position: int) -> str:
        """The title in full."""
        op = self.graph.ops[position]
        if len(op.outputs) == 1:
            return self.tensor(op.outputs[0])
        named = [output for output in op.outputs if self._users(output)]
        if not named:
            return self._op(position)
        whole, is_first, _ = (self._users(named[0]) or "").rpartition("[0]")
        return one_line(whole) if is_first else ", ".join(map(self.tensor, named))

    def subtitle(self, position: int, scopes: Sequence[str] = ()) -> str:
        """The op as a call: `matmul(x, W)`; without its name if that is the title already; shortened.

        The names of parameters are those that they have inside of the `scopes`.
        """
        return shortened(self.whole_subtitle(position, scopes))

    def whole_subtitle(self, position: int, scopes: Sequence[str] = ()) -> str:
        """The subtitle in full."""
        op = self.graph.ops[position]
        read = [inside(self.tensor(each), scopes) for each in op.inputs]
        call = one_line(f"({', '.join([*read, *attributes(op, self.log.row_of(op))])})")
        return call if self.whole_title(position) == self._op(position) else self.function(op) + call

    def function(self, op: Op) -> str:
        """The name that the framework's users have for an op, if it is a name, and no sign between operands."""
        own = self._dialect.op(op.op)
        return one_line(own if own.isidentifier() else op.op)

    def _op(self, position: int) -> str:
        """An op's own name, with a number if several ops have it."""
        return self.function(self.graph.ops[position]) + self._numbers.get(position, "")

    def _users(self, tensor: int) -> str | None:
        """The name that the user gave."""
        return None if tensor in self._nameless else self._rows[tensor].name

    def _is_named(self, op: Op) -> bool:
        """Whether an op is called by its result."""
        return bool(op.outputs) and (op.outputs[0] in self._gradients or self._users(op.outputs[0]) is not None)

    def _numbered(self) -> dict[int, str]:
        """Position -> the subscript of an op without a named result, if there are several of that op."""
        return _subscripts_of({at: self.function(op) for at, op in self.graph.ops.items() if not self._is_named(op)})

    def _roles_numbered(self) -> dict[int, str]:
        """Leaf -> what made it, or its role, and a subscript, for leaves without any other name."""
        read = {tensor for op in self.graph.ops.values() for tensor in op.inputs}
        read.update(source for run in self._runs for source in run.sources)
        roles = {
            tensor: maker_in_source(self.log, site_at(self.log, position)) or _role(self._rows[tensor])
            for tensor, position in self.graph.leaves.items()
            if tensor in read
            and not self._users(tensor)
            and tensor not in self._names_in_source
            and tensor not in self._gradients
        }
        subscripts = _subscripts_of(roles)
        return {tensor: role + subscripts.get(tensor, "") for tensor, role in roles.items()}

    def _earlier_numbered(self) -> dict[int, str]:
        """Tensor -> its subscript, if its name went to another tensor later; the leaf that had it first has 0."""
        called: dict[str, list[int]] = {}
        for tensor in sorted({*self.graph.leaves, *self._outputs()}):
            name = self._users(tensor)
            if name and not self.graph.is_variable(tensor):
                called.setdefault(name, []).append(tensor)
        return {
            tensor: str(number).translate(_SUBSCRIPTS)
            for same in called.values()
            for number, tensor in enumerate(same[:-1], start=int(self.graph.producer(same[0]) is not None))
        }

    def _outputs(self) -> Iterator[int]:
        return (output for op in self.graph.ops.values() for output in op.outputs)

    def leaf_subtitle(self, tensor: int, at: int | None, values: bool = True) -> str:
        """Shape and dtype of a leaf; for a scalar, its value at that position, which is just as short."""
        row = self._rows[tensor]
        if row.dtype == "unknown":
            return "shape not known"
        if row.is_number:
            return row.dtype
        value = self.log.value(tensor, at) if values and row.shape == () else None
        known = value is not None and row.dtype != "string"
        placement = f" {row.placement}" if row.placement else ""
        return f"{numbers.short_text(value) if known else numbers.shape_text(row.shape)} {row.dtype}{placement}"


def _subscripts_of(labels: Mapping[int, str]) -> dict[int, str]:
    """Among all with the same label, the subscript that distinguishes each."""
    alike = Counter(labels.values())
    counted: Counter[str] = Counter()
    subscripts = {}
    for each, label in labels.items():
        counted[label] += 1
        if alike[label] > 1:
            subscripts[each] = str(counted[label]).translate(_SUBSCRIPTS)
    return subscripts


def _added(log: EventLog) -> set[int]:
    """The runs that only added to gradients which earlier runs had stored."""
    stored: dict[int, list[bool]] = {}
    for event in log.of_kind(GradientStored).values():
        stored.setdefault(event.run, []).append(event.accumulated)
    return {run for run, added in stored.items() if all(added)}


def _role(row: TensorInfo) -> str:
    return "array" if row.role == "literal" else row.role


class Gradient(NamedTuple):
    """What a cotangent is: the gradient of targets by a tensor, or, `via` the op at a position, one contribution."""

    targets: tuple[int, ...]
    of: int
    via: int | None = None


def _gradients(runs: Sequence[Run]) -> Iterator[tuple[int, Gradient]]:
    """Cotangents, and what each is."""
    for run in runs:
        for target, seed in zip(run.targets, run.seeds, strict=True):
            if seed is not None and seed not in run.targets:
                yield seed, Gradient(run.targets, target)
        for step in run.steps:
            for each in step.contributions:
                if each.total != each.cotangent:
                    yield each.total, Gradient(run.targets, each.tensor)
                whole = each.parts == 1 and each.final
                yield each.cotangent, Gradient(run.targets, each.tensor, None if whole else step.op)
