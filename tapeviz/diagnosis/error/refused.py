"""Graph -> Findings about exceptions that say what was wrong with a gradient call, and not why."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from tapeviz.diagnosis import custom
from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.edits import calls, following
from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.edits.substitutes import same_with_gradient
from tapeviz.diagnosis.error import autograd, boxes, inside, tracing, wrong_arguments
from tapeviz.diagnosis.error.escaped import escaped
from tapeviz.diagnosis.error.messages import MessagePart, errors_saying, last_before
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.op_kinds import LOOKUPS
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import (
    BackwardFinished,
    BackwardStarted,
    OpRecorded,
    RecordingPaused,
    Site,
    TapeOpened,
    VjpApplied,
)
from tapeviz.graph import Graph
from tapeviz.source.assignments import assignment
from tapeviz.source.edits import Edit
from tapeviz.source.lines import calls_in, line_of, method_call
from tapeviz.source.places import site_at
from tapeviz.source.text import Texts

NO_RULE = {
    MessagePart.NOT_REGISTERED: "TensorFlow",
    MessagePart.NOT_IMPLEMENTED: "PyTorch",
    MessagePart.WITHOUT_FORMULA: "PyTorch",
}
"""What a framework says of an op that nobody has given a gradient."""

_REGISTER_ONE = "Give it one, by `torch.library.register_autograd`, or compute the same with ops that have a gradient."
"""What to do about such an op that a program or a package has defined."""

GIVE_ONE = "Compute the same with ops that have a gradient, or give it one: `tf.custom_gradient`."
"""What to do about such an op."""

_UNPAIRED = (
    "api_misuse",
    "At {line}, the optimizer was given something other than pairs of a gradient and a variable.",
    "Pair them in lists, one gradient with its variable: `apply_gradients([(gradient, variable)])`, or "
    "`zip(gradients, variables)` of two lists; `zip` of two tensors pairs their rows.",
)
WRONG_CALLS = {
    MessagePart.ONE_NUMBER: (
        "api_misuse",
        "At {line}, `backward` was called on a tensor of several numbers without saying how they count.",
        "Make one number of it first, `.sum()` or `.mean()`, or say how much each counts: "
        "`backward(torch.ones_like(...))`.",
    ),
    MessagePart.UNPAIRED: _UNPAIRED,
    MessagePart.HALF_A_PAIR: _UNPAIRED,
    MessagePart.NOT_PAIRS: _UNPAIRED,
    MessagePart.ALONE: (
        "api_misuse",
        "At {line}, the optimizer was given gradients alone, not pairs of a gradient and a variable.",
        "Pair each gradient with its variable: `apply_gradients(zip(gradients, variables))`.",
    ),
    MessagePart.NO_MINIMIZE: (
        "api_misuse",
        "At {line}, `minimize` was called on an optimizer that has no such method.",
        "Take the gradients from a tape: `optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))`.",
    ),
    MessagePart.FLAG_OF_A_RESULT: (
        "api_misuse",
        "At {line}, `requires_grad` was set on a result. It requires a gradient if what it was computed from does; "
        "only a leaf can be told otherwise.",
        "Leave that line out, and ask `torch.autograd.grad` for its gradient. To begin anew at it, use "
        "`x = x.detach().requires_grad_()`; to end there, `x = x.detach()`.",
    ),
    MessagePart.ONLY_FLOATS: (
        "integer_dtype",
        "The gradient of a tensor of integers is asked for at {line}, and only floats have one.",
        "Make it of floats: `1.0` in the place of `1`, or with `dtype=tf.float32`.",
    ),
    MessagePart.ONLY_REAL: (
        "integer_dtype",
        "The gradient by an argument of integers is asked for at {line}, and only floats have one.",
        "Make it of floats, `1.0` for `1`; or differentiate by the other arguments alone: `argnums`.",
    ),
    MessagePart.ONE_RESULT: (
        "api_misuse",
        "At {line}, the gradient is asked of a function that does not return one number, at which it could begin.",
        "Return one number, such as the mean; what else it returns goes with it as a pair, with `has_aux=True`. "
        "`jax.jacrev` gives one gradient for each entry.",
    ),
    MessagePart.ONLY_REAL_RESULT: (
        "integer_dtype",
        "At {line}, the gradient is asked of a function that returns no real number, and begins at one.",
        "Return a float: leave out the cast or the comparison at its end. Of a complex result, return the real part or "
        "the magnitude.",
    ),
}
"""Part of an error's message -> the label of the cause, what was wrong with the call at a line, and the right one."""


EDITS: dict[MessagePart, Callable[[Editor, Site | None], Edit | None]] = {
    MessagePart.ONE_NUMBER: calls.summed,
    MessagePart.UNPAIRED: calls.paired,
    MessagePart.HALF_A_PAIR: calls.paired,
    MessagePart.NOT_PAIRS: calls.paired,
    MessagePart.FLAG_OF_A_RESULT: calls.without_flag,
    MessagePart.ONLY_FLOATS: following.made_real,
}
"""The same -> what makes the call the right one."""

