"""A problem and its place in the program -> the edit that mends it, None where no machine can make it.

- the writer   `editor`: what writes into the files of a log, in the words of their framework
- following    `following`: asking for a gradient to be kept, and for tensors to be watched, trained and real
- moving       `moving`: lines into a block, out of one, and the block itself
- formulas     `formulas`: another expression in the place of an op, of one of its operands or of a function
- picking      `picking`: what an index picks; `substitutes`: ops with a gradient in the place of one without
- values       `values`: tensors in the place of what was read out, copied or written into a variable; `writing`:
               new ones in the place of those that are changed, and what is added taken off
- calls        `calls`: what a gradient call, an optimizer or a module is given; `gradient_functions`: what the
               user's own gradient functions ask for and are given; `arguments`: by which one JAX differentiates
"""
