// Colours and names of the example pages: texts are readable on dark and on light, players differ for each kind of sight, names do not overlap.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { COLOURS, MINE, placed, THEMES } from "../../../examples/support/web/canvas.js";

const examples = new URL("../../../examples/", import.meta.url);
const load = (path) => readFileSync(new URL(path, examples), "utf8");

/** Linear parts of a colour, without its opacity. */
function linear(colour) {
  const digits = /^#([\da-f]{6})/.exec(colour)[1];
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16) / 255).map((it) => (it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4));
}

const luminance = (colour) => linear(colour).reduce((sum, it, at) => sum + it * [0.2126, 0.7152, 0.0722][at], 0);

/** Contrast of WCAG 2: at least 4.5 for texts. */
function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test("texts on the field are readable on both themes", () => {
  for (const [name, theme] of Object.entries(THEMES)) {
    for (const ink of ["ink", "mine", "number", "hurt", "health", "shot"]) {
      for (const ground of ["centre", "floor"]) assert.ok(contrast(theme[ink], theme[ground]) >= 4.5, `${name}: ${ink} on ${ground}: ${contrast(theme[ink], theme[ground])}`);
    }
    assert.ok(contrast(theme.ink, theme.outline) >= 7, name);
  }
});

test("texts of the panels are readable on both themes, and a page may be zoomed", () => {
  for (const page of ["arena/web/index.html", "duel/web/index.html"]) {
    const html = load(page);
    assert.doesNotMatch(html, /user-scalable|maximum-scale/);
    const roots = [...html.matchAll(/:root \{(.*?)\}/g)].map(([, text]) => Object.fromEntries([...text.matchAll(/--(\w+): (#[\da-f]+)/g)].map(([, name, colour]) => [name, colour])));
    assert.equal(roots.length, 2);
    for (const root of roots) {
      for (const [ink, ground] of [["ink", "page"], ["ink", "panel"], ["ink", "button"], ["ink", "field"], ["ink", "pressed"], ["dim", "panel"], ["dim", "page"], ["dim", "button"], ["mine", "panel"], ["hurt", "panel"]]) {
        assert.ok(contrast(root[ink], root[ground]) >= 4.5, `${page}: ${ink} ${root[ink]} on ${ground} ${root[ground]}: ${contrast(root[ink], root[ground])}`);
      }
    }
  }
});

/** Colour as eyes without one kind of cones see it: the matrices of Viénot, Brettel and Mollon (1999). */
const SIGHTS = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};

function lab(parts) {
  const [x, y, z] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map((row, at) => row.reduce((sum, it, index) => sum + it * parts[index], 0) / [0.9505, 1, 1.089][at]);
  const f = (it) => (it > 0.008856 ? Math.cbrt(it) : 7.787 * it + 16 / 116);
  return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))];
}

test("the colours of players differ for each kind of sight", () => {
  const all = [...COLOURS, MINE];
  for (const [sight, matrix] of Object.entries(SIGHTS)) {
    const seen = all.map((colour) => lab(matrix.map((row) => row.reduce((sum, it, at) => sum + it * linear(colour)[at], 0))));
    for (let a = 0; a < all.length; a++) {
      for (let b = 0; b < a; b++) {
        const distance = Math.hypot(...seen[a].map((it, at) => it - seen[b][at]));
        assert.ok(distance > 10, `${sight}: ${all[a]} and ${all[b]}: ${distance}`);
      }
    }
  }
});

/** Asserts that no two of these boxes cover each other by more than a rounding. */
function assertApart(boxes) {
  for (const [at, a] of boxes.entries()) {
    for (const b of boxes.slice(0, at)) assert.ok(Math.abs(a.x - b.x) >= a.half + b.half || Math.abs(a.y - b.y) > 15 - 1e-9, JSON.stringify([a, b]));
  }
}

test("names do not overlap", () => {
  const taken = [];
  const boxes = [[100, 50, 30], [110, 52, 30], [120, 60, 30], [300, 52, 30], [105, 66, 30]].map(([x, y, half]) => placed(x, y, half, taken));
  assertApart(boxes);
  assert.deepEqual([boxes[0].y, boxes[3].y], [50, 52]);
});

test("names find their places at each fraction of a pixel", () => {
  for (let at = 0; at < 2000; at++) {
    const taken = [];
    // The lower name is less than a line below the upper one, whose place plus a line is rounded.
    for (let name = 0; name < 6; name++) placed(100, 251.25827197565644 + at * 0.0437 + name * 9.1, 30, taken);
    assertApart(taken);
  }
});
