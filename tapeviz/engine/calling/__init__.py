"""An op and what it is given -> its result, known to every tape and log that is open.

- calls        `call`; `quick`, the short way of the commonest
- what goes in `operands`, Python's values beside tensors
- what comes   `emit`: a tensor, a node on every tape that follows an input, a record in the log
"""
