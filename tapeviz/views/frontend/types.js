/**
 * The shapes of the payload (JSDoc types only), as `tapeviz/views/payload/` writes it.
 *
 * Words and size of a box or of a folded group; its badge, or a wire's, takes `room`. Flags: recorded, skipped, dead (no gradient can pass), cut, target,
 * source, none (a source whose gradient is None), nan, inf, zero; repeat (a group whose members look the same).
 * @typedef {{
 *   id: string, kind: "op" | "variable" | "constant" | "state" | "group", title: string, subtitle: string,
 *   w: number, h: number, flags: string[], badge: string | null, room: number }} Look
 *
 * Of a box: what it shows of its value, a few numbers or, after a colon, a histogram; its words where they are cut; the group of its op (-1: none); a leaf that several ops share is at `home` in a group around them all.
 * @typedef {Look & { strip: string | null, whole: string | null, op: number | null, tensor: number | null, group: number, home: number }} Box
 * @typedef {{
 *   from: number, to: number, tensor: number, position: number, slot: number | null, flags: string[],
 *   badge: string | null, room: number }} Wire
 *
 * Of a group: the one it is in (-1: none), the last of its descendants, which follow it, the width of its title.
 * @typedef {Look & { parent: number, end: number, heading: number }} Group
 * @typedef {{ nodes: Box[], edges: Wire[], groups: Group[], unfolded: number[] }} SceneData
 * @typedef {{ rows: number, cols: number, levels: string }} Grid
 * @typedef {{
 *   name: string, role: string, shape: string, dtype: string, value: string | null,
 *   short: string | null, statistics: string | null, grid: Grid | null, histogram: string | null, saved: boolean, pruned: string | null,
 *   site: number | null }} Tensor
 *
 * What ops of one name have in common: a formula, and the rule of each argument, as MathML and as a line of text. In
 * both, "{x}" is a place for the name of argument x; "{(x)}" for one in parentheses unless it is a single word. The edges
 * of its domain, told in words, have such places too.
 * @typedef {{ math: string, line: string }} Formula
 * @typedef {{ name: string, arguments: string[], formula: Formula | null, rules: (Formula | null)[], edges: string[] }} Kind
 * @typedef {{
 *   kind: number, box: number | null, attrs: string | null, words: { name: string, text: string }[],
 *   inputs: number[], summed: number[], read: { slot: number, text: string }[], outputs: number[], saved: number[], site: number | null,
 *   tapes: string }} Op
 * @typedef {{
 *   file: string, line: number, column: number, end_line: number, end_column: number, function: string,
 *   first: number, context: string[] }} Site
 *
 * One VJP: `upstream` are the cotangents of the op's outputs; `total` is the sum on the tensor of argument `slot` with
 * the `cotangent` that was sent to it, made of `parts`; `final`: no more will come.
 * @typedef {{
 *   op: number, upstream: (number | null)[],
 *   sent: { slot: number, cotangent: number, total: number, parts: number, final: boolean }[] }} PackedStep
 *
 * `passes`: how many passes it takes, backwards and forwards; `begins`: the boxes that hold or make its targets.
 * @typedef {{
 *   label: string, passes: string, targets: number[], begins: number[], sources: number[], steps: PackedStep[],
 *   gradients: { source: number, cotangent: number | null }[] }} Run
 * @typedef {{
 *   severity: "error" | "warning" | "hint", cause: string, title: string, message: string, fix: string,
 *   site: number | null, nodes: string[], edges: number[], sources: number[] }} Finding
 * `remark`: what else to know of the recording; `run`: the one that is shown first; `notes`: by step, what the lecturer
 * has to say.
 * @typedef {{
 *   title: string, remark: string, scene: SceneData, tensors: Record<string, Tensor>, ops: Record<string, Op>,
 *   kinds: Kind[], sites: Site[], run: number, runs: Run[], findings: Finding[], notes: Record<string, string> }} Payload
 *
 * A step as it is told (words/steps.js).
 * @typedef {import("./words/rules.js").Equation} Equation
 * @typedef {{
 *   slot: number, tensor: number, cotangent: number, text: string, rule: Equation | null, numbers: Equation | null,
 *   sum: string, parts: number, final: boolean }} Contribution
 * @typedef {{
 *   op: number, title: string, upstream: { tensor: number, text: string, cotangent: number }[],
 *   contributions: Contribution[] }} Step
 *
 * A gradient as far as a step has come: `parts` contributions summed (0: the seed), `final` when no more will come.
 * @typedef {{ text: string, parts: number, final: boolean, cotangent: number | null }} GradientSoFar
 *
 * Where the reader stands. `run` -1: stepping forward; `selected`: a tensor id, `finding`: an index; -1: none;
 * `unfolded`: groups, the latest last; `between`: only what leads from this tensor to the target (-1: all); `line`: the
 * line of source ("file:12") whose ops are lit; `covered`: the numbers of the step are to be predicted first.
 * @typedef {{ run: number, step: number, selected: number, finding: number, unfolded: number[], between: number,
 *   lens: string, line: string, lecture: boolean, predict: boolean, covered: boolean }} Position
 * @typedef {import("./timeline/timeline.js").Timeline} Timeline
 * With it, what holds there; `measured`: by the lens, in the last run where one steps forward.
 * @typedef {Position & { timeline: Timeline, measured: import("./timeline/lens.js").Measured | null }} Moment
 * @typedef {{ payload: Payload, store: import("./store.js").Store, signal: AbortSignal, ask?: Ask,
 *   settable?: string[], place?: import("./viewport/viewport.js").Viewport["place"] }} Context
 *   `signal`: the end of a view, for what its elements do not take along
 *
 * What a page may ask of the program behind it, and its answer, as `tapeviz/live/debugger.py` gives it.
 * @typedef {{ agrees: boolean, comparisons: { slot: number, verdict: string, text: string }[] }} Checked
 * @typedef {{
 *   (question: { ask: "check", run: number, step: number }): Promise<Checked>,
 *   (question: { ask: "numbers", tensor: number }): Promise<string>,
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
