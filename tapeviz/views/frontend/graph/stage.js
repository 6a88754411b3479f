/** Payload -> the graph on its stage: the way that led here above it, map, note, zoom and keys over it, the legend below. */

import { Callout } from "./callout.js";
import { Crumbs } from "../panels/crumbs.js";
import { DebuggedGraph } from "./debugged_graph.js";
import { html } from "../elements/elements.js";
import { KeysHelp } from "../panels/keys_help.js";
import { Legend } from "../panels/legend.js";
import { Minimap } from "../viewport/minimap.js";
import { Trail } from "../panels/trail.js";
import { zoomButtons } from "../viewport/zoom.js";

/** What is seen of the program itself; beside it there are only words. */
export class Stage {
  help = new KeysHelp();

  /** @param {import("../types.js").Context} context */
  constructor(context) {
    this.graph = new DebuggedGraph(context);
    const { viewport, crowd, element } = this.graph;
    if (context.place) viewport.restore(context.place);
    const trail = new Trail(context, viewport);
    const crumbs = new Crumbs(context);
    const legend = new Legend(context);
    const minimap = new Minimap(viewport, () => this.graph.world.sight);
    const callout = new Callout(context.payload, this.graph);
    const trace = html("div.trace", trail.element, crumbs.element);
    const layers = [crowd.element, element, minimap.element, callout.element, zoomButtons(this.graph.actions), this.help.element];
    this.element = html("div.stage", trace, html("div.canvas", ...layers), legend.element);
    this.views = [trail, crumbs, legend, this.graph, callout];
    this.actions = { ...this.help.actions, ...trail.actions, ...this.graph.actions };
  }
}