_HANDLED_ELSEWHERE = (MessagePart.ALONE, MessagePart.HALF_A_PAIR, MessagePart.NOT_PAIRS)
"""What any loop over a scalar, and any wrong unpacking, says."""


def graph_consumed(graph: Graph) -> Iterator[Finding]:
    """A second gradient call on a tape that had given its one set of gradients."""
    for position, error in errors_saying(graph, MessagePart.USED_UP):
        used = _used_before(graph, position) if error.error == "RuntimeError" else None
        if used is not None:
            yield _consumed(graph, position, *used)


def _used_before(graph: Graph, position: int) -> tuple[int, BackwardStarted, int] | None:
    """The last gradient call of a tape that gives one set before a position, and where the tape was opened."""
    opened: dict[int, int] = {}
    used: tuple[int, BackwardStarted] | None = None
    for at, event in enumerate(graph.log.events[:position]):
        match event:
            case TapeOpened(persistent=False):
                opened[event.tape] = at
            case BackwardStarted() if event.tape in opened:
                used = at, event
    return None if used is None else (*used, opened[used[1].tape])


def _consumed(graph: Graph, failed: int, first: int, call: BackwardStarted, opened: int) -> Finding:
    block, again, before = (site_at(graph.log, each) for each in (opened, failed, first))
    text = block.text if block is not None else ""
    editor = Editor(graph.log)
    edit = calls.with_option(editor, block, ("GradientTape",), "persistent", "True")
    told = "Ask for all gradients in one call, or open the tape with `persistent=True`"
    told += f": `{text.replace('()', '(persistent=True)', 1)}`." if edit and text.count("()") == 1 else "."
    fix = Fix(told, edit)
    finished = any(isinstance(each, BackwardFinished) and each.run == call.run for each in graph.log.events)
    spent = "given its one set of gradients" if finished else "lost what it had recorded to the call that failed"
    return Finding.at(
        graph.log,
        "graph_consumed",
        again,
        f"The call of `gradient` at {words(again)} failed because the tape opened at {words(block)} had {spent} "
        f"at {words(before)}: it is not persistent.",
        fix,
        opened,
        first,
        failed,
        target=call.targets[0] if call.targets else None,
    )


def sparse_gradient(graph: Graph) -> Iterator[Finding]:
    """A gradient that came as rows and their places was used as a tensor, and that was the end of the program.

    Where it went on, someone only asked, as `hasattr` does.
    """
    for position, error in errors_saying(graph, MessagePart.ROWS):
        if _is_end(graph, position):
            site, lookup = site_at(graph.log, position), _last_lookup(graph, position)
            yield Finding.at(
                graph.log,
                "sparse_gradient",
                site,
                f"The gradient{_of_what(graph, lookup)} is an `IndexedSlices`, the rows that were looked up and their "
                f"places, and {words(site)} uses it as a tensor: {error.message.partition(': ')[0]}.",
                Fix(
                    dialect_of(graph.log).cause("sparse_gradient").fix,
                    calls.made_dense(Editor(graph.log), site, error.message.rpartition(" '")[2].rstrip("'")),
                ),
                lookup,
                position,
            )


def sparse_to_an_optimizer(graph: Graph) -> Iterator[Finding]:
    """An optimizer of PyTorch's refuses a gradient that came as rows and their places."""
    editor = Editor(graph.log)
    for position, _ in errors_saying(graph, MessagePart.NO_ROWS):
        site, lookup = site_at(graph.log, position), _last_lookup(graph, position)
        yield Finding.at(
            graph.log,
            "sparse_gradient",
            site,
            f"The gradient{_of_what(graph, lookup)} is of rows and their places, as `sparse=True` asks, and the "
            f"optimizer that steps at {words(site)} takes none such.",
            Fix(
                "Look it up without `sparse=True`, or hand it to an optimizer that takes rows, as `torch.optim.SGD` or "
                "`SparseAdam`.",
                calls.made_whole(editor, site),
            ),
            lookup,
            position,
        )


def _of_what(graph: Graph, lookup: int | None) -> str:
    """Whose gradient it is, as far as a lookup is known."""
    if lookup is None:
        return ""
    name, line = name_of(graph, graph.ops[lookup].inputs[0]), words(site_at(graph.log, lookup))
    return f" of {name}, looked up at {line}," if name.startswith("`") else f" of a tensor that is looked up at {line}"


def _is_end(graph: Graph, position: int) -> bool:
    """Whether nothing was computed or asked for after a position."""
    return position > max((*graph.ops, *graph.log.of_kind(BackwardStarted)), default=-1)


def _last_lookup(graph: Graph, before: int) -> int | None:
    """The last lookup that a gradient passed before a position."""
    steps = graph.log.of_kind(VjpApplied).items()
    passed = [step.op for at, step in steps if at < before and graph.ops[step.op].op in LOOKUPS]
    return passed[-1] if passed else None


