"""Fixes in the spelling of the framework whose program it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import tapeviz
from tapeviz.diagnosis.finding import Answer, Finding
from tapeviz.diagnosis.wording.spelling import FUNCTIONS, OPS, PHRASES, ZEROS, translated
from tapeviz.recorders.torch.names import table

SOURCES = Path(tapeviz.__file__).parent / "diagnosis"
SAID = {name for path in SOURCES.rglob("*.py") for name in re.findall(r"\btf\.([a-z_][\w.]*\w)", path.read_text())}

TEXTS = [
    each.value
    for path in SOURCES.rglob("*.py")
    if path.name != "spelling.py"
    for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(each, ast.Constant) and isinstance(each.value, str)
]


def fix(text: str, framework: str = "jax") -> str:
    return translated(Finding("domain_edge", "nan", "error", 0, 1, None, "", text, ()), framework).fix


@pytest.mark.parametrize("framework", FUNCTIONS)
def test_every_function_that_a_rule_may_name_has_a_spelling(framework: str) -> None:
    assert SAID - FUNCTIONS[framework].keys() == set()


@pytest.mark.parametrize("framework", PHRASES)
def test_every_phrase_of_another_framework_is_in_place_of_one_that_is_said(
    framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    phrases = dict(PHRASES[framework])
    monkeypatch.setitem(PHRASES, framework, {})
    texts = [fix(text, framework) for text in TEXTS]
    for phrase, own in phrases.items():  # in their order: a phrase may be said only until another is replaced
        assert any(phrase in text for text in texts), phrase
        monkeypatch.setitem(PHRASES, framework, {phrase: own})
        texts = [fix(text, framework) for text in texts]


@pytest.mark.parametrize("phrase", ZEROS)
def test_every_phrase_about_zeros_is_in_place_of_one_that_is_said(phrase: str) -> None:
    assert any(phrase in text for text in TEXTS)


@pytest.mark.jax
@pytest.mark.parametrize("name", FUNCTIONS["jax"])
def test_what_is_written_for_jax_is_there(name: str) -> None:
    jax = pytest.importorskip("jax")
    names = {"jax": jax, "jnp": jax.numpy, "x": jax.numpy.ones(2), "_0": 2.0, "_1": 0.0}
    if not FUNCTIONS["jax"][name].startswith("optax"):
        eval(FUNCTIONS["jax"][name], names)


@pytest.mark.parametrize(
    ("tensorflow", "jax"),
    [
        ("Write `tf.sqrt(x + 1e-12)`.", "Write `jnp.sqrt(x + 1e-12)`."),
        ("`z + tf.stop_gradient(q - z)` and `tf.tanh`", "`z + jax.lax.stop_gradient(q - z)` and `jnp.tanh`"),
        ("`tf.math.divide_no_nan(a - b, c)`", "`jnp.where(c == 0, 0.0, (a - b) / jnp.where(c == 0, 1.0, c))`"),
        ("`y = tf.square(x)`, `x`", "`y = jnp.square(x)`, `x`"),
        (
            'Use `w`, leave it out of the sources, or pass `unconnected_gradients="zero"`.',
            "Use `w`, or leave it out of `argnums`.",
        ),
    ],
)
def test_code_is_rewritten_and_prose_stays(tensorflow: str, jax: str) -> None:
    assert fix(tensorflow) == jax
    assert fix(tensorflow, "tapeviz") == tensorflow


@pytest.mark.torch
def test_an_answer_is_spelled_like_a_finding() -> None:
    torch = pytest.importorskip("torch")
    w, target = torch.ones(3, 1, requires_grad=True), torch.zeros(3)
    with tapeviz.record() as log:
        held = (w * 2).detach()
        loss = ((w * 3 + held - target) ** 2).sum()
        loss.backward()
    answer = tapeviz.why(log, loss, w)
    assert isinstance(answer, Answer)
    assert "`detach` at" in answer.message
    assert "torch.squeeze" in str(answer.warnings[0])
    assert not [word for word in ("tf.", "stop_gradient", "reduce_") if word in str(answer)], str(answer)


def test_an_op_whose_name_is_tensorflows_alone_has_the_frameworks() -> None:
    assert fix("`clip_by_value` is flat.", "torch") == "`clamp` is flat."
    assert fix("`clip_by_value` is flat.") == "`clip` is flat."


@pytest.mark.parametrize(
    "text",
    [
        "`reduce_lr` is read at reduce_data.py, line 3.",
        "`model.reduce_sum.weight`, made at reduce_sum.py, line 3, and `reduce_sum[0]`",
        "`states['the tape']` and `gets None`",
    ],
)
@pytest.mark.parametrize("framework", FUNCTIONS)
def test_names_and_places_of_the_user_stay(text: str, framework: str) -> None:
    assert fix(text, framework) == text


def test_the_ops_of_a_path_have_the_frameworks_names() -> None:
    path = "`x` → clip_by_value (a.py, line 2) → reduce_sum (line 3) → `loss`"
    assert fix(path, "torch") == "`x` → clamp (a.py, line 2) → sum (line 3) → `loss`"


def test_every_reduction_of_pytorch_has_its_own_name() -> None:
    recorded = {each.name for each in table().values() if each.name.startswith("reduce_")}
    assert recorded
    assert recorded <= OPS["torch"].keys()


@pytest.mark.jax
def test_an_integer_argument_is_an_error_in_jax() -> None:
    jax = pytest.importorskip("jax")

    def f(n: float, x: float) -> float:
        return n * x

    with pytest.raises(TypeError):
        jax.grad(f)(3, 2.0)
    [finding] = tapeviz.diagnose(tapeviz.record_jax(f, 3, 2.0))
    assert finding.message.endswith("no gradient passes an integer: `jax.grad` raises a TypeError for it.")
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
