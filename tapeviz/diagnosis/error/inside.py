"""Graph -> Findings about exceptions that a backward pass of PyTorch's raises without a line of the program at fault.

They come from inside an op: from what that is made of, or from what it gave as a gradient.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls as edits
from tapeviz.diagnosis.edits import gradient_functions, moving
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.autograd import overwriting
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying, last_before
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, failed_calls
from tapeviz.diagnosis.numbers.run_numbers import badness
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.recorded_calls import ended_early
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import BackwardStarted, GradientCleared, GradientStored, OpRecorded, Site, Unwatched, Watched
from tapeviz.events.catalog import CUSTOM
from tapeviz.graph import Graph
from tapeviz.phrases import listed
from tapeviz.replay import runs
from tapeviz.source.lines import calls_in, line_of
from tapeviz.source.places import calls, same_line, site_at


def overwritten_inside(graph: Graph) -> Iterator[Finding]:
    """What an op is made of writes over what its own gradient needs: no line of the program does."""
    for position, call in _stopped_calls(graph, MessagePart.OVERWRITTEN):
        at = _stopped_at(call)
        if at is None or not _may_be_composite(graph, at) or overwriting(graph, call) is not None:
            continue
        question, site = Question(call, call.targets[0]), site_at(graph.log, at)
        name = question.op_name(graph.ops[at])
        yield Finding.at(
            graph.log,
            "inplace_modification",
            site,
            f"The backward pass at {words(call.site)} fails inside {name} at {words(site)}: what that needs for its "
            f"gradient was changed in place, and by no line that was recorded. {name} is made of several ops, and "
            "writes over what one of them keeps.",
            f"Compute the same without {name}, by ops that make new tensors.",
            at,
            position,
            target=call.targets[0],
        )


def zeros_without_memory(graph: Graph) -> Iterator[Finding]:
    """A gradient that an earlier pass left is zeros without memory, and the later one cannot be added to it."""
    for position, call in _stopped_calls(graph, MessagePart.WITHOUT_MEMORY):
        left = next(_zeros_left(graph, call), None)
        if left is None:
            continue
        stored, source, run = left
        earlier = next(each.position for each in runs(graph.log) if each.number == run)
        yield Finding.at(
            graph.log,
            "accumulated_gradient",
            call.site,
            f"The backward pass at {words(call.site)} is to add to the `.grad` of {name_of(graph, source)}, and cannot:"
            f" the one at {words(site_at(graph.log, earlier))} left zeros there for which PyTorch keeps no "
            "memory, as it does where an op has the derivative zero whatever it reads.",
            "Clear the gradients before each backward pass: `optimizer.zero_grad()`, or set `.grad` to None. If the "
            "passes are to add up, call `backward` once, on the sum.",
            stored,
            position,
            source=source,
        )


def computed_otherwise(graph: Graph) -> Iterator[Finding]:
    """A checkpoint ran its function again for the backward pass, and that kept other tensors than before."""
    for position, call in _stopped_calls(graph, MessagePart.NOT_RECOMPUTED):
        at = _stopped_at(call)
        site = None if at is None else _checkpoint(graph, at)
        if at is None or site is None:
            continue
        yield Finding.at(
            graph.log,
            "changed_recomputation",
            site,
            f"The backward pass at {words(call.site)} runs the function of the checkpoint at {words(site)} again, to "
            "have what its gradient needs, and it keeps other tensors than the first time: something that it reads, "
            "and that is no argument of it, has changed in between.",
            Fix(
                dialect_of(graph.log).cause("changed_recomputation").fix,
                moving.switched_later(Editor(graph.log), site, call.site),
            ),
            at,
            position,
            target=call.targets[0],
        )


def still_awaited(graph: Graph) -> Iterator[Finding]:
    """Replicas wait for the gradients of all parameters, and an earlier pass gave some of them none."""
    for position, _ in errors_saying(graph, MessagePart.UNREDUCED):
        earlier = last_before(graph, position, BackwardStarted)
        if earlier is None:
            continue
        site, passed = site_at(graph.log, position), site_at(graph.log, earlier)
        stored = {each.tensor for each in graph.log.of_kind(GradientStored).values()}
        wanted = dict.fromkeys(each.tensor for each in graph.log.of_kind(Watched).values())
        left = [name_of(graph, each) for each in wanted if graph.is_variable(each) and each not in stored]
        yield Finding.at(
            graph.log,
            "unused_source",
            site or passed,
            f"The forward pass at {words(site)} fails, as replicas of the model still wait for gradients of the one "
            f"before: the backward pass at {words(passed)} gave none to {listed(left) if left else 'some parameters'}, "
            "and the gradients of the others were not made the same in all processes.",
            "Use all parameters in the loss, or pass `find_unused_parameters=True` to `DistributedDataParallel`.",
            earlier,
            position,
        )


def given_twice(graph: Graph) -> Iterator[Finding]:
    """A parameter of replicas gets its gradient twice in one pass, where they wait for one."""
    for position, call in _stopped_calls(graph, MessagePart.MARKED_TWICE):
        checkpoint = next((site for at in graph.ops if (site := _checkpoint(graph, at)) is not None), None)
        again = "is also used outside of the `forward` of the model, or in several backward passes"
        if checkpoint is not None:
            again = f"is read again in a checkpoint, as at {words(checkpoint)}, where a backward pass of its own runs"
        yield Finding.at(
            graph.log,
            "api_misuse",
            checkpoint or call.site,
            f"The backward pass at {words(call.site)} fails, as a parameter of the replicated model gets a gradient "
            f"twice in it, and replicas wait for one: it {again}.",
            Fix(
                "Pass `use_reentrant=False` to `checkpoint`, or `static_graph=True` to `DistributedDataParallel`, if "
                "each pass does the same.",
                edits.with_option(Editor(graph.log), checkpoint, ("checkpoint",), "use_reentrant", "False"),
            ),
            position,
        )


def nothing_to_replicate(graph: Graph) -> Iterator[Finding]:
    """Replicas are made of a model of which no parameter requires a gradient."""
    for position, _ in errors_saying(graph, MessagePart.NOTHING_TO_REPLICATE):
        frozen = last_before(graph, position, Unwatched)
        site = site_at(graph.log, frozen)
        since = "" if site is None else f", as {words(site)} froze them"
        yield Finding.at(
            graph.log,
            "not_trainable",
            site or site_at(graph.log, position),
            f"`DistributedDataParallel` at {words(site_at(graph.log, position))} has nothing to do, and refuses: no "
            f"parameter of the model requires a gradient{since}.",
            "Use a model that does not learn as it is, without replicas; else set `requires_grad = True` on what is to "
            "learn before they are made.",
            position,
        )


def frozen_inside(graph: Graph) -> Iterator[Finding]:
    """A gradient function of the user's asks for the gradients of all that it was given, and some require none."""
    editor = Editor(graph.log)
    for position, call in _stopped_calls(graph, MessagePart.NOT_REQUIRED):
        at, site = _stopped_at(call), site_at(graph.log, position)
        if at is None or CUSTOM not in graph.ops[at].attrs or same_line(site, call.site):
            continue
        op = graph.ops[at]
        frozen = [each for each in op.inputs if graph.is_variable(each) and each not in call.followed]
        if not frozen:
            continue
        names = [name_of(graph, each) for each in frozen]
        yield Finding.at(
            graph.log,
            "not_trainable",
            site,
            f"The gradient function of `{op.op}`, which {words(site_at(graph.log, at))} calls, asks at {words(site)} "
            f"for gradients, and PyTorch refuses: of what `{op.op}` was given, {listed(names, 3)} "
            f"{'requires' if len(frozen) == 1 else 'require'} none.",
            Fix(
                "Ask for those alone that require one, as by `[each for each in parameters if each.requires_grad]`, "
                "and return None in the place of the others.",
                gradient_functions.of_those_that_require(editor, site),
            ),
            at,
            position,
            source=frozen[0],
        )


