"""Graph -> Findings about calls that were given what they cannot take: no tensor, or a tensor that is no leaf."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tapeviz.diagnosis.edits import calls as edits
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.error.ended import ended_by
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.fixes import in_tensors
from tapeviz.diagnosis.wording.leaves import leaf_last, made_leaf
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import OpRecorded, ReadOut, Site
from tapeviz.graph import Graph
from tapeviz.source.assignments import assignment
from tapeviz.source.flow import reaches
from tapeviz.source.lines import calls_in, line_of, read_out, reader
from tapeviz.source.places import calls, site_at
from tapeviz.source.syntax import asked_for, only_element
from tapeviz.source.text import SourceText, Texts

_TYPE = re.compile(r"^'([\w.]+)' object")
"""What Python says an object is that lacks an attribute."""

_NUMBERS = re.compile(r"(?:numpy\.)?(?:ndarray|bool_?|u?int\d*|float\d*|complex\d*)")
"""The types of plain numbers, Python's and NumPy's."""

_SYMBOL = "KerasTensor"
_TARGET = "a target must"
"""What the engine's error says beside Python's where it is about the target."""


def no_tensor(graph: Graph) -> Iterator[Finding]:
    """A gradient was asked for of a plain number, or by one."""
    texts = Texts(graph.log)
    for position, error in errors_saying(graph, MessagePart.NO_ID, MessagePart.NO_DTYPE, MessagePart.NO_BACKWARD):
        site, kind = site_at(graph.log, position), _TYPE.match(error.message)
        written = [] if site is None else _written_arguments(texts.of(site), site)
        if site is None or kind is None or not written:
            continue
        if kind[1] == _SYMBOL:
            yield _symbol(graph, position, written)
        elif _NUMBERS.fullmatch(kind[1]):
            of_target = len(written) < 2 or _TARGET in error.message or MessagePart.NO_DTYPE in error.message
            read = _read_out(graph, texts, position)
            if read is not None:
                yield _was_read_out(graph, position, read, written[0], kind[1])
            else:
                yield _was_none(
                    graph, position, written[0] if of_target else only_element(written[1]), kind[1], of_target
                )


def _written_arguments(text: SourceText, site: Site) -> list[str]:
    """How target and source are written; the error about `loss.backward` comes before the call."""
    match text.enclosing(site)[-1:]:
        case [ast.Attribute(value=owner, attr="backward")]:
            return [ast.unparse(owner)]
    return asked_for(text, site)


def _read_out(graph: Graph, texts: Texts, failed: int) -> int | None:
    """The last read-out of a result of an op whose number came to the call that failed, by the names in the text."""
    goal = site_at(graph.log, failed)
    for at in range(failed - 1, -1, -1):
        event = graph.log.events[at]
        if isinstance(event, ReadOut) and isinstance(graph.op_of(event.tensor), OpRecorded) and goal is not None:
            outward = [site for site, _ in calls(graph.log, at) if site.filename == goal.filename]
            if any(reaches(texts.of(goal), each, goal) for each in outward):
                return at
    return None


def _was_read_out(graph: Graph, failed: int, at: int, target: str, kind: str) -> Finding:
    event = graph.log.events[at]
    assert isinstance(event, ReadOut)
    site, asked = site_at(graph.log, at), site_at(graph.log, failed)
    return Finding.at(
        graph.log,
        "left_to_numpy",
        site,
        f"`{reader(site, event.how)}` at {words(site)} reads {name_of(graph, event.tensor)} out as plain numbers: "
        f"`{target}` is a `{kind}` at {words(asked)}, and only a tensor has a gradient.",
        in_tensors(Editor(graph.log), site, read_out(site, event.how)),
        at,
        failed,
        source=event.tensor,
    )


def _was_none(graph: Graph, failed: int, name: str, kind: str, of_target: bool) -> Finding:
    site = site_at(graph.log, failed)
    given = f"given to the gradient call at {words(site)}"
    if of_target:
        told = f"`{name}`, {given}, is a `{kind}` and no tensor: nothing is known of how it was computed."
        fix = "Compute it with `tf.` functions alone, from the variables to the end."
    else:
        is_one = name.startswith(("[", "("))
        what = f"`{name}`, {given}, has a `{kind}` in it" if is_one else f"`{name}`, {given}, is a `{kind}`"
        told = f"{what}: what reads it makes a tensor of it each time, and a gradient is by a tensor or variable alone."
        plain = name if name.isidentifier() else "x"
        fix = f"Make one of it before it is used, `{plain} = tf.Variable({plain})`, and go on with that."
    return Finding.at(graph.log, "api_misuse", site, told, fix, failed)


def _symbol(graph: Graph, failed: int, written: list[str]) -> Finding:
    site = site_at(graph.log, failed)
    return Finding.at(
        graph.log,
        "api_misuse",
        site,
        f"`{only_element(written[-1])}`, given to the gradient call at {words(site)}, is symbolic: it stands for what "
        "a model is given and holds no numbers, so that no tape follows it.",
        "Ask for the gradient by the tensor that the model is called with, and watch it before that call: "
        "`tape.watch(x)`. For that of a layer's output, let the model give that output, too.",
        failed,
    )


def no_leaf(graph: Graph) -> Iterator[Finding]:
    """An optimizer of PyTorch's was given the result of an op."""
    for position, _ in errors_saying(graph, MessagePart.NOT_A_LEAF):
        asked = site_at(graph.log, position)
        names = {ast.unparse(each) for call in calls_in(line_of(asked)) for each in ast.walk(call) if _is_name(each)}
        at = _last_made(graph, position, names)
        made = asked if at is None else site_at(graph.log, at)
        name = "a tensor in its list" if at is None else name_of(graph, graph.ops[at].outputs[0])
        line, introduced = leaf_last(made), "" if at is None else f", {origin(made)}"
        fix = "Make the result the leaf: compute it first, then call `requires_grad_()` on it."
        yield Finding.at(
            graph.log,
            "api_misuse",
            made,
            f"The optimizer at {words(asked)} is to change {name}, which is the result of an op{introduced}: "
            "only leaves keep a gradient, and it takes no other tensor.",
            made_leaf(Editor(graph.log), made, line) if line else fix,
            at,
            position,
        )


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute))


