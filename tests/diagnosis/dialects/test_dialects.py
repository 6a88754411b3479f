"""A finding is told in the words of the framework whose program it is, and the names of the program stay."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

import tapeviz
from tapeviz.diagnosis import CAUSES
from tapeviz.diagnosis.dialects import DIALECTS
from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.phrases import PHRASES, WITH_ZEROS, Phrase
from tapeviz.diagnosis.dialects.torch import TORCH
from tapeviz.diagnosis.finding import Answer, Finding
from tapeviz.events.framework_facts import FRAMEWORK_FACTS
from tapeviz.recorders.torch.table import ROWS
from tests.diagnosis.programs import run

TENSORFLOWS_OWN = re.compile(r"\btapes?\b|\btf\.|watch|trainable|unconnected|Variable|assign")

ONLY_TENSORFLOWS = {"tf_function", "sparse_gradient"}
"""The causes that no program of another framework has."""


def test_every_framework_has_words() -> None:
    assert DIALECTS.keys() == FRAMEWORK_FACTS.keys()


@pytest.mark.parametrize("dialect", [JAX, TORCH])
def test_a_dialect_tells_causes_that_there_are(dialect: Dialect) -> None:
    assert dialect.causes.keys() <= CAUSES.keys()
    assert all(label == cause.label for label, cause in dialect.causes.items())


@pytest.mark.parametrize("label", sorted(CAUSES.keys() - ONLY_TENSORFLOWS))
def test_pytorchs_users_read_no_word_of_tensorflows(label: str) -> None:
    cause = TORCH.cause(label)
    assert not TENSORFLOWS_OWN.search(f"{cause.title} {cause.explanation} {cause.fix}")


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_word_of_tensorflows_has_another_in_pytorch_and_in_jax(phrase: Phrase) -> None:
    wording = PHRASES[phrase]
    assert not TENSORFLOWS_OWN.search(f"{wording.torch} {wording.jax or ''}")


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_has_the_same_places_in_every_framework(phrase: Phrase) -> None:
    wordings = [each for each in PHRASES[phrase] if each is not None]
    zeros = [WITH_ZEROS[phrase]] if phrase in WITH_ZEROS else []
    assert len({frozenset(places(each)) for each in (*wordings, *zeros)}) == 1


def test_every_framework_says_every_phrase() -> None:
    assert PHRASES.keys() == set(get_args(Phrase))
    for framework, dialect in DIALECTS.items():
        assert dialect.phrases.keys() == PHRASES.keys(), framework


def test_no_phrase_is_unused_and_none_is_said_with_other_places() -> None:
    said: dict[str, set[frozenset[str]]] = {}
    for path in Path(tapeviz.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name("say") | ast.Attribute(attr="say"), args=[ast.Constant(str(phrase))]):
                    filled = {str(each.arg) for each in node.keywords}
                    said.setdefault(phrase, set()).add(frozenset(filled - {"its"}))
    expected = {phrase: {frozenset(places(wording.tensorflow))} for phrase, wording in PHRASES.items()}
    assert {phrase: each for phrase, each in said.items() if phrase in expected} == expected


def places(wording: str) -> set[str]:
    """What a rule is to fill in; the dialect knows the tape, and what `its` is the genitive of is filled in anyway."""
    named = {name for _, name, _, _ in Formatter().parse(wording) if name is not None}
    return {"it" if each == "its" else each for each in named} - {"tape"}


def test_every_reduction_of_pytorch_has_its_own_name() -> None:
    recorded = {each.name for each in ROWS.values() if each.name.startswith("reduce_")}
    assert recorded
    assert recorded <= TORCH.ops.keys()


@pytest.mark.torch
@pytest.mark.parametrize("name", ["reduce_sum", "clip_by_value", "stop_gradient", "relu"])
def test_a_variable_that_is_called_as_an_op_keeps_its_name(name: str) -> None:
    torch = pytest.importorskip("torch")
    source = f"{name} = torch.ones(3, requires_grad=True)\nheld = ({name} * 2).detach()\nloss = held.sum()\n"
    finding = tapeviz.why(run(source, torch), "loss", name)
    assert isinstance(finding, Finding)
    assert finding.message.startswith("`detach` at ")
    assert finding.message.endswith(f"every path to `{name}`: `{name}` gets None.")


@pytest.mark.jax
def test_an_argument_that_is_called_as_an_op_keeps_its_name() -> None:
    jnp = pytest.importorskip("jax.numpy")
    [finding] = tapeviz.diagnose(tapeviz.record_jax(lambda clip_by_value, x: jnp.sum(x), jnp.ones(3), jnp.ones(3)))
    assert finding.message.startswith("`clip_by_value` gets no gradient (zeros in JAX)")
    assert finding.title == "The result does not depend on the argument"


@pytest.mark.torch
def test_an_answer_is_told_like_a_finding() -> None:
    torch = pytest.importorskip("torch")
    w, target = torch.ones(3, 1, requires_grad=True), torch.zeros(3)
    with tapeviz.record() as log:
        held = (w * 2).detach()
        loss = ((w * 3 + held - target).clamp(-9, 9) ** 2).sum()
        loss.backward()
    answer = tapeviz.why(log, loss, w)
    assert isinstance(answer, Answer)
    assert "`detach` at" in answer.message
    assert {"clamp", "sum"} <= set(re.findall(r"\w+", answer.paths[0]))
    assert "torch.squeeze" in str(answer.warnings[0])
    assert not [word for word in ("tf.", "stop_gradient", "reduce_", "clip_by") if word in str(answer)], str(answer)


@pytest.mark.torch
def test_a_tensor_without_a_name_is_followed_in_pytorchs_words() -> None:
    torch = pytest.importorskip("torch")
    kept = [torch.ones(2)]
    with tapeviz.record() as log:
        first = kept[0] * 2
        kept[0].requires_grad_()
        loss = first.sum() + torch.ones(1, requires_grad=True).sum()
        loss.backward()
    finding = tapeviz.why(log, loss, kept[0])
    assert isinstance(finding, Finding)
    assert finding.cause == "watched_too_late"
    assert "tape" not in str(finding), str(finding)


@pytest.mark.jax
def test_an_integer_argument_is_an_error_in_jax() -> None:
    jax = pytest.importorskip("jax")

    def f(n: float, x: float) -> float:
        return n * x

    with pytest.raises(TypeError):
        jax.grad(f)(3, 2.0)
    [finding] = tapeviz.diagnose(tapeviz.record_jax(f, 3, 2.0))
    assert finding.message.endswith("`jax.grad` takes floats alone: it raises a TypeError.")
    assert "write `3.0` for `3`" in finding.fix


@pytest.mark.jax
def test_a_result_that_jax_grad_refuses_is_told_of() -> None:
    jnp = pytest.importorskip("jax.numpy")
    w, x = jnp.ones(3), jnp.ones((2, 3))
    [vector] = tapeviz.diagnose(tapeviz.record_jax(lambda w, x: (x @ w) ** 2, w, x))
    [several] = tapeviz.diagnose(tapeviz.record_jax(lambda w, x: (jnp.sum(x @ w), x @ w), w, x))
    assert (vector.cause, several.cause) == ("implicit_sum", "implicit_sum")
    assert "has shape (2,), which `jax.grad` refuses" in vector.message
    assert "has_aux=True" in several.fix
    assert not tapeviz.diagnose(tapeviz.record_jax(lambda w, x: (jnp.sum(x @ w), x @ w), w, x, has_aux=True))
