import assert from "node:assert/strict";
import { test } from "node:test";

import { fitted, kept, opened, overview, revealed, viewed, zoomed } from "../../../../tapeviz/views/frontend/viewport/framing.js";

const ROOM = { width: 800, height: 600 };
const picture = (width, height, home = { x: width / 2, y: height }) => ({ width, height, across: false, home });
const spans = ({ width, height }, { scale, x, y }) => ({
  left: x,
  right: x + width * scale,
  top: y,
  bottom: y + height * scale,
});

test("a small picture stands in the middle, a little enlarged", () => {
  const small = picture(100, 100);
  const { left, right, top, bottom } = spans(small, opened(small, ROOM));
  assert.equal(opened(small, ROOM).scale, 1.5);
  assert.deepEqual([left + right, top + bottom].map(Math.round), [800, 600]);
});

test("a picture that fits stays whole", () => {
  const tall = picture(300, 590);
  const { top, bottom } = spans(tall, opened(tall, ROOM));
  assert.ok(top >= 0 && bottom <= 600);
});

test("one of which the names can be read, and no more, is shown whole", () => {
  const taller = picture(300, 800);
  assert.equal(opened(taller, ROOM).scale, fitted(taller, ROOM).scale);
  assert.equal(overview(opened(taller, ROOM).scale), "names");
  assert.ok(opened(taller, { ...ROOM, large: true }).scale >= 1);
});

test("what is left out of a picture grows as it is shown smaller", () => {
  assert.deepEqual([1.5, 0.9, 0.85, 0.79, 0.7, 0.6, 0.1].map(overview), [null, null, "words", "classes", "names", "least", "least"]);
});

test("one that would be too small to read opens at its home instead, with no empty band below", () => {
  const long = picture(300, 9000);
  const { scale, y } = opened(long, ROOM);
  assert.ok(scale >= 0.9);
  assert.equal(Math.round(y + 9000 * scale), 600 - 20);
  assert.ok(fitted(long, ROOM).scale < 0.1);
});

test("one that runs across opens with all that stands one above the other, and at its home", () => {
  const long = { width: 9000, height: 300, across: true, home: { x: 9000, y: 150 } };
  const { scale, x } = opened(long, ROOM);
  assert.equal(scale, 1);
  assert.equal(Math.round(x + 9000 * scale), 800 - 20);
});

test("what is in view does not move", () => {
  const place = opened(picture(300, 300), ROOM);
  assert.deepEqual(revealed(place, picture(300, 300), ROOM, { x: 10, y: 10, w: 50, h: 30 }), place);
});

test("what is seen of a picture is told in its own numbers", () => {
  const place = { scale: 2, x: -100, y: -40 };
  const view = { left: 50, top: 20, right: 450, bottom: 320, scale: 2, whole: false };
  assert.deepEqual(viewed(place, picture(1000, 1000), ROOM), view);
  assert.ok(viewed({ scale: 1, x: 0, y: 0 }, picture(800, 600), ROOM).whole);
});

test("a box out of view comes in, and no further", () => {
  const wide = picture(2000, 2000);
  const { x, y } = revealed({ scale: 1, x: 0, y: 0 }, wide, ROOM, { x: 900, y: 700, w: 100, h: 40 });
  assert.deepEqual([x + 1000, y + 740], [800 - 20, 600 - 20]);
});

test("what reaches beyond the picture comes in with all of it, or alone where both have no room", () => {
  for (const [width, left] of [[500, 20 + 60], [760, 20 + 60]]) {
    const { x } = revealed({ scale: 1, x: 20, y: 0 }, picture(width, 300), ROOM, { x: -60, y: 100, w: 160, h: 40 });
    assert.equal(x, left);
  }
});

test("zooming keeps the point under the pointer, and has its limits", () => {
  const place = zoomed({ scale: 1, x: 20, y: 30 }, 2, 120, 130);
  assert.deepEqual([(120 - place.x) / place.scale, (130 - place.y) / place.scale], [100, 100]);
  assert.ok(zoomed(place, 1000, 0, 0).scale <= 3);
  assert.ok(zoomed(place, 0.0001, 0, 0).scale > 0);
});

test("it cannot be dragged away", () => {
  const small = picture(300, 300);
  for (const far of [-9999, 9999]) {
    const { left, right, top, bottom } = spans(small, kept({ scale: 1, x: far, y: far }, small, ROOM));
    assert.ok(right >= 50 && left <= 750 && bottom >= 50 && top <= 550);
  }
});
