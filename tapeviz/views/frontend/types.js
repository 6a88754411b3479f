/**
 * The shapes of the payload, as `tapeviz/views/payload/` writes it, and of what is made of it (JSDoc types only).
 *
 * Ids of tensors, positions of ops and numbers of sites are those of the payload's own tables; boxes, edges, groups, runs
 * and findings are told by their indices in its lists.
 *
 * @typedef {object} Payload
 * @property {string} title
 * @property {string} remark what else to know of the recording as a whole; ""
 * @property {SceneData} scene
 * @property {Record<string, Tensor>} tensors by id
 * @property {Record<string, Op>} ops by position in the log
 * @property {Kind[]} kinds of ops
 * @property {Record<string, Pictured & { words: string }>} attentions by position of their ops, of those that keep no weights: what
 *   is known of these, and their picture
 * @property {Site[]} sites
 * @property {number} run the one that is shown first; -1: there is none
 * @property {Run[]} runs
 * @property {Finding[]} findings
 * @property {Record<string, Note>} notes of a lecturer, by step
 * @property {OverRanks} [ranks] what this rank has in common with others
 * @property {Meeting[]} [meetings] where its steps cross to other ranks
 * @property {(run: number, tensor: number) => HTMLElement | null} [meeting] one as it is shown: the page adds it
 *
 * @typedef {object} OverRanks of what all ranks did, as this one did it
 * @property {string} remark
 * @property {(Difference | null)[]} boxes how they differ in each box; null where that is not known
 * @property {Finding[]} findings in all of them
 * @property {import("./timeline/lens.js").Measured} [measured] the differences, as a lens has them: the page adds it
 *
 * @typedef {{ kind: "otherwise" | "far" | "ended" | "spread" | "same", ranks: number[], text: string, level: number }}
 *   Difference `ranks`: those that are set off; `level`: how far their numbers are apart, from 0 to 1
 *
 * @typedef {{ run: number, tensor: number, by: string, shares: { of: string, text: string }[], left: string }} Meeting
 *   the gradient of a tensor in a reduction, or one that is sent, or a seed, by its own id: what came together there,
 *   and what it left
 *
 * @typedef {{ words: string[], formulas: Formula[] }} Note `formulas`: between each of the words and the next
 *
 * @typedef {object} SceneData everything that can be seen, before it is folded and gets its place
 * @property {Box[]} nodes
 * @property {Wire[]} edges
 * @property {Group[]} groups each before those in it
 * @property {number[]} unfolded the groups that are unfolded at first
 * @property {[number, number][]} parameters boxes that can be tucked into another one, the op that reads them, and that
 * @property {boolean} tucked whether they are at first
 * @property {Lines | null} lines the same by function and line; null where no line is a group
 * @property {{ way: string, unfolded: number[] }[]} [ways] in which it can be grouped (sight/regrouped.js)
 * @property {string} [way] in which it is
 *
 * @typedef {{ groups: Group[], unfolded: number[], parameters: [number, number][], group: number[], home: number[] }} Lines
 *   other groups; `group` and `home` of each box
 *
 * @typedef {object} Look how a box or a folded group looks
 * @property {string} id
 * @property {"op" | "variable" | "constant" | "state" | "group"} kind
 * @property {string} title
 * @property {string} subtitle
 * @property {number} w width in px
 * @property {number} h height in px
 * @property {string[]} flags recorded, skipped, dead (no gradient can pass), cut, target, source, none (a source whose
 *   gradient is None), nan, inf, zero; of a group whose members look the same: repeat
 * @property {string | null} badge
 * @property {"target" | "None" | "NaN" | "inf" | "zero" | null} claim what the badge says of a run: that it begins there,
 *   or what kind of gradient it gave
 * @property {number} room the width of the badge
 *
 * @typedef {object} BoxOnly
 * @property {string | null} strip what it shows of its value: a few numbers or, after a colon, a histogram
 * @property {boolean} gradient whether it shows its gradient, as far as a step has come
 * @property {string | null} whole its words in full, where they are shortened
 * @property {number | null} op its position
 * @property {number | null} tensor its id
 * @property {number} group that its op is in; -1: none
 * @property {number} home of a leaf that several ops read, the group around all of them; else `group`
 * @typedef {Look & BoxOnly} Box
 *
 * @typedef {object} Wire the value of a tensor, on its way into a box
 * @property {number} from box
 * @property {number} to box
 * @property {number} tensor
 * @property {number} position of the event by which it goes there
 * @property {number | null} slot the argument that it is; null: it goes past the tape
 * @property {string[]} flags recorded, skipped, dead or cut
 * @property {string | null} badge
 * @property {number} room the width of the badge
 *
 * @typedef {Look & { parent: number, end: number, heading: number }} Group `parent`: the group it is in (-1: none); `end`:
 *   the last of its descendants, which follow it; `heading`: the width of its title
 *
 * @typedef {object} Tensor
 * @property {string} name
 * @property {string} role
 * @property {string} shape as Python writes it
 * @property {string} dtype
 * @property {string | null} placement where the parts of a distributed tensor are: all else is about the part of this process
 * @property {string | null} value its elements, if they are few
 * @property {string | null} short what is said of it on one line, where that is neither `value` nor the norm
 * @property {string | null} statistics as tapeviz/views/words/numbers.py writes them
 * @property {Grid | null} grid
 * @property {string | null} histogram a letter for the height of each bar
 * @property {{ above: string, below: string, least: string, most: string } | null} spread of its sizes on a log scale: letters
 *   as of the histogram for what is above zero and what is below, and the ends of the scale
 * @property {boolean} rewritten whether an op has read other numbers of it than these
 * @property {boolean} saved by a tape
 * @property {string | null} pruned why a tape let it go
 * @property {number | null} site where it was made
 *
 * @typedef {Pick<Tensor, "name" | "shape" | "grid" | "rewritten">} Pictured as much of a tensor as a picture asks for
 *
 * @typedef {object} Grid the elements of a tensor, or some of them, as tapeviz/views/words/cells.py writes them
 * @property {number[]} sides how many indices of each axis there are
 * @property {number[]} strides every how many of them
 * @property {string[]} names of the axes, "" where there is none
 * @property {number} rows the axis of the rows of its picture; -1: none
 * @property {number} columns the axis of its columns
 * @property {string} numbers as base64
 *
 * @typedef {object} Kind what ops of one name have in common
 * @property {string} name
 * @property {string[]} arguments
 * @property {Formula | null} formula
 * @property {(Formula | null)[]} rules of each argument
 * @property {string[]} edges of its domain, in words with places as in a formula
 * @typedef {{ math: string, line: string }} Formula as MathML and as a line of text: "{x}" is the place for the name of
 *   argument x; "{(x)}" for one in parentheses, unless it is a single word
 *
 * @typedef {object} Op
 * @property {number} kind
 * @property {number | null} box
 * @property {string | null} attrs as they are written
 * @property {{ name: string, text: string }[]} words what stands in formulas for its attributes
 * @property {number[]} inputs
 * @property {number[]} summed slots whose gradients are sums over the axes along which the argument was stretched
 * @property {{ slot: number, text: string }[]} read numbers that it read, where a variable had others than on its card
 * @property {number[]} outputs
 * @property {number[]} saved tensors
 * @property {number | null} site
 * @property {string} tapes which of them followed it, in words
 *
 * @typedef {{ file: string, line: number, column: number, end_line: number, end_column: number, function: string,
 *   first: number, context: string[] }} Site `context`: the lines around it, from line `first` on
 *
 * @typedef {object} Run
 * @property {string} label
 * @property {string} passes how many passes it takes, backwards and forwards; "": that is told of another run
 * @property {number | null} site where the gradient was asked for
 * @property {number[]} targets
 * @property {number[]} begins boxes that hold or make its targets
 * @property {number[]} sources
 * @property {PackedStep[]} steps
 * @property {{ source: number, cotangent: number | null, update: number | null, small: Small | null }[]} gradients
 *   `update`: how long the next update of the source is beside the source, where that is known
 *
 * @typedef {{ words: string, losses: { op: number, text: string }[] }} Small a gradient that is: where it lost most, and how
 *   much each of these ops leaves
 *
 * @typedef {{ op: number, upstream: (number | null)[], sent: Sent[] }} PackedStep one VJP; `upstream`: the cotangents of
 *   the op's outputs
 * @typedef {{ slot: number, cotangent: number, total: number, parts: number, final: boolean }} Sent a contribution to the
 *   tensor of an argument; `total`: the sum there with this one, made of so many `parts`; `final`: no more will come
 *
 * @typedef {{ severity: "error" | "warning" | "hint", cause: string, title: string, message: string, fix: string,
 *   site: number | null, nodes: string[], edges: number[], sources: number[] }} Finding `nodes`: ids of boxes
 *
 * A step as it is told (words/steps.js).
 * @typedef {import("./words/rules.js").Equation} Equation
 * @typedef {{ op: number, title: string, upstream: { tensor: number, text: string, cotangent: number }[],
 *   contributions: Contribution[] }} Step
 * @typedef {{ slot: number, tensor: number, cotangent: number, text: string, rule: Equation | null,
 *   numbers: Equation | null, sum: string, parts: number, final: boolean }} Contribution
 *
 * @typedef {{ text: string, parts: number, final: boolean, cotangent: number | null }} GradientSoFar a gradient as far as
 *   a step has come: `parts` contributions summed (0: the seed); `final`: no more will come
 *
 * @typedef {object} Position where the reader stands
 * @property {number} run -1: stepping forward
 * @property {number} step
 * @property {number} selected a tensor; -1: none
 * @property {number} finding that is open; -1: none
 * @property {number[]} unfolded groups, the latest last
 * @property {string} way to group: "module", "line" or "flat"
 * @property {boolean} tucked whether parameters are tucked into the ops that read them
 * @property {number} between a tensor: only what leads from it to the target is shown; -1: everything
 * @property {string} lens
 * @property {string} line of source, "file:12", whose ops are highlighted; "": none
 * @property {number} side the width of the words beside the graph, in percent; 0: they are folded away; -1: as at first
 * @property {boolean} lecture
 * @property {boolean} predict
 * @property {boolean} covered the numbers of the step are hidden, for the reader to predict them
 *
 * @typedef {import("./timeline/timeline.js").Timeline} Timeline
 * @typedef {Position & { timeline: Timeline, measured: import("./timeline/lens.js").Measured | null }} Moment with what
 *   holds there; `measured`: by the lens, in the last run where one steps forward
 *
 * @typedef {object} Context what every part of a debugger gets
 * @property {Payload} payload
 * @property {import("./store.js").Store} store
 * @property {AbortSignal} signal the end of a view: listeners outside of it end then
 * @property {Ask} [ask] where there is a program to ask
 * @property {string[]} [settable] variables, by name, that the program can be run again with
 * @property {import("./viewport/viewport.js").Viewport["place"]} [place] where the last picture stood
 *
 * What a page may ask of the program behind it, and its answer, as `tapeviz/live/debug.py` gives it.
 * @typedef {{ agrees: boolean, comparisons: { slot: number, verdict: string, text: string }[] }} Checked
 * @typedef {{
 *   (question: { ask: "check", run: number, step: number }): Promise<Checked>,
 *   (question: { ask: "numbers", tensor: number }): Promise<string>,
 *   (question: { ask: "cells", tensor: number, rows: number, columns: number }): Promise<Grid>,
 *   (question: { ask: "set", name: string, text: string }): Promise<true> }} Ask
 *
 * A live widget's model, as anywidget gives it: the traits of `tapeviz/views/page/widget.py`, and a way for messages.
 * @typedef {{
 *   payload: import("./columns.js").Packed, styles: string, settable: string[], run: number, step: number,
 *   selected: number, unfolded: number[] }} Traits
 * @typedef {{ id: string, answer?: unknown, error?: string }} Message
 * @typedef {{
 *   get<Name extends keyof Traits>(name: Name): Traits[Name],
 *   set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void,
 *   save_changes(): void,
 *   send(message: unknown): void,
 *   on(event: string, listener: (message: Message) => void): void,
 *   off(event: string, listener: (message: Message) => void): void }} Model
 */

export {};
