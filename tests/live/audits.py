"""Recordings whose VJPs are right, and the same with a rule that is broken in the log: what an audit says of each.

`python -m tests.live.audits [right|broken|transformer]` prints the figures: no alarm on a thousand right programs, how
many of two hundred broken rules are named, with the slip, and how long thirty blocks of a transformer take.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import tapeviz as tv
from tapeviz import replay
from tapeviz.events import EventLog
from tapeviz.events.summary import elements_of
from tapeviz.live.audit import Audit

EXPRESSIONS = """
x * y
x / (y * y + 1)
x - y
torch.tanh(x)
torch.sigmoid(x)
torch.exp(x) * y
torch.sin(x)
F.softplus(x)
F.gelu(x)
F.gelu(x, approximate="tanh")
F.silu(x)
F.relu(x)
F.linear(x, w, b)
x @ w
torch.addmm(b, x, w)
torch.softmax(x, -1)
torch.log_softmax(x, 1)
F.layer_norm(x, (4,), b, c)
F.mse_loss(x, y)
F.cross_entropy(x, labels)
F.cross_entropy(x, labels, reduction="sum")
F.nll_loss(x, labels)
F.binary_cross_entropy_with_logits(x, shares)
F.scaled_dot_product_attention(x, y, w)
F.scaled_dot_product_attention(x, y, w, is_causal=True)
F.embedding(labels, x)
x.masked_fill(mask, 0.0)
x.clamp(-0.5, 0.5)
torch.maximum(x, y)
x.sum(0)
x.mean()
x.pow(3.0)
torch.sqrt(x * x + 1)
x.transpose(0, 1)
x.reshape(2, 8)
torch.cat([x, y])
torch.stack([x, y])
torch.where(mask, x, y)
x.chunk(2, 1)[1]
x.std(1)
x.var(0, unbiased=False)
x.float().to(torch.bfloat16)
x[1:, :2]
""".strip().splitlines()
DTYPES = ("float32", "float64", "bfloat16", "float16")
BROKEN = ["x * y", "F.linear(x, w, b)", "x @ w", "F.layer_norm(x, (4,), b, c)", "torch.softmax(x, -1)", "F.gelu(x)"]
BROKEN += ["torch.tanh(x)", "F.cross_entropy(x, labels)", "F.scaled_dot_product_attention(x, y, w)", "F.mse_loss(x, y)"]


def recorded(expression: str, dtype: str = "float32", seed: int = 0) -> EventLog:
    """The passes of an expression in PyTorch."""
    import torch

    torch.manual_seed(seed)
    x, y, w = (torch.randn(4, 4).to(getattr(torch, dtype)).requires_grad_() for _ in range(3))
    b, c = ((torch.rand(4) + 0.5).to(getattr(torch, dtype)).requires_grad_() for _ in range(2))
    given = {"x": x, "y": y, "w": w, "b": b, "c": c, "F": torch.nn.functional, "torch": torch}
    given |= {"labels": torch.tensor([0, 3, 1, 1]), "mask": x > 0.3, "shares": torch.rand(4, 4).to(x.dtype)}
    with tv.record() as log:
        found = eval(expression, given)
        (found * torch.linspace(1, 2, found.numel()).reshape(found.shape).to(x.dtype)).sum().backward()
    return log


class Sent(NamedTuple):
    """What one step sends to a leaf: its number, the tensor, and its numbers, of which `other` is what another gets."""

    step: int
    cotangent: int
    value: Any
    read: Any
    other: Any


class Break(NamedTuple):
    """How a rule is broken, and what is to be said of it."""

    change: Callable[[Sent], Any]
    say: tuple[str, ...]


BREAKS: dict[str, Break] = {
    "factor": Break(lambda sent: 2 * sent.value, ("2 times it",)),
    "half": Break(lambda sent: sent.value / 2, ("1/2 of it",)),
    "sign": Break(lambda sent: -sent.value, ("opposite sign",)),
    "transpose": Break(lambda sent: sent.value.T, ("transpose",)),
    "term": Break(lambda sent: sent.value - sent.read / 2, ("a term of", "a factor of")),
    "mask": Break(lambda sent: sent.value * (np.arange(sent.value.size).reshape(sent.value.shape) % 3 > 0), ("mask",)),
    "swapped": Break(lambda sent: sent.other, ("gets the gradient of", "is that of")),
    "detached": Break(lambda sent: 0 * sent.value, ("detached", "it gives 0 where")),
}


def sent_to_leaves(log: EventLog) -> Iterator[Sent]:
    """What each step sends to matrices that are leaves."""
    (run,) = replay.runs(log)
    for number, step in enumerate(run.steps, 1):
        leaves = [each for each in step.contributions if log.tensors[each.tensor].role == "variable"]
        values = [elements_of(log.value(each.cotangent)) for each in leaves]
        for slot, (each, value) in enumerate(zip(leaves, values, strict=True)):
            others = [other for at, other in enumerate(values) if at != slot and other is not None]
            other = next((other for other in others if value is not None and other.shape == value.shape), None)
            if value is not None and value.ndim > 1:
                yield Sent(number, each.cotangent, value, elements_of(log.value(each.tensor)), other)


def broken(log: EventLog, sent: Sent, kind: str) -> Audit:
    """The audit of a recording in which what a step has sent is changed; the recording is left as it was."""
    tensors = log._read().tensors
    [(_, before)] = tensors.versions(sent.cotangent)
    value, read, other = (None if each is None else np.asarray(each, np.float64) for each in sent[2:])
    wide = sent._replace(value=value, read=read, other=other)
    tensors.fill(sent.cotangent, 0, BREAKS[kind].change(wide).astype(sent.value.dtype))
    try:
        return tv.audit(log)
    finally:
        tensors.fill(sent.cotangent, 0, before)


def _right(number: int = 1000) -> None:
    alarms, unsure = [], Counter[str]()
    for index in range(number):
        expression, dtype = EXPRESSIONS[index % len(EXPRESSIONS)], DTYPES[index // len(EXPRESSIONS) % len(DTYPES)]
        found = tv.audit(recorded(expression, dtype, index))
        unsure.update(each.verdict for each in found.steps)
        if not found:
            alarms.append((expression, dtype, index, found))
    print(f"right programs: {number}, with an alarm: {len(alarms)}; VJPs: {dict(unsure)}", *alarms, sep="\n  ")


def _broken(number: int = 200) -> None:
    named = told = tried = 0
    missed: Counter[tuple[str, str]] = Counter()
    for index in range(4 * number):
        expression, kind = BROKEN[index % len(BROKEN)], list(BREAKS)[index // len(BROKEN) % len(BREAKS)]
        log = recorded(expression, DTYPES[index // 80 % 2], index)
        for sent in list(sent_to_leaves(log))[:1]:
            if tried == number or (kind == "swapped" and sent.other is None):
                continue
            tried += 1
            wrong = broken(log, sent, kind).wrong
            is_named = [each.step for each in wrong] == [sent.step] and "at [" in wrong[0].text
            named += is_named
            says = bool(wrong) and any(word in wrong[0].text for word in BREAKS[kind].say)
            told += is_named and says
            missed.update([] if is_named and says else [(kind, expression)])
    print(f"broken rules: {tried}, named with op and entry: {named}, with the slip: {told}; without: {dict(missed)}")


def _transformer() -> None:
    from benchmarks.large_programs import transformer

    log = transformer(1500)
    began = time.perf_counter()
    found = tv.audit(log)
    print(f"transformer: {len(found.steps)} VJPs in {time.perf_counter() - began:.1f} s, wrong: {len(found.wrong)}")


FIGURES: dict[str, Callable[[], None]] = {"right": _right, "broken": _broken, "transformer": _transformer}


if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
