"""Healthy trainings, and the fifteen faults between gradient and weight that are planted into them.

`python -m tests.diagnosis.trainings` prints how many are named, per fault and per way to train.

- `faults`      the list of faults, and what a finding must name of each
- `torch.txt`, `trainers.txt`, `keras.txt`, `optax.txt`: a training for each fault, in plain PyTorch, with the trainer
                of a library, with Keras or TensorFlow, and with JAX and optax
- `reading`     a text -> its trainings
- `scoring`     a training, run as it is and with its fault -> named, missed, unshown; silent, alarm
- `running`     trainings -> what came of them, in a process for each of the four ways

The lines of a training bear the marks of `tests/diagnosis/programs.py`: what is run with the fault stands first, and
after the mark what the healthy training has there.
"""
