"""A variational autoencoder."""

import numpy as np
import tensorflow as tf

keras = tf.keras


class Sampling(keras.layers.Layer):
    def call(self, inputs):
        z_mean, z_log_var = inputs
        epsilon = tf.random.normal(shape=tf.shape(z_mean), seed=42)
        return z_mean + tf.exp(0.5 * z_log_var) * epsilon


ki = lambda s: keras.initializers.GlorotUniform(seed=s)


class VAE(keras.Model):
    def __init__(self, latent_dim=2, beta=1.0, **kwargs):
        super().__init__(**kwargs)
        inp = keras.Input(shape=(8,))
        x = keras.layers.Dense(6, activation="relu", kernel_initializer=ki(1))(inp)
        m = keras.layers.Dense(latent_dim, name="z_mean", kernel_initializer=ki(2))(x)
        v = keras.layers.Dense(latent_dim, name="z_log_var", kernel_initializer=ki(3))(x)
        z = Sampling()([m, v])
        self.encoder = keras.Model(inp, [m, v, z], name="encoder")
        li = keras.Input(shape=(latent_dim,))
        self.decoder = keras.Model(
            li, keras.layers.Dense(8, activation="sigmoid", kernel_initializer=ki(4))(li), name="decoder"
        )
        self.beta = beta
        self.total_loss_tracker = keras.metrics.Mean(name="total_loss")
        self.reconstruction_loss_tracker = keras.metrics.Mean(name="reconstruction_loss")
        self.kl_loss_tracker = keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total_loss_tracker, self.reconstruction_loss_tracker, self.kl_loss_tracker]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            z_mean, z_log_var, z = self.encoder(data)
            reconstruction = self.decoder(z)
            reconstruction_loss = tf.reduce_mean(keras.losses.binary_crossentropy(data, reconstruction)) * 8
            kl_loss = -0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var))
            kl_loss = tf.reduce_mean(tf.reduce_sum(kl_loss, axis=1))
            total_loss = reconstruction_loss + self.beta * kl_loss
        grads = tape.gradient(total_loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total_loss_tracker.update_state(total_loss)
        self.reconstruction_loss_tracker.update_state(reconstruction_loss)
        self.kl_loss_tracker.update_state(kl_loss)
        return {
            "loss": self.total_loss_tracker.result(),
            "reconstruction_loss": self.reconstruction_loss_tracker.result(),
            "kl_loss": self.kl_loss_tracker.result(),
        }


x = (np.random.RandomState(0).rand(16, 8) > 0.5).astype("float32")
vae = VAE(beta=4.0)
vae.compile(optimizer=keras.optimizers.Adam(), run_eagerly=True)
h = vae.fit(x, epochs=3, batch_size=8, verbose=0, shuffle=False)
for k, v in h.history.items():
    print(k, np.round(v, 3))
vae.encoder.summary()
vae.decoder.summary()


def log_normal_pdf(sample, mean, logvar, raxis=1):
    log2pi = tf.math.log(2.0 * np.pi)
    return tf.reduce_sum(-0.5 * ((sample - mean) ** 2.0 * tf.exp(-logvar) + logvar + log2pi), axis=raxis)


print(log_normal_pdf(tf.ones([2, 3]), 0.0, 0.0), vae.decoder(tf.zeros([1, 2])))
