"""What rules found -> sentences in the user's names and lines.

- where and what  `places`, of lines; `spelling`, of tensors and operands as the user writes them; `naming`, of tensors
                  that have no name; `opened`, of compiled functions that ran eagerly
- fixes           `fix`, words with the edit that does what they say; `fixes`, what to write instead; `safe`, in place
                  of what stops being finite, with `advice` where no formula is known, `discarded`, where a `where`
                  discards that, `logarithms`, of those of probabilities, `masks`, of infinities; `smooth`, of what has
                  no derivative; `leaves`, so that a name stays with its leaf; `changed`, the lines that a fix changes
"""
