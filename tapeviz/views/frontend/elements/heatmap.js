/** Numbers and what is seen of them -> a heat map: a tile for each slice, with its axes, its scale, and the number one points to. */

import { html, svg } from "./elements.js";
import { axisName, cellText, CHANNELS, COLOUR, colourEnds, indexOf, jumpOf, shadesOf, shadeOf, ticksOf, tilesOf } from "../words/cells.js";

/** @typedef {import("../words/cells.js").Tile} Tile */
/**
 * The numbers of a grid, which slices are seen, and whether on a log scale.
 * @typedef {{ grid: import("../types.js").Grid, numbers: Float32Array, choice: import("../words/cells.js").Choice, log: boolean }} Seen
 */
/** @typedef {{ name: string, side: number, stride: number, jump: number }} Side an axis of a tile */

/** Shades of each sign. */
const SHADES = 12;
/** How small and how large a cell is where there is room, and about how high a tile; its least side, for which cells are stretched, in px. */
const [LEAST_CELL, LARGEST_CELL] = [6, 18];
const HIGHEST_TILE = 300;
const LEAST_EXTENT = 24;
/** The room beside a tile for the ticks of its rows, and that for all tiles in a narrow card, in px. */
const TICKS_BESIDE = 24;
const NARROW_CARD = 220;
/** More tiles have no ticks. */
const MOST_TICKED = 6;
/** What a tick takes of the height, and of the width for each of its digits and for one more, in px. */
const [TICK_HEIGHT, TICK_DIGIT] = [14, 7];
/** A cell below zero is smaller: colour is not the only sign. */
const INSET = 0.1;
/** @type {Record<string, [down: number, along: number]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** It hears the pointer and, focused, the arrow keys. */
export class HeatMap {
  #seen;
  #tiles;
  /** How far the next channel is of a picture in colour; 0: of another. */
  #colour;
  /** @type {Side} */
  #rows;
  /** @type {Side} */
  #columns;
  #point;
  /** @type {SVGSVGElement[]} */
  #pictures;
  #cursor = svg("rect.cursor", { width: 1, height: 1 });
  #number = html("p.pointed", { role: "status" });
  /** The place of what is pointed to: the tile, its row and column. */
  #at = [0, -1, 0];

