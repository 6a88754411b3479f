"""The user's program: an instruction, a site or a name in its source -> what the text there says.

Of all the rooms that read, only this one opens the user's files.

- a place      `sites`, from an instruction to its line, columns and names, with `codes`, what is looked up of code
               again and again, and `filenames`, what a file is called; `places`, from a position in a log to its line
               and to those of the calls around it
- a line       `lines`: what it assigns, computes, calls and reads out; `freezing`: whether what it makes is frozen
- a file       `text`, what stands at a site and around it; `statements`, what a node of its syntax assigns and holds
- names        `assignments`, the lines that give them values; `flow`, whether a value reaches another place by them;
               `skipped`, what no line reads that ran
- imports      `libraries`, those of all files of a log
- syntax       `parsing`, from a source to its tree
- expressions  `syntax`: what is asked for in one, whatever values run through it; `grad_use`: what the program does
               where a gradient is missing; `choices`: what Python chooses by a truth
- changes      `edits`, of the text of a file, and their patch; `editing`, those that a node of its syntax takes
- functions    `gradient_functions`: those of the user's own ops
- the graph    `roundtrips`: with the links that only the source shows, for values that left the tape and came back
"""
