"""A parameter of a differential equation, fitted through the solver's steps."""

import diffrax
import jax
import jax.numpy as jnp
import optax

REQUIRES = ["diffrax", "optax", "jax"]


def vector_field(t, y, args):
    prey, predator = y
    return jnp.array([args["a"] * prey - args["b"] * prey * predator, -predator + prey * predator])


def loss_fn(args, ts, ys):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(vector_field),
        diffrax.Tsit5(),
        ts[0],
        ts[-1],
        dt0=0.1,
        y0=jnp.array([1.0, 0.5]),
        args=args,
        saveat=diffrax.SaveAt(ts=ts),
        stepsize_controller=diffrax.PIDController(rtol=1e-4, atol=1e-4),
    )
    found = solution.ys * 1.0  #: hidden
    return jnp.mean((found - ys) ** 2)


@jax.jit
def step(args, opt_state, ts, ys):
    loss, grads = jax.value_and_grad(loss_fn)(args, ts, ys)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(args, updates), opt_state, loss, grads


args = {"a": jnp.array(0.7), "b": jnp.array(1.2)}
ts = jnp.linspace(0.0, 1.0, 5)
ys = jnp.ones((5, 2))
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(args)
gradients = []
for _ in range(2):
    args, opt_state, loss, grads = step(args, opt_state, ts, ys)
    gradients.append(grads)
results = args, loss