def wrong_call(graph: Graph) -> Iterator[Finding]:
    """What a call takes is not what it was given; the message of the error says so in words of the framework's own."""
    texts, editor = Texts(graph.log), Editor(graph.log)
    for part, (cause, told, fix) in WRONG_CALLS.items():
        for position, _ in errors_saying(graph, part):
            site = site_at(graph.log, position)
            swapped = _swapped(texts, site) if part is MessagePart.UNPAIRED else None
            if swapped is not None:
                said = f"At {words(site)}, the optimizer was given pairs of a variable and a gradient."
                turned = Fix(f"The gradient comes first: `{swapped}`.", calls.paired(editor, site, swapped=True))
                yield Finding.at(graph.log, cause, site, said, turned, position)
            elif part not in _HANDLED_ELSEWHERE or _applies(site):
                edit = EDITS[part](editor, site) if part in EDITS else None
                yield Finding.at(graph.log, cause, site, told.format(line=words(site)), Fix(fix, edit), position)


def _swapped(texts: Texts, site: Site | None) -> str | None:
    """For `zip(variables, gradients)`, of which a gradient call gave the second alone, the same in order."""
    zipped = [each for each in calls_in(line_of(site)) if ast.unparse(each.func) == "zip"]
    match zipped:
        case [ast.Call(args=[variables, ast.Name(id=gradients)])] if site is not None:
            made = [assignment(texts.of(site), each, site) for each in (ast.unparse(variables), gradients)]
            given = [method_call(each, "gradient") is not None for each in made]
            return f"zip({gradients}, {ast.unparse(variables)})" if given == [False, True] else None
    return None


def _applies(site: Site | None) -> bool:
    return site is not None and ".apply" in site.text


def no_rule_registered(graph: Graph) -> Iterator[Finding]:
    """The sweep came to an op for which the framework has no gradient at all, not even None."""
    editor = Editor(graph.log)
    for part, framework in NO_RULE.items():
        for position, error in errors_saying(graph, part):
            met = _next_due(graph, position, _named_in(error.message))
            if met is not None:
                site, asked = site_at(graph.log, met), site_at(graph.log, position)
                called = dialect_of(graph.log).op(graph.ops[met].op)
                told = _REGISTER_ONE if part is MessagePart.WITHOUT_FORMULA else GIVE_ONE
                yield Finding.at(
                    graph.log,
                    "nondifferentiable_op",
                    site,
                    f"{framework} has no gradient for `{called}`, which ran at {words(site)}: the gradient "
                    f"call at {words(asked)} failed there.",
                    Fix(told, same_with_gradient(editor, site)),
                    met,
                    position,
                )


def _named_in(message: str) -> str:
    """The op that a framework says has no gradient: `...: Unique`, `derivative for aten::floor_divide is ...`.

    Of an operator that the program defines, `... through mine.sine.default but ...`.
    """
    defined = message.partition("through ")[2].partition(" ")[0].split(".")
    if len(defined) == 3:
        return "::".join(defined[:2])
    name = message.partition("aten::")[2].partition(" ")[0] or message.rpartition(": ")[2]
    return "floordiv" if name == "floor_divide" else name


def _next_due(graph: Graph, failed: int, name: str) -> int | None:
    """The last op of this name on the path to the targets; of another, the last one that the sweep had not passed."""
    started = last_before(graph, failed, BackwardStarted)
    if started is None:
        return None
    call = graph.log.of_kind(BackwardStarted)[started]
    passed = {each.op for each in graph.log.of_kind(VjpApplied).values() if each.run == call.run}
    due = {link.position for link in graph.back(call.targets) if link.slot is not None} - passed
    recorded = [each for each in due if isinstance(graph.ops[each], OpRecorded)]
    called = [each for each in recorded if graph.ops[each].op == name]
    return max(called or recorded, default=None)


def open_ended_loop(graph: Graph) -> Iterator[Finding]:
    """The sweep came to a loop of which the rounds are not known beforehand: JAX does not go back through it."""
    for position, _ in errors_saying(graph, MessagePart.NO_REVERSE_PASS, MessagePart.NO_REVERSE_MODE):
        met, asked = last_before(graph, position, RecordingPaused), site_at(graph.log, position)
        site = asked if met is None else site_at(graph.log, met)
        loop = "a loop that the function comes to" if met is None else f"the loop at {words(site)}"
        yield Finding.at(
            graph.log,
            "nondifferentiable_op",
            site,
            f"How often {loop} runs shows only as it runs, and JAX keeps nothing of its rounds: the gradient call at "
            f"{words(asked)} failed there.",
            "Use `jax.lax.scan`, or `jax.lax.fori_loop` with bounds that are Python numbers, and `jnp.where` for "
            "rounds that are to change nothing.",
            met,
            position,
        )


RULES = (
    graph_consumed,
    custom.wrong_answer,
    sparse_gradient,
    sparse_to_an_optimizer,
    wrong_call,
    no_rule_registered,
    open_ended_loop,
    escaped,
    *autograd.RULES,
    *inside.RULES,
    *tracing.RULES,
    *boxes.RULES,
    *wrong_arguments.RULES,
)
