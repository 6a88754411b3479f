"""The numbers of one run -> where a gradient goes bad, entry by entry and layer by layer.

- of a run     `run_numbers`: what arrives at each tensor, and where a bad gradient begins; `hooks`: the hook of the
               program's that made it bad
- of a tensor  `elements`, what stops each entry that is zero, with `moves`, where an op takes its entries from,
               `sequences`, which a recurrent op keeps apart, and `underflow`, where too little arrives
- of an op     `operands`: the entry where it stops being finite, what met there, and whether that is a pole;
               `overwritten`: what it kept, and a line changed; `broadcast_sums`: the rows that an operand was added to,
               whose gradients may cancel
- of a rule    `slips`, how what a rule gave differs from what is due; `slip_words`, the same in words
- of a path    `layers`: those between source and target, and the norm at each; `shrinking`: where it lost most
"""