def _stopped_calls(graph: Graph, part: MessagePart) -> Iterator[tuple[int, GradientCall]]:
    """The calls that ended in an error, with the steps that they took."""
    for position, failed in failed_calls(graph, part):
        yield from (
            (position, each) for each in ended_early(graph, runs(graph.log)) if each.position == failed.position
        )


def _may_be_composite(graph: Graph, position: int) -> bool:
    """Whether an op may be made of others: it is PyTorch's, and the catalog has no formula of it."""
    op = graph.ops[position]
    return CUSTOM not in op.attrs and graph.log.row_of(op) is None


def _stopped_at(call: GradientCall) -> int | None:
    """The op that a pass was at when it ended: the last of those that have got a gradient, and passed none on."""
    graph, done = call.graph, {each.op for each in call.run.steps}
    met = [*call.targets, *(each.tensor for step in call.run.steps for each in step.contributions)]
    makers = {maker for each in met if (maker := graph.producer(each)) is not None}
    return max((each for each in makers - done if isinstance(graph.ops[each], OpRecorded)), default=None)


def _zeros_left(graph: Graph, call: GradientCall) -> Iterator[tuple[int, int, int]]:
    """(position, source, run) of what the `.grad` of sources was when a call began, where all of it was zero."""
    last: dict[int, int | None] = {}
    for at, each in graph.log.of_kind(GradientStored, GradientCleared).items():
        if call.position is not None and at < call.position:
            last[each.tensor] = at if isinstance(each, GradientStored) else None
    for source in call.sources:
        stored = last.get(source)
        event = None if stored is None else graph.log.events[stored]
        if stored is not None and isinstance(event, GradientStored) and badness(graph.log, event.gradient) == "zero":
            yield stored, source, event.run


def _checkpoint(graph: Graph, position: int) -> Site | None:
    """The line, outward from an op, that calls a checkpoint."""
    return next((site for site, _ in calls(graph.log, position) if _calls_checkpoint(site)), None)


def _calls_checkpoint(site: Site) -> bool:
    return any(ast.unparse(each.func).rpartition(".")[2] == "checkpoint" for each in calls_in(line_of(site) or []))


RULES = (
    overwritten_inside,
    zeros_without_memory,
    computed_otherwise,
    still_awaited,
    given_twice,
    nothing_to_replicate,
    frozen_inside,
)
