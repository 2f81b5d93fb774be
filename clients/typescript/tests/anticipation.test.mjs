// Predictions of several behaviours, of changes that the server is expected to make, and of objects that it will spawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { f32, Server } from "./server.mjs";
import { message } from "./support.mjs";
import { sleep } from "./time.mjs";

const SCHEMA = `\
message input = 48: Move { x: f32 }
prefab door 07070707070707070707070707070707
  behaviour Door, channel 0
    class Door
      open: bool
      uses: u8
prefab shell 08080808080808080808080808080808
  behaviour Shell, channel 0
    class Shell
      x: f32
`;

/** A door, owned by the client, and a door of somebody else. */
const begin = (context) => Server.begin(context, "websocket", SCHEMA, message(23, [3, 0, 0, 0, 3, 0, 0, 0]));

/** Updates of the server up to a tick of the network time. */
function updateTo(server, tick) {
  while (server.tick + 299 < tick) server.update();
}

test("a group steps together, and each difference repeats it as one", async (context) => {
  const { client, predictor, server, player: own } = await begin(context);
  const other = client.objects.get(2).behaviours[0];
  const seen = [];
  const [mine, theirs] = predictor.predictGroup([own, other], ([a, b], [input, unknown]) => {
    seen.push([input?.x, unknown]);
    a.uses = (a.uses + input.x) % 256;
    // It acts on the other one.
    b.uses = a.uses % 2;
  });
  server.pong();
  predictor.setInput({ x: 1 });
  const first = predictor.inputTick;
  while (predictor.inputTick < first + 5) {
    await sleep(5);
    predictor.setInput({ x: 1 });
  }
  assert.deepEqual([mine.state.uses, theirs.state.uses], [6, 0]);
  assert.ok(seen.every(([x, unknown]) => x === 1 && unknown === undefined));
  updateTo(server, first - 1);
  const steps = predictor.inputTick - first;
  // In the first tick the own door has 11 uses. The other one follows from it.
  server.update(message(22, [2, 2, 11, 2, 2, 1]));
  assert.deepEqual([mine.state.uses, theirs.state.uses], [11 + steps, (11 + steps) % 2]);
  assert.deepEqual([mine.corrections, theirs.corrections, mine.replayed, theirs.replayed], [1, 0, steps, steps]);
});

test("an expected change is visible at once, and stays if the server agrees", async (context) => {
  const { predictor, server, player: door } = await begin(context);
  server.pong();
  // The page sets no input.
  const prediction = predictor.anticipate(door, (state) => (state.open = true));
  assert.equal(prediction.at("open"), true);
  assert.equal(door.fields.open, false);
  await sleep(100);
  const asked = predictor.inputTick;
  updateTo(server, asked - 4);
  assert.equal(prediction.at("open"), true);
  // Another change of the server before: the door stays open.
  server.update(message(22, [2, 2, 7]));
  assert.deepEqual([prediction.state.open, prediction.state.uses, prediction.at("open")], [true, 7, true]);
  await sleep(200);
  updateTo(server, asked + 1);
  server.update(message(22, [2, 1, 1]));
  assert.deepEqual([door.fields.open, prediction.at("open")], [true, true]);
});

test("an expected change that the server does not make ends", async (context) => {
  const { predictor, server, player: door } = await begin(context);
  server.pong();
  const prediction = predictor.anticipate(door, (state) => (state.open = true));
  await sleep(300);
  assert.equal(prediction.at("open"), true);
  updateTo(server, predictor.inputTick);
  assert.deepEqual([prediction.at("open"), prediction.state.open, prediction.corrections], [false, false, 1]);
});

test("a predicted object is taken over by that of the server", async (context) => {
  const { client, predictor, server } = await begin(context);
  server.pong();
  predictor.setInput({ x: 0 });
  const arrived = [];
  const shell = predictor.predictSpawn("Shell", { x: 5 }, (state) => (state.x += 1), (it) => arrived.push(it));
  const begun = predictor.inputTick;
  while (predictor.inputTick < begun + 6) {
    await sleep(5);
    predictor.setInput({ x: 0 });
  }
  assert.equal(shell.state.x, 5 + predictor.inputTick - begun);
  assert.equal(shell.behaviour, undefined);
  updateTo(server, begun);
  // The server has spawned it in the tick of the input, and stepped it once; beside a foreign one.
  server.update([...message(23, [0x2d, 8, ...f32(6), 5, 8, ...f32(6)]), ...message(15, [6, 1])]);
  assert.deepEqual(arrived, [client.objects.get(6).get("Shell")]);
  assert.equal(shell.behaviour, arrived[0]);
  assert.equal(shell.corrections, 0);
  // It has hit a wall.
  server.update(message(22, [0x2d, 1, ...f32(4)]));
  assert.deepEqual([shell.corrections, shell.state.x], [1, 4 + predictor.inputTick - begun - 2]);
  client.close();
});

test("a predicted object that does not come ends", async (context) => {
  const { predictor, server } = await begin(context);
  assert.throws(() => predictor.predictSpawn("Shell", { x: 5 }, () => {}), /no behaviour Shell is predicted now/);
  server.pong();
  predictor.setInput({ x: 0 });
  const arrived = [];
  const shell = predictor.predictSpawn("Shell", { x: 5 }, (state) => (state.x += 1), (it) => arrived.push(it));
  assert.throws(() => predictor.predictSpawn("Rocket", {}, () => {}), /no behaviour Rocket is predicted now/);
  const begun = predictor.inputTick;
  updateTo(server, begun + 33);
  assert.deepEqual(arrived, []);
  updateTo(server, begun + 34);
  assert.deepEqual(arrived, [undefined]);
  const { x } = shell.state;
  await sleep(100);
  predictor.setInput({ x: 0 });
  assert.equal(shell.state.x, x);
});

test("a large error jumps, and a small one decays", async (context) => {
  for (const [x, jumps] of [[3, false], [9, true]]) {
    const { predictor, server, player } = await Server.begin(context);
    const prediction = predictor.predict(player, () => {}, { snap: 5 });
    server.pong();
    predictor.setInput({ x: 0, jump: false });
    await sleep(40);
    predictor.setInput({ x: 0, jump: false });
    updateTo(server, predictor.inputTick - 1);
    server.moves(x);
    assert.equal(prediction.state.x, x);
    assert.equal(prediction.at("x") > x / 2, jumps);
  }
});
