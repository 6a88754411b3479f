"""A running Python program -> what a log says of its source: lines, names, calls, exceptions.

- lines        `frames`, from the stack to the user's frame and calls; `sites`, from an instruction to the source;
               `codes`, what is looked up of code again and again
- objects      `held`, what is in them, found without running the program's code
- exceptions   `raised`, logged once, with a note; `tracebacks`, without the frames of recorders
- tf.function  `autograph`, Python that TensorFlow would rewrite; `flow`, what returns, binds and reads in it;
               `captures`, Python values that it would keep; `functions`, where a function stands in the source
"""
