"""An op and what it is given -> its result, known to every tape and log that is open.

- ops          `define`, from a row to an op that can be called
- calls        `call`; `quick`, a compiled fast path for the commonest ops
- inputs       `operands`, Python's values beside tensors
- outputs      `emit`: a tensor, a node on every tape that follows an input, a record in the log
"""
