"""Gradient functions of the user's that are wrong."""

from __future__ import annotations

from tests.diagnosis.planted.faults.fault import Fault, hidden


def _function(backward: str) -> str:
    """A `Function` whose forward is three times its input."""
    return f"""class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3.0 * x
    @staticmethod
    def backward(ctx, g):
        {backward}  #!
$h = Tripled.apply($h)  #!"""


def _custom_gradient(returned: str) -> str:
    return f"""@tf.custom_gradient
def tripled(x):
    return 3.0 * x, lambda g: {returned}  #!
$h = tripled($h)  #!"""


def _custom_vjp(returned: str) -> str:
    return f"""@jax.custom_vjp
def tripled(x):
    return 3.0 * x
tripled.defvjp(lambda x: (3.0 * x, x), lambda x, g: ({returned},))  #!
$h = tripled($h)  #!"""


def _wrong(name: str, shows: str, torch: str, tf: str, jax: str, causes: str = "custom_gradient_bug") -> Fault:
    return hidden(name, causes, shows, torch=_function(torch), tf=_custom_gradient(tf), jax=_custom_vjp(jax))


ZEROS = "custom_gradient_bug zero_derivative"
"""A function that gives zeros may be meant to: it is named as the reason, and not called wrong."""

ROWS: list[Fault] = [
    _wrong("custom_gradient_is_nothing", "none error zero", "return None", "None", "jnp.zeros_like(x)", ZEROS),
    _wrong("custom_gradient_is_zero", "zero", "return g * 0.0", "g * 0.0", "g * 0.0", ZEROS),
    _wrong(
        "custom_gradient_forgets_what_came_in",
        "wrong",
        "return 3.0 * torch.ones_like(g)",
        "3.0 * tf.ones_like(g)",
        "3.0 * jnp.ones_like(g)",
    ),
    _wrong("custom_gradient_forgets_its_factor", "wrong", "return g", "g", "g"),
    _wrong("custom_gradient_has_the_wrong_sign", "wrong", "return -3.0 * g", "-3.0 * g", "-3.0 * g"),
    _wrong("custom_gradient_is_not_finite", "nan", "return g / 0.0", "g / 0.0", "g / 0.0"),
]
"""Rules of a function that triples its input."""
