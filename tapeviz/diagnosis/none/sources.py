"""Question -> Finding: a path leads from the source to the target, but the source is not what is recorded."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.edits import following
from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.none.higher_order import differentiated_before
from tapeviz.diagnosis.none.made_of_numbers import made_of_numbers
from tapeviz.diagnosis.none.other_object import other_tape
from tapeviz.diagnosis.none.rebound import ever_watched, leaves_of_that_name, rebound, takes_over
from tapeviz.diagnosis.numbers.overwritten import is_by_another
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording import fixes
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.leaves import in_place
from tapeviz.diagnosis.wording.places import origin, words
from tapeviz.events import BackwardStarted, EventLog, LeafCreated, Site, TapeOpened, Unwatched
from tapeviz.graph import is_real
from tapeviz.phrases import quoted, unquoted
from tapeviz.source import lines
from tapeviz.source.places import calls, line_beside, same_line, site_at


def integer_source(question: Question, fix: Fix | None = None) -> Finding | None:
    """The source is of integer or bool type; without a `fix`, it is to be a float."""
    row = question.log.tensors[question.source]
    if is_real(row.dtype):
        return None
    site = question.made_on(row.id)
    return question.finding(
        "integer_dtype",
        site,
        f"{question.introduced(row.id)}, is {row.dtype}, and {question.say('no gradient for integers')}.",
        fix or fixes.as_float(question, row.id, site),
        symptom="error" if question.log.facts.takes_real_sources_only else None,
        evidence=[question.made_at(row.id)],
    )


def not_trainable(question: Question) -> Finding | None:
    """The source is a variable declared frozen, and nothing watches it."""
    leaf = question.leaf
    if leaf is None or question.is_followed:
        return None
    frozen = question.call.once("frozen", lambda: _frozen(question)).get(question.source)
    if frozen is not None:
        return _declared(question, leaf, frozen)
    if leaf.kind != "variable" or leaf.trainable:
        return None
    name, site, say = question.source_name, question.made_on(question.source), question.say
    listed = question.call.listed or question.call.site
    if _made_among_trainable(question, leaf) and not same_line(listed, site):
        return question.finding(
            "not_trainable",
            listed,
            f"{name}, which {words(listed)} lists among the sources, is not trainable: {words(site)} made it beside "
            f"variables that are, as a layer makes its statistics. It {say('gets None')}, as {say('the tape')} does "
            "not follow it.",
            Fix(
                f"Leave {name} out of the sources: ask for `trainable_variables`.",
                following.trained_alone(question.editor, listed),
            ),
            evidence=[question.made_at(question.source)],
        )
    there = f"was created with `{say('trainable')}=False` at {words(site)}"
    before = f"came with `{say('trainable')}=False` from before the recording"
    return question.finding(
        "not_trainable",
        site,
        f"{name} {before if site is None else there}, so {say('the tape')} does not follow it: it {say('gets None')}.",
        Fix(
            f"Leave {name} {say('out of the sources')}; if it is to learn, create it with `{say('trainable')}=True` or "
            f"call {say('watch it')} {say('where to watch')}.",
            following.trainable(question.editor, site, say("trainable")),
        ),
        evidence=[question.made_at(question.source)],
    )


def _declared(question: Question, leaf: LeafCreated, frozen: int) -> Finding:
    """A line of its own took the source from what is trained: a package that does so means it."""
    name, site = question.source_name, site_at(question.log, frozen)
    is_leaf = leaf.kind == "variable" or question.watch is not None
    by_package = is_leaf and not lines.is_written(site, "requires_grad")
    if is_leaf:
        told = f"{name} was frozen at {words(site)} (`requires_grad = False`), so no gradient is computed for it"
        fix = f"Freeze it only after the lines that are to train it, or set `requires_grad = True` on {name}."
        if by_package:
            fix = f"If what {words(site)} calls is to leave it as it is, all is well. Otherwise set `requires_grad = "
            fix += f"True` on {name}."
    else:
        told = f"{name} is a buffer since {words(site)}, and no gradient is computed for a buffer"
        fix = f"If {name} is to learn, make it a `torch.nn.Parameter`; else leave it out of what is trained."
    cure = Fix(fix, following.unfrozen(question.editor, site))
    severity: Severity = "hint" if by_package else "error"
    told += f": {question.outcome}."
    return question.finding("not_trainable", site, told, cure, severity=severity, evidence=[frozen])


def _frozen(question: Question) -> dict[int, int]:
    """Tensor -> the position at which its tape was last told to follow it no longer."""
    ends, passing = question.log.of_kind(Unwatched), question.call.passing_watches
    return {each.tensor: at for at, each in ends.items() if at not in passing}


def _made_among_trainable(question: Question, leaf: LeafCreated) -> bool:
    """Whether the line that made a frozen variable made trainable ones too: then it is not that line that froze it."""
    made_there = question.call.once("leaves by line", lambda: _leaves_by_line(question.log))
    return leaf.site is not None and any(each.trainable for each in made_there.get(leaf.site, ()))


def _leaves_by_line(log: EventLog) -> dict[int, list[LeafCreated]]:
    found: dict[int, list[LeafCreated]] = {}
    for leaf in log.of_kind(LeafCreated).values():
        if leaf.kind == "variable" and leaf.site is not None:
            found.setdefault(leaf.site, []).append(leaf)
    return found


def source_rebound(question: Question) -> Finding | None:
    """The source is a result, made from a followed leaf that had its name, or its place in an earlier call."""
    maker = question.graph.producer(question.source)
    if maker is None or question.is_followed:
        return None
    watched = question.call.once("ever watched", lambda: ever_watched(question.log))
    candidates = [*leaves_of_that_name(question.graph, question.source, watched), *_predecessors(question)]
    before = question.graph.ancestors([question.source]) & watched if candidates else set()
    namesakes = [each for each in candidates if each in before and each in question.graph.leaves]
    return _rebound(question, question.source, namesakes[0], maker) if namesakes else None


def successor_used(question: Question) -> Finding | None:
    """The target was made from a result that took over the name of the source after an earlier gradient call."""
    graph, source = question.graph, question.source
    asked = question.call.once("first asked for", lambda: _first_calls(question)).get(source)
    if asked is None or graph.producer(source) is not None:
        return None
    links = question.call.trail.links(source)
    results = (link for link in links if link.slot is not None)
    taken = next((link for link in results if takes_over(graph, link.position, link.head, source)), None)
    if taken is None or taken.position < asked:
        return None
    if taken.head in question.call.followed:
        return None
    return _rebound(question, taken.head, source, taken.position)


def _first_calls(question: Question) -> dict[int, int]:
    """Per source of earlier gradient calls, the first that asked for it."""
    first: dict[int, int] = {}
    for position, call in question.log.of_kind(BackwardStarted).items():
        if position != question.call.position:
            for source in call.sources:
                first.setdefault(source, position)
    return first


def _rebound(question: Question, result: int, first: int, maker: int) -> Finding:
    """The name of the leaf `first` was given to a result."""
    log = question.log
    name, site = question.name(result), _line_of(question, maker)
    plain = unquoted(name) if log.tensors[result].name is not None else "w"
    given = _attribute_given(log, maker) if plain == "w" else None
    if given is not None:
        site, plain = given
        name = quoted(plain)
    say = question.say
    unfollowed = rebound(question.graph, name, first, site, f"{say('the tape')} does not follow")
    return question.finding(
        "source_rebound",
        site,
        f"{unfollowed}, so {say('the gradient is None')}.",
        in_place(site, plain, question.editor).reworded(lambda code: f"Change the {say('variable')} in place: {code}."),
        evidence=[maker, question.made_at(first)],
    )


def _attribute_given(log: EventLog, maker: int) -> tuple[Site, str] | None:
    """The line that gave an attribute to a result which no name of the program's has, and the attribute as it has it.

    The attribute is the object's, whoever called the method: the line is not that of the call.
    """
    for site, _ in calls(log, maker):
        match lines.line_of(site):
            case [ast.Assign(targets=[ast.Attribute() as target])]:
                return site, ast.unparse(target)
    return None


def _line_of(question: Question, maker: int) -> Site | None:
    """The line that made a source: of an op in a function, the call of it beside the call of `gradient`."""
    return line_beside(question.log, maker, question.call.site, question.call.history.scopes)


def _predecessors(question: Question) -> list[int]:
    """What stood in the source's place in earlier gradient calls at the same line."""
    calls, position = question.log.of_kind(BackwardStarted), question.call.position
    if position is None or question.source not in calls[position].sources:
        return []
    slot, site = calls[position].sources.index(question.source), calls[position].site
    earlier = [each for at, each in calls.items() if at < position and each.site == site]
    return [each.sources[slot] for each in earlier if slot < len(each.sources)]


