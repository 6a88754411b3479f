"""A running Python program -> what a log says of it: the user's frames and calls, exceptions.

- lines        `frames`, from the stack to the user's frame and calls; `scope_codes`, for calls by a name
- objects      `inspection`, what is in them, found without running the program's code
- exceptions   `exceptions`, logged once, with a note; `tracebacks`, without the frames of recorders
- tf.function  `autograph`, Python that TensorFlow would rewrite; `captures`, Python values that it would keep
"""
