"""A training step of the program's own, as Keras' guides have it for each backend."""

import keras
from five_layers import stack, weighted, x, y


class Stepping(keras.Sequential):
    """A model that trains itself."""

    def train_step(self, *given):
        return {"jax": self.by_jax, "tensorflow": self.by_tensorflow, "torch": self.by_torch}[keras.backend.backend()](
            *given
        )

    def by_tensorflow(self, data):
        import tensorflow as tf

        inputs, labels, *_ = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=labels, y_pred=self(inputs, training=True))
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {"loss": loss}

    def by_torch(self, data):
        import torch

        inputs, labels, *_ = data
        self.zero_grad()
        loss = self.compute_loss(y=labels, y_pred=self(inputs, training=True))
        loss.backward()
        gradients = [each.value.grad for each in self.trainable_variables]
        with torch.no_grad():
            self.optimizer.apply(gradients, self.trainable_variables)
        return {"loss": loss}

    def loss_of(self, trainable, others, inputs, labels):
        predicted, others = self.stateless_call(trainable, others, inputs, training=True)
        return self.compute_loss(inputs, labels, predicted), others

    def by_jax(self, state, data):
        import jax

        trainable, others, optimizer, metrics = state
        taking = jax.value_and_grad(self.loss_of, has_aux=True)
        (loss, others), gradients = taking(trainable, others, *data[:2])
        trainable, optimizer = self.optimizer.stateless_apply(optimizer, gradients, trainable)
        return {"loss": loss}, (trainable, others, optimizer, metrics)


weighted(stack(Stepping)).train_on_batch(x, y)