def watched_too_late(question: Question) -> Finding | None:
    """The tape was asked to watch the source after every op of the target that reads it."""
    watch = question.watch
    if watch is None:
        return None
    needed = question.call.ancestors
    uses = [link.position for link in question.graph.links_from(question.source) if link.head in needed]
    if not uses or max(uses) > watch:
        return None
    name, site, say = question.source_name, site_at(question.log, watch), question.say
    first = line_beside(question.log, min(uses), site, question.call.history.scopes)
    return question.finding(
        "watched_too_late",
        site,
        f"{name} {say('is watched')} at {words(site)}, after it was used at {words(first)}: "
        f"{say('too late for the watch')}, so {say('the gradient is None')}.",
        Fix(
            f"Call {_watched(question) or say('watch it')} before {words(first)} runs.",
            following.watched_earlier(question, site, first),
        ),
        evidence=[min(uses), watch],
    )


def filled_unseen(question: Question) -> Finding | None:
    """The source is a plain tensor that another library filled, such as NumPy, in memory that it shares."""
    graph, leaf, end = question.graph, question.leaf, question.call.position
    if question.is_followed or leaf is None or leaf.kind == "variable" or end is None:
        return None
    writes = [at for at in graph.writes.get(question.source, ()) if at < end and is_by_another(question.log, at)]
    if not writes:
        return None
    site, name, tape = site_at(question.log, writes[-1]), question.source_name, question.say("the tape")
    return question.finding(
        "left_to_numpy",
        site,
        f"{question.introduced(question.source)}, is filled with other numbers in the memory that {words(site)} gave "
        f"away, where {tape} cannot follow: no gradient of {question.target_name} goes on to what they were computed "
        "from.",
        f"Compute {name} by ops on tensors, rather than copy numbers into it.",
        evidence=writes[-1:],
    )


