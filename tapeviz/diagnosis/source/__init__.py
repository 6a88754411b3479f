"""The user's source -> what it says of a line, an expression or a method, and how a value gets from place to place.

- a line       `lines`: what it assigns, computes, calls and reads out; `freezing`: whether what it makes is frozen
- a file       `text`, what stands at a site and around it; `statements`, what a node of its syntax assigns and holds
- names        `assignments`, the lines that give them values; `flow`, whether a value reaches another place by them
- expressions  `syntax`: what is asked for in one, whatever values run through it; `tested`: what the program does
               where a gradient is missing; `choices`: what Python chooses by a truth
- functions    `gradient_functions`: those of the user's own ops
"""
