"""Programs in which what learns, or is looked at, is a double of what was used; or is used as an index alone."""

from __future__ import annotations

from tests.diagnosis.programs import marked

DOUBLES = [
    *marked(
        "source_is_other_object",
        a_map_of_features_and_a_prediction_that_makes_another="""
            w, top = tf.Variable([[0.5, -1.0], [2.0, 0.3]]), tf.Variable([[1.0], [0.5]])
            def features(x):
                return tf.nn.relu(tf.matmul(x, w))
            def predict(x):
                return tf.matmul(features(x), top)
            image = tf.constant([[1.0, 2.0], [0.5, 3.0]])
            with tf.GradientTape() as tape:
                seen = features(image)
                score = predict(image)[0, 0]  #! score = tf.matmul(seen, top)[0, 0]
            print(tape.gradient(score, seen))
            """,
        a_list_of_the_model_that_was_made_first="""
            def make():
                model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
                model.build((None, 2))
                return model
            model = make()
            variables = model.trainable_variables  #! =
            model = make()  #~ model = model
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(tf.constant([[1.0, 2.0], [0.5, 3.0]])) ** 2)
            print(tape.gradient(loss, variables))
            """,
    ),
    *marked(
        "untracked_parameter",
        weights_in_an_object_of_no_layer="""
            class Kernels:
                pass
            class Bank(tf.keras.layers.Layer):
                def build(self, shape):
                    self.held = Kernels()
                    self.held.all = [tf.Variable(tf.ones([2, 3]))]  #! self.held.all = [self.add_weight(shape=(2, 3))]
                def call(self, x):
                    return tf.add_n([tf.matmul(x, each) for each in self.held.all])
            model = tf.keras.Sequential([Bank(), tf.keras.layers.Dense(1)])
            optimizer = tf.keras.optimizers.SGD(0.1)
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((model(tf.ones([4, 2])) - 1.0) ** 2)
                variables = model.trainable_variables
                optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
            """,
    ),
    *marked(
        "integer_dtype",
        a_position_of_a_table="""
            w, table = tf.Variable(1.7), tf.constant([0.0, 1.0, 4.0])
            def looked_up(position):
                i = tf.cast(position, tf.int32)  #! i = position
                return table[i]  #~ return i * i
            with tf.GradientTape() as tape:
                loss = looked_up(w) ** 2
            print(tape.gradient(loss, w))
            """,
        an_end_of_a_slice="""
            w, series = tf.Variable(1.7), tf.constant([1.0, 2.0, 4.0])
            with tf.GradientTape() as tape:
                n = tf.cast(w, tf.int32)  #! n = w
                loss = tf.reduce_sum(series[:n])  #~ loss = tf.reduce_sum(series * n)
            print(tape.gradient(loss, w))
            """,
    ),
    *marked(
        "nondifferentiable_op",
        the_entry_of_the_best_score="""
            scores, prices = tf.Variable([0.2, 1.7, 0.4]), tf.constant([3.0, 1.0, 2.0])
            with tf.GradientTape() as tape:
                best = tf.argmax(scores)  #! best = tf.nn.softmax(scores)
                cost = prices[best] ** 2  #~ cost = tf.reduce_sum(prices * best) ** 2
            print(tape.gradient(cost, scores))
            """,
    ),
]
