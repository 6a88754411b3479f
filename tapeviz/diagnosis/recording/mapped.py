"""Graph -> Findings about functions that are mapped over a mesh of devices, and what these sum up, or do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tapeviz.diagnosis.finding import Finding, Severity
from tapeviz.diagnosis.ranks.passes import number
from tapeviz.diagnosis.wording.places import once, words
from tapeviz.events import EventLog, OpRecorded
from tapeviz.graph import Graph
from tapeviz.phrases import counted, listed, quoted
from tapeviz.source.places import site_at

JOIN, SUM = "shard_map.join", "psum"
CLOSE = 1e-5
"""The relative distance up to which devices have the same."""


def sum_missing(graph: Graph) -> Iterator[Finding]:
    """A result that is said to be one that all devices have is not: they have others, and one of these is taken."""
    for position, op in graph.ops.items():
        if op.op != JOIN:
            continue
        about = dict(op.attrs)
        sizes = _sizes(str(about["mesh"]))
        given = [name for name in sizes if _names(name, str(about["spec"]))]
        apart = [name for name in sizes if name not in given and not _are_alike(graph.log, op.inputs[0], sizes, name)]
        if apart:
            made = graph.producer(op.inputs[0])
            made = position if made is None else made
            axes, count = listed(list(map(quoted, apart))), int(np.prod([sizes[each] for each in apart]))
            yield _finding(
                graph.log,
                "device_sum_missing",
                "The result of devices is taken for one that all have",
                made,
                f"the result of a mapped function, made at {words(site_at(graph.log, made))}, is given as one that all "
                f"devices along {axes} have, {quoted(str(about['spec']))}, and they have different ones: that of the "
                f"first of {count} is taken, and the gradient is the mean of theirs.",
                f"Sum it up, or take the mean, in the function: `jax.lax.pmean(result, {apart[0]!r})`; without "
                "`check_vma=False` JAX refuses such a result.",
            )


def summed_twice(graph: Graph) -> Iterator[Finding]:
    """What all devices have alike is summed up over them, and is so many times as large."""
    for position, op in graph.ops.items():
        about = dict(op.attrs)
        if op.op != SUM or "mesh" not in about or not isinstance(op, OpRecorded):
            continue
        sizes, names = _sizes(str(about["mesh"])), str(about["axis"]).split(", ")
        value = graph.log.value(op.inputs[0])
        is_alike = isinstance(value, np.ndarray) and bool(np.any(value))
        if is_alike and all(_are_alike(graph.log, op.inputs[0], sizes, each) for each in names if sizes[each] > 1):
            count = number(op, "devices")
            if count > 1 and not _is_divided(graph, op, count):
                yield _finding(
                    graph.log,
                    "device_sum_doubled",
                    "What all devices have is summed up over them",
                    position,
                    f"`psum` at {words(site_at(graph.log, position))} adds up over {listed(list(map(quoted, names)))} "
                    f"what the {counted(count, 'device')} have alike: it is {count} times what each has.",
                    "Leave it out where the sum, or the mean, was taken before, or write `jax.lax.pmean`.",
                    severity="hint",
                )


def _names(name: str, spec: str) -> bool:
    """Whether a spec as a program has it names an axis."""
    return repr(name) in spec


def _sizes(mesh: str) -> dict[str, int]:
    """The axes of a mesh from its text.

    >>> _sizes("data=2, model=4")
    {'data': 2, 'model': 4}
    """
    return {name: int(size) for name, _, size in (each.partition("=") for each in mesh.split(", "))}


def _are_alike(log: EventLog, tensor: int, sizes: dict[str, int], name: str) -> bool:
    """Whether the devices along an axis have the same, as far as it is known."""
    value, axis = log.value(tensor), list(sizes).index(name)
    if not isinstance(value, np.ndarray) or value.ndim < len(sizes) or value.dtype.kind not in "fc":
        return True
    first = np.take(value, [0], axis)
    return bool(np.linalg.norm(value - first) <= CLOSE * np.linalg.norm(value))


def _is_divided(graph: Graph, op: OpRecorded, count: int) -> bool:
    """Whether a sum becomes a mean at once."""
    readers = [graph.ops[link.position] for link in graph.links_from(op.outputs[0])]
    numbers = [graph.log.value(each) for reader in readers if reader.op in ("div", "mul") for each in reader.inputs]
    return any(np.shape(each) == () and each is not None and float(each) in (count, 1 / count) for each in numbers)


def _finding(
    log: EventLog, cause: str, title: str, position: int, message: str, fix: str, *, severity: Severity = "warning"
) -> Finding:
    site = site_at(log, position)
    told = once(message[0].upper() + message[1:], site)
    return Finding(cause, "wrong", severity, None, None, site, told, fix, (position,), title)


RULES = (sum_missing, summed_twice)
"""Graph -> what is wrong with the sums of mapped functions."""