def not_watched(question: Question) -> Finding | None:
    """Nothing asked the tape to follow the source: a plain tensor, or a variable while automatic watching is off."""
    if question.is_followed or question.watch is not None:
        return None
    name, leaf = question.source_name, question.leaf
    opened = question.call.opened
    tape = None if opened is None else question.log.events[opened]
    if leaf is not None and leaf.kind == "variable":
        if not isinstance(tape, TapeOpened) or tape.watch_accessed:
            return None
        site = site_at(question.log, opened)
        return question.finding(
            "not_watched",
            site,
            f"The tape opened at {words(site)} does not follow variables by itself (`watch_accessed_variables=False`), "
            f"and nothing asked it to watch {name}, which gets None.",
            Fix(
                f"Call {_watched(question) or question.say('watch it')} {question.say('where to watch')}, or open the "
                "tape without that argument.",
                following.watched(question),
            ),
            evidence=[opened],
        )
    maker = question.graph.producer(question.source)
    site = question.made_on(question.source) if maker is None else _line_of(question, maker)
    introduced = question.introduced(question.source) if maker is None else f"{name}, {origin(site)}"
    return question.finding(
        "not_watched",
        site or site_at(question.log, opened),
        f"{introduced}, is a plain tensor that {question.say('is not followed')}: it {question.say('gets None')}.",
        _watch_it(question),
        evidence=[question.made_at(question.source), opened],
    )


def _watch_it(question: Question) -> Fix:
    watched, say = _watched(question), question.say
    if watched is None:
        return Fix(say("watch one without a name"))
    edit = following.watched(question)
    verb = "Call" if edit is None else "Write"
    told = f"{verb} {watched} {say('where to watch')}, or make {question.source_name} a {say('parameter')}."
    return Fix(told, edit)


def _watched(question: Question) -> str | None:
    """How the source is followed, if it has a name."""
    name = question.source_name
    return question.say("watch", name=unquoted(name)) if name.startswith("`") else None


RULES = (
    integer_source,
    differentiated_before,
    other_tape,
    not_trainable,
    source_rebound,
    successor_used,
    watched_too_late,
    filled_unseen,
    made_of_numbers,
    not_watched,
)
"""In this order; the first that fits holds. They need a path from the source to the target."""
