"""Two EventLogs -> Comparison: of a program before and after a change, or in one framework and in another.

- asked by users   `compare`
- the programs     `acts`, what each does at its lines, told apart by `align`
- the numbers      `likeness`, when two values are the same; `parting`, the lines from which on they are not
- the gradients    `gradients`, what became of each; `counterparts`, which of one program is which of the other
"""