def _last_made(graph: Graph, before: int, names: set[str]) -> int | None:
    """The last recorded op that made something with one of these names."""
    made = (at for at, op in graph.ops.items() if at < before and isinstance(op, OpRecorded))
    called = [at for at in made if (graph.log.tensors[graph.ops[at].outputs[0]].name or "") in names]
    return max(called, default=None)


def no_parameters(graph: Graph) -> Iterator[Finding]:
    """An optimizer of PyTorch's got an empty list: of a model that has none, or one that was gone through before."""
    texts, editor = Texts(graph.log), Editor(graph.log)
    for position, _ in errors_saying(graph, MessagePart.NO_PARAMETERS):
        asked = site_at(graph.log, position)
        given = next((call.args[0] for call in calls_in(line_of(asked)) if call.args), None)
        made = assignment(texts.of(asked), given.id, asked) if asked and isinstance(given, ast.Name) else None
        once = next((each for each in calls_in(line_of(made)) if ast.unparse(each).endswith("parameters()")), None)
        if once is not None and isinstance(given, ast.Name):
            site = made
            told = (
                f"The optimizer at {words(asked)} got nothing: `{given.id}`, {origin(made)}, can be gone through once, "
                "and something did so before."
            )
            kept = f"{given.id} = list({ast.unparse(once)})"
            fix = Fix(f"Keep a list: `{kept}`.", editor.rewrite(site, kept))
        else:
            site = asked
            told = (
                f"The optimizer at {words(asked)} got an empty list: the model has no registered parameters. Layers "
                "and tensors in a plain Python list or dict are not found."
            )
            fix = Fix(
                "Keep layers in `torch.nn.ModuleList` or `ModuleDict`, and tensors as `torch.nn.Parameter`, set as "
                "attributes.",
                edits.in_module_lists(editor, site),
            )
        yield Finding.at(graph.log, "untracked_parameter", site, told, fix, position)


def to_numpy(graph: Graph) -> Iterator[Finding]:
    """PyTorch refuses to read out what a gradient is to pass, and that was the end of the program."""
    for position, error in errors_saying(graph, MessagePart.NOT_TO_NUMPY):
        if ended_by(graph.log) != (position, error):
            continue
        site = site_at(graph.log, position)
        yield Finding.at(
            graph.log,
            "left_to_numpy",
            site,
            f"`{reader(site, '.numpy()')}` at {words(site)} is to read out a tensor that a gradient is to pass: "
            "autograd cannot follow plain numbers, so PyTorch refuses.",
            in_tensors(Editor(graph.log), site, ".numpy()").reworded(
                "{} To look at the numbers alone, as for a plot: `.detach().numpy()`.".format
            ),
            position,
        )


RULES = (no_tensor, no_leaf, no_parameters, to_numpy)
