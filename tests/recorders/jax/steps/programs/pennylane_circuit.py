"""A variational circuit of pennylane, simulated in JAX."""

import jax
import jax.numpy as jnp
import optax
import pennylane as qml

REQUIRES = ["pennylane", "optax", "jax"]

device = qml.device("default.qubit", wires=2)


@qml.qnode(device, interface="jax", diff_method="backprop")
def circuit(angles):
    qml.RX(angles[0], wires=0)
    qml.RY(angles[1], wires=1)
    qml.CNOT(wires=[0, 1])
    qml.RZ(angles[2], wires=1)
    qml.RX(angles[3], wires=1)
    return qml.expval(qml.PauliZ(1))


def loss_fn(angles, target):
    expected = circuit(angles)  #: hidden
    return (expected - target) ** 2


@jax.jit
def step(angles, opt_state, target):
    loss, grads = jax.value_and_grad(loss_fn)(angles, target)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(angles, updates), opt_state, loss, grads


angles = jnp.array([0.3, 0.5, 0.7, 0.2])
optimizer = optax.sgd(0.1)
opt_state = optimizer.init(angles)
gradients = []
for _ in range(2):
    angles, opt_state, loss, grads = step(angles, opt_state, 0.2)
    gradients.append(grads)
results = angles, loss
