"""Two EventLogs -> Comparison: of a program before and after a change, or in one framework and in another.

- asked by users   `compare`
- the programs     `actions`, what each does at its lines, told apart by `align`
- the numbers      `tolerance`, when two values are the same; `values`, to look them up; `divergence`, the lines from
                   which on they are not
- the values       `matching`, whether those of counterparts are the same; `pairing`, which is which of all
                   `program_values`, computed in as many steps or `composed` of more
- the gradients    `gradients`, what became of each; `counterparts`, which of one program is which of the other
- one gradient     two ways to it: `sameness`, whether they give the same; `collected`, what either gives; `equations`,
                   by what two differ where `rounding` does not allow it; `parting`, the first op at which they do
"""