  /**
   * @param {Seen} seen
   * @param {string} label
   * @param {(at: number[] | null) => void} point is told where one points to
   */
  constructor(seen, label, point) {
    const { grid, numbers, choice, log } = seen;
    this.#seen = seen;
    this.#point = point;
    this.#tiles = tilesOf(grid, choice);
    this.#rows = sideOf(grid, grid.rows);
    this.#columns = sideOf(grid, grid.columns);
    this.#colour = jumpOf(grid, choice.indexOf(COLOUR));
    const ends = this.#colour ? colourEnds(numbers) : null;
    const scale = shadesOf(this.#tiles.length === 1 ? this.#numbersOf(this.#tiles[0]) : numbers, log);
    this.#pictures = this.#tiles.map((tile) => (ends ? this.#coloured(tile, ends) : this.#picture(tile, scale)));
    const ticked = this.#tiles.length <= MOST_TICKED;
    const cell = Math.max(LEAST_CELL, Math.min(LARGEST_CELL, HIGHEST_TILE / this.#rows.side));
    const [width, height] = [this.#columns, this.#rows].map(({ side }) => Math.max(cell * side, LEAST_EXTENT));
    const across = Math.min(Math.ceil(Math.sqrt((this.#tiles.length * height) / width)), this.#tiles.length);
    const style = `--across:${across};--cells:${100 / this.#columns.side}% ${100 / this.#rows.side}%;--ratio:${width / height};--widest:${width + (ticked ? TICKS_BESIDE : 0)}px`;
    const shrunk = ticked ? Math.min(1, (NARROW_CARD / across - TICKS_BESIDE) / width) : 0;
    const told = `${label}: ${this.#rows.side} by ${this.#columns.side} cells`;
    this.element = html(
      "div.heatmap",
      { role: "group", tabindex: 0, "aria-label": told },
      html("div.tiles", { style }, ...this.#pictures.map((picture, index) => this.#framed(picture, this.#tiles[index], shrunk * width, shrunk * height))),
      ends ? html("p", `black ${cellText(grid, ends[0])}, full colour ${cellText(grid, ends[1])}`) : scaleBar(scale, (number) => cellText(grid, number)),
      this.#number,
    );
    this.element.addEventListener("pointermove", (event) => this.#hover(this.#under(event)));
    this.element.addEventListener("pointerleave", () => this.#hover(null));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.point(null);
  }

  /** What was pointed to by key, here or beside, stays told while nothing is under the pointer. @param {number[] | null} at */
  #hover(at) {
    const root = /** @type {ShadowRoot} */ (this.element.getRootNode());
    if (at || !root.activeElement?.matches(".heatmap")) this.#point(at);
  }

  /** Mark a place, here or in a picture of the same cells, and tell its number. @param {number[] | null} at */
  point(at) {
    this.#cursor.remove();
    const { rows, columns, names } = this.#seen.grid;
    const named = [rows, columns].filter((axis) => axis >= 0 && names[axis]);
    if (!at) return void (this.#number.textContent = named.length === 2 ? `${names[rows]} ↓, ${names[columns]} →` : "\u00a0");
    this.#at = at;
    const [tile, row, column] = at;
    this.#cursor.setAttribute("x", String(column));
    this.#cursor.setAttribute("y", String(row));
    this.#pictures[tile].append(this.#cursor);
    const { grid, numbers } = this.#seen;
    const place = this.#tiles[tile].start + row * this.#rows.jump + column * this.#columns.jump;
    const index = indexOf(grid, place);
    const told = names.some(Boolean) ? index.flatMap((each, axis) => (names[axis] ? [`${names[axis]} ${each}`] : [])).join(", ") : `[${index.join(", ")}]`;
    const places = this.#colour ? Array.from({ length: CHANNELS }, (_, channel) => place + channel * this.#colour) : [place];
    this.#number.textContent = `${told}: ${places.map((each) => cellText(grid, numbers[each])).join(", ")}`;
  }

  /** @param {PointerEvent} event @returns {number[] | null} */
  #under({ target, clientX, clientY }) {
    const tile = this.#pictures.findIndex((picture) => picture.contains(/** @type {Node} */ (target)));
    if (tile < 0) return null;
    const { left, top, width, height } = this.#pictures[tile].getBoundingClientRect();
    const [row, column] = [((clientY - top) / height) * this.#rows.side, ((clientX - left) / width) * this.#columns.side];
    return [tile, clamped(row, this.#rows.side), clamped(column, this.#columns.side)];
  }

  /** Beyond the last column is the next tile. @param {KeyboardEvent} event */
  #key(event) {
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    let [tile, row, column] = this.#at;
    if (row < 0) return this.#point([0, 0, 0]);
    column += move[1];
    const next = tile + Math.sign(Math.floor(column / this.#columns.side));
    if (next !== tile && next >= 0 && next < this.#tiles.length) [tile, column] = [next, column < 0 ? this.#columns.side - 1 : 0];
    this.#point([tile, clamped(row + move[0], this.#rows.side), clamped(column, this.#columns.side)]);
  }

  /** @param {Tile} tile @returns {Float32Array} */
  #numbersOf({ start }) {
    const { numbers } = this.#seen;
    const [rows, columns] = [this.#rows, this.#columns];
    return Float32Array.from({ length: rows.side * columns.side }, (_, cell) => numbers[start + Math.floor(cell / columns.side) * rows.jump + (cell % columns.side) * columns.jump]); // prettier-ignore
  }

  /**
   * Cells of one shade are one path: there are few, however many the cells.
   *
   * @param {Tile} tile
   * @param {ReturnType<typeof shadesOf>} scale
   */
  #picture(tile, scale) {
    const [height, width] = [this.#rows.side, this.#columns.side];
    /** @type {Map<string, string>} */
    const paths = new Map();
    this.#numbersOf(tile).forEach((number, cell) => {
      const finite = Number.isFinite(number);
      const shade = finite ? shadeOf(number, scale, SHADES) : 0;
      if (finite && !shade) return;
      const key = finite ? `${number < 0 ? "below" : "above"} ${shade}` : Number.isNaN(number) ? "NaN" : "inf";
      const inset = number < 0 && finite ? INSET : 0;
      const side = 1 - 2 * inset;
      const [left, top] = [(cell % width) + inset, Math.floor(cell / width) + inset];
      const cross = finite ? "" : `M${left} ${top}l1 1`;
      paths.set(key, `${paths.get(key) ?? ""}M${left} ${top}h${side}v${side}h${-side}z${cross}`);
    });
    const drawn = [...paths].map(([key, d]) => {
      const [sign, shade] = key.split(" ");
      return svg("path", { d, "data-sign": sign, style: shade ? `--level:${Math.round((100 * Number(shade)) / SHADES)}%` : null });
    });
    return pictureOf(width, height, ...drawn);
  }

  /** @param {Tile} tile @param {number[]} ends */
  #coloured({ start }, [low, high]) {
    const [height, width] = [this.#rows.side, this.#columns.side];
    const canvas = html("canvas", { width, height });
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = pen.createImageData(width, height);
    for (let channel = 0; channel < CHANNELS; channel++) {
      const numbers = this.#numbersOf({ start: start + channel * this.#colour, label: "" });
      numbers.forEach((number, cell) => (image.data[4 * cell + channel] = (255 * (number - low)) / (high - low)));
    }
    for (let cell = 0; cell < width * height; cell++) image.data[4 * cell + CHANNELS] = 255;
    pen.putImageData(image, 0, 0);
    const picture = svg("image", { href: canvas.toDataURL(), width, height });
    return pictureOf(width, height, picture);
  }

  /** @param {SVGSVGElement} picture @param {Tile} tile @param {number} width for ticks; 0: there are none @param {number} height */
  #framed(picture, { label }, width, height) {
    const rows = width && this.#seen.grid.rows >= 0 ? ticks("rows", this.#rows, height / TICK_HEIGHT) : null;
    const columns = width ? ticks("columns", this.#columns, width / TICK_DIGIT / (1 + String((this.#columns.side - 1) * this.#columns.stride).length)) : null;
    return html("figure.tile", label ? html("figcaption", label) : null, picture, rows, columns);
  }
}

/** @param {import("../types.js").Grid} grid @param {number} axis -1: a vector has no rows @returns {Side} */
function sideOf(grid, axis) {
  if (axis < 0) return { name: "", side: 1, stride: 1, jump: 0 };
  return { name: axisName(grid, axis), side: grid.sides[axis], stride: grid.strides[axis], jump: jumpOf(grid, axis) };
}

/** Its cells fill the room that it is drawn in. @param {number} width in cells @param {number} height @param {...SVGElement} cells */
function pictureOf(width, height, ...cells) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...cells);
}

/** @param {string} along @param {Side} axis @param {number} room for so many */
function ticks(along, { side, stride }, room) {
  const spans = ticksOf(side, room).map((index) => html("span", { style: `--at:${((100 * (index + 0.5)) / side).toFixed(2)}%` }, String(index * stride)));
  return html("div", { class: `ticks ${along}`, "aria-hidden": "true" }, ...spans);
}

/**
 * @param {ReturnType<typeof shadesOf>} scale
 * @param {(number: number) => string} text
 */
function scaleBar({ low, high, above, below }, text) {
  const negative = below ? [html("span", text(-high)), html("i", { "data-sign": "below" })] : [];
  const positive = above || !below ? [html("i", { "data-sign": "above" }), html("span", text(high))] : [];
  return html("div.shades", ...negative, html("span", text(above ? low : -low)), ...positive);
}

/** @param {number} place @param {number} side */
function clamped(place, side) {
  return Math.min(Math.max(Math.floor(place), 0), side - 1);
}
