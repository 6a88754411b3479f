"""A pulse of dynamiqs, shaped by the gradient through the master equation."""

import dynamiqs as dq
import jax
import jax.numpy as jnp

REQUIRES = ["dynamiqs", "jax"]

dq.set_progress_meter(False)


@jax.jit
def step(amplitude):
    def loss_fn(amplitude):
        hamiltonian = amplitude * dq.sigmax()
        result = dq.sesolve(hamiltonian, dq.basis(2, 0), jnp.linspace(0.0, 1.0, 4), exp_ops=[dq.sigmaz()])
        expected = result.expects[0, -1].real  #: hidden
        return (expected + 1.0) ** 2

    loss, grad = jax.value_and_grad(loss_fn)(amplitude)
    return amplitude - 0.1 * grad, loss, grad


amplitude = jnp.array(0.6)
gradients = []
for _ in range(2):
    amplitude, loss, grad = step(amplitude)
    gradients.append(grad)
results = amplitude, loss
