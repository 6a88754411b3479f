"""Rules of the user's that are written and handed over in many ways: each is told at the line where it ends."""

from __future__ import annotations

import pytest

from tests.diagnosis.wrong.test_witnessed import own, run

HEAD = (
    "from functools import partial, wraps\nimport jax\nimport jax.numpy as jnp\nX = jnp.array([0.3, -1.2, 0.7, 1.9])\n"
)
TAIL = "\njax.grad(lambda x: jnp.sum(own(x) ** 2))(X)\n"

WAYS = {
    "lambdas": """
own = jax.custom_vjp(lambda x: jnp.sin(x))
own.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * jnp.cos(x),))  #!
""",
    "by keyword": """
@jax.custom_vjp
def own(x):
    return jnp.sin(x)
def forward(x):
    return own(x), x
def backward(x, g):
    return (g * jnp.cos(x),)  #!
own.defvjp(bwd=backward, fwd=forward)
""",
    "in a function": """
def make(k):
    @jax.custom_vjp
    def sine(x):
        return k * jnp.sin(x)
    def forward(x):
        return sine(x), (x,)
    def backward(kept, g):
        (x,) = kept
        return (g * k * jnp.cos(x),)  #!
    sine.defvjp(forward, backward)
    return sine
own = make(1.0)
""",
    "methods": """
class Sine:
    def __call__(self, x):
        f = jax.custom_vjp(self.value)
        f.defvjp(self.forward, self.backward)
        return f(x)
    def value(self, x):
        return jnp.sin(x)
    def forward(self, x):
        return self.value(x), x
    def backward(self, x, g):
        return (g * jnp.cos(x),)  #!
own = Sine()
""",
    "static methods": """
class Rules:
    @staticmethod
    def forward(x):
        return jnp.sin(x), x
    @staticmethod
    def backward(x, g):
        return (g * jnp.cos(x),)  #!
own = jax.custom_vjp(jnp.sin)
own.defvjp(Rules.forward, Rules.backward)
""",
    "partial": """
def forward(k, x):
    return k * jnp.sin(x), x
def backward(k, x, g):
    return (g * jnp.cos(x),)  #!
own = jax.custom_vjp(partial(lambda k, x: k * jnp.sin(x), 1.0))
own.defvjp(partial(forward, 1.0), partial(backward, 1.0))
""",
    "wrapped": """
def smooth(f):
    @wraps(f)
    def inner(x):
        return f(x)
    rule = jax.custom_vjp(inner)
    def backward(x, g):
        return (g * jnp.cos(x),)  #!
    rule.defvjp(lambda x: (f(x), x), backward)
    return rule
@smooth
def own(x):
    return jnp.sin(x)
""",
    "a rule of pushing forward": """
@jax.custom_jvp
def own(x):
    return jnp.sin(x)
@own.defjvp
def rule(primals, tangents):
    (x,), (g,) = primals, tangents
    return own(x), g * jnp.cos(x)  #!
""",
    "one of each argument": """
@jax.custom_jvp
def own(x):
    return jnp.sin(x)
own.defjvps(lambda g, y, x: g * jnp.cos(x))  #!
""",
}
BREAKS = [("g * ", "g * 0.5 * ", "is 1/2 of it"), ("g * ", "", "does not use the upstream gradient")]


def _program(way: str) -> tuple[str, int]:
    """The text of a program, and the line of its rule."""
    text = HEAD + WAYS[way] + TAIL
    (line,) = [number for number, each in enumerate(text.splitlines(), 1) if each.endswith("#!")]
    return text.replace("  #!", ""), line


@pytest.mark.jax
@pytest.mark.parametrize("way", WAYS)
def test_right_ones_go_unmentioned(way: str) -> None:
    assert own(run(_program(way)[0])[1]) == []


@pytest.mark.jax
@pytest.mark.parametrize(("right", "wrong", "says"), BREAKS)
@pytest.mark.parametrize("way", WAYS)
def test_broken_ones_are_told_where_they_end(way: str, right: str, wrong: str, says: str) -> None:
    text, line = _program(way)
    if not wrong and way in ("a rule of pushing forward", "one of each argument"):
        return  # such a rule is linear in its tangent, or JAX raises an error
    (found,) = own(run(text.replace(right, wrong))[1])
    assert says in found.message
    assert found.site is not None
    assert found.site.line == line
