// The page of `browser.mjs`: 10 000 objects, of which each tenth moves 20 times a second, drawn in each frame.

import { Client } from "./syncvar.js";
import { connect, positions, tick } from "./session.mjs";

const OBJECTS = 10_000;
const ROUNDS = 200;

const { client, decode } = await connect(Client, OBJECTS);
const places = Array.from({ length: OBJECTS + 1 }, () => ({ x: 0, y: 0 }));
let heard = 0;
for (const field of ["x", "y"]) {
  client.on(`Mover.${field}`, ({ object, value }) => {
    places[object.id][field] = value;
    heard++;
  });
}
const rounds = Array.from({ length: ROUNDS }, (_, round) => tick(positions(round, OBJECTS)));
const context = document.querySelector("canvas").getContext("2d");
const times = { decode: [], draw: [] };
const timed = (into, run) => {
  const from = performance.now();
  run();
  into.push(performance.now() - from);
};

function frame() {
  timed(times.draw, () => {
    context.clearRect(0, 0, 1000, 700);
    for (const { x, y } of places) context.fillRect(x, y, 2, 2);
  });
  requestAnimationFrame(frame);
}

const from = performance.now();
const timer = setInterval(() => {
  timed(times.decode, () => decode(rounds.shift()));
  if (rounds.length) return;
  clearInterval(timer);
  const length = performance.now() - from;
  const share = (all) => `${((all.reduce((sum, it) => sum + it, 0) / length) * 100).toFixed(1)} %`;
  globalThis.result = {
    changes: heard,
    decoding: share(times.decode),
    longest: `${Math.max(...times.decode).toFixed(1)} ms`,
    drawing: share(times.draw),
    frames: Math.round((times.draw.length / length) * 1000),
  };
}, 50);
frame();
