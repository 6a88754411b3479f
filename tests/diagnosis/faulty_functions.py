"""Faulty programs with compiled functions: what these keep of their first call, and may do only then."""

from __future__ import annotations

from tests.diagnosis.programs import marked

FUNCTIONS = [
    *marked(
        "tf_function",
        baked="""
    rate = 0.5  #! rate = tf.Variable(0.5)
    w = tf.Variable(2.0)
    @tf.function
    def loss_of():
        return rate * w * w  #! =
    out = []
    for new in (0.5, 5.0):
        rate = new  #! rate.assign(new)
        with tf.GradientTape() as tape:
            loss = loss_of()
        out.append(tape.gradient(loss, w))
    """,
        halved_after_every_call="""
    w = tf.Variable(2.0)
    rate = 0.1  #~ rate = tf.Variable(0.1)
    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = w * w
        w.assign_sub(rate * tape.gradient(loss, w))
    for epoch in range(3):
        step()
        rate *= 0.5  #! rate.assign(rate * 0.5)
    """,
        attribute_that_is_halved_from_outside="""
    class Task:
        def __init__(self):
            self.w, self.rate = tf.Variable(2.0), 1.0  #~ self.w, self.rate = tf.Variable(2.0), tf.Variable(1.0)
        @tf.function
        def loss(self):
            return self.rate * self.w * self.w
    task = Task()
    for epoch in range(3):
        with tf.GradientTape() as tape:
            loss = task.loss()
        tape.gradient(loss, task.w)
        task.rate = task.rate * 0.5  #! task.rate.assign(task.rate * 0.5)
    """,
        made_inside="""
    # raises
    made = []
    @tf.function
    def step(x):
        w = tf.Variable([1.0, 2.0])  #! made.append(tf.Variable([1.0, 2.0])) if not made else None;;w = made[0]
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * x)
        return tape.gradient(loss, w)
    g = step(tf.constant([3.0, 4.0]))
    """,
        baked_attribute="""
            class Loss:
                def __init__(self):
                    self.weight = 1.0
                @tf.function
                def __call__(self, v):
                    return self.weight * tf.reduce_sum(v * v)
            loss, v = Loss(), tf.Variable([1.0, 2.0])
            loss(v)
            loss.weight = 5.0  #!
            with tf.GradientTape() as t:
                y = loss(v)
            t.gradient(y, v)
            """,
        baked_closure="""
            def make():
                rate = 1.0
                @tf.function
                def f(x):
                    return x * x * rate
                def set_rate(r):
                    nonlocal rate
                    rate = r  #!
                return f, set_rate
            f, set_rate = make()
            x = tf.Variable(2.0)
            f(x)
            set_rate(5.0)
            with tf.GradientTape() as t:
                y = f(x)
            t.gradient(y, x)
            """,
        variable_in_a_step="""
            # raises
            made = []
            @tf.function
            def layer(x):
                k = tf.Variable([[0.5]])  #! made.append(tf.Variable([[0.5]])) if not made else None;;k = made[0]
                return tf.matmul(x, k)
            x = tf.ones([1, 1])
            with tf.GradientTape() as t:
                y = tf.reduce_sum(layer(x))
            """,
        dict_of_settings="""
    def make():
        settings = {"l2": 0.1}
        @tf.function
        def penalised(w):
            return settings["l2"] * tf.reduce_sum(w * w)
        w = tf.Variable([1.0, 2.0])
        penalised(w)
        settings["l2"] = 0.5  #!
        with tf.GradientTape() as t:
            y = penalised(w)
        return t.gradient(y, w)
    make()
    """,
        list_of_settings="""
    scale = [1.0]
    @tf.function
    def f(w):
        return scale[0] * w
    w = tf.Variable(2.0)
    for k in range(3):
        scale[0] = 1.0 + k  #!
        with tf.GradientTape() as t:
            y = f(w)
        t.gradient(y, w)
    """,
        object_of_settings="""
    class Config:
        beta = 1.0
    @tf.function
    def f(w):
        return Config.beta * w * w
    w = tf.Variable(2.0)
    f(w)
    Config.beta = 4.0  #!
    with tf.GradientTape() as t:
        y = f(w)
    t.gradient(y, w)
    """,
        flag_in_python="""
    training = True
    @tf.function
    def f(w):
        if training:
            return w * w
        return w
    w = tf.Variable(2.0)
    f(w)
    training = False  #!
    with tf.GradientTape() as t:
        y = f(w)
    t.gradient(y, w)
    """,
        made_at_a_new_shape="""
    # raises
    class Dense:
        @tf.function
        def __call__(self, x):
            self.w = tf.Variable(tf.ones([x.shape[-1], 1]))  #!
            return tf.matmul(x, self.w)
    d = Dense()
    d(tf.ones([2, 2]))
    with tf.GradientTape() as t:
        y = tf.reduce_sum(d(tf.ones([3, 2])))
    t.gradient(y, d.w)
    """,
        schedule_of_a_trainer="""
    class Trainer:
        def __init__(self):
            self.w = tf.Variable(4.0)
            self.beta = 0.0
        @tf.function
        def step(self):
            with tf.GradientTape() as tape:
                loss = self.w ** 2 + self.beta * 10.0 * self.w
            return tape.gradient(loss, self.w)
    trainer = Trainer()
    for epoch in range(3):
        trainer.beta = epoch * 0.5  #!
        g = trainer.step()
    """,
    ),
]
