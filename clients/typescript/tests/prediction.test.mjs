// Inputs, predictions and views against a server written by hand: 30 ticks a second, one object of the prefab `player`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { f32, RATE, Server, u16 } from "./server.mjs";
import { bytes, message, takeMessages } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

test("each tick of a clock ahead of the server has one input, of which the differences travel", async (context) => {
  const { client, predictor, server } = await Server.begin(context);
  predictor.setInput({ x: 1, jump: false });
  assert.equal(predictor.inputTick, undefined);
  server.pong();
  predictor.setInput({ x: 1, jump: false });
  const first = predictor.inputTick;
  assert.ok(Math.abs(first - (server.now * RATE) / 1000) < 2, `${first} at ${(server.now * RATE) / 1000}`);
  const [begun, ...others] = (await turn(), server.inputs());
  assert.deepEqual(others, []);
  // One input without a predecessor: 5 bytes, all of them.
  assert.deepEqual(begun, { newest: first, rest: "0101051f0000803f00" });
  await sleep(120);
  predictor.setInput({ x: 1, jump: true });
  while (predictor.inputTick < first + 6) {
    await sleep(5);
    predictor.setInput({ x: 1, jump: true });
  }
  await turn();
  const later = server.inputs();
  const count = later.reduce((sum, { rest }) => sum + (parseInt(rest.slice(0, 2), 16) & 127), 0);
  assert.equal(count, 6);
  // Each is relative to the input before. Only the flag differs, once.
  assert.ok(later.every(({ rest }) => parseInt(rest.slice(0, 2), 16) & 128));
  assert.equal(later.filter(({ rest }) => rest.endsWith("051001")).length, 1);
  assert.ok(later.every(({ rest }) => rest.slice(2, 4) === "00" || rest.endsWith("051001")));
});

test("a datagram has all inputs of which the server has none", async (context) => {
  const { client, predictor, server } = await Server.begin(context, "webtransport");
  server.pong();
  await turn();
  server.socket.takeSent();
  predictor.setInput({ x: 1, jump: false });
  const first = predictor.inputTick;
  while (predictor.inputTick < first + 3) {
    await sleep(5);
    predictor.setInput({ x: 1, jump: false });
  }
  await turn();
  // Channel, flags, sequence, tick, an acknowledgement of no missing datagram or none, and Inputs.
  const read = (datagram) => /^01(?:03|13)(....).{8}(?:.{8}00|.{8}10)?....2700.{4}(..)/.exec(datagram).slice(1);
  const sent = server.socket.takeSent().map(read);
  assert.deepEqual(sent.map(([, count]) => parseInt(count, 16)), Array.from(sent, (_, index) => index + 1));
  // The last but one has arrived: its inputs do not travel again.
  const acknowledged = bytes(sent.at(-2)[0]);
  server.tick++;
  server.send([0x13, 1, ...acknowledged, 0, 0, 0]);
  await turn();
  while (predictor.inputTick < first + 4) {
    await sleep(5);
    predictor.setInput({ x: 1, jump: false });
  }
  await turn();
  assert.deepEqual(server.socket.takeSent().map(read).map(([, count]) => parseInt(count, 16))[0], 128 + 2);
});

test("a prediction is ahead, and repeats the steps behind a difference", async (context) => {
  const { client, predictor, server, player } = await Server.begin(context);
  const step = (state, input) => {
    state.x += 0.1 * input.x;
  };
  const prediction = predictor.predict(player, step);
  server.pong();
  // Ticks of the server until that of the first input.
  predictor.setInput({ x: 1, jump: false });
  const first = predictor.inputTick;
  while (server.tick + 299 < first - 1) server.update();
  for (const until = performance.now() + 250; performance.now() < until; ) {
    await sleep(8);
    predictor.setInput({ x: 1, jump: false });
  }
  const moved = predictor.inputTick + 1 - first;
  let expected = 0;
  for (let tick = 0; tick < moved; tick++) expected = Math.fround(expected + 0.1);
  assert.equal(prediction.state.x, expected);
  assert.equal(player.fields.x, 0);
  // The same state as in the prediction.
  server.moves(Math.fround(0.1));
  assert.deepEqual([prediction.corrections, prediction.replayed], [0, 0]);
  // A push by 2: all further steps run again.
  const shown = prediction.at("x");
  const before = predictor.inputTick;
  server.moves(Math.fround(2.2));
  assert.deepEqual([prediction.corrections, prediction.replayed], [1, before - first - 1]);
  assert.ok(Math.abs(prediction.state.x - expected - 2) < 1e-5, `${prediction.state.x} and ${expected}`);
  // Nothing jumps; the error decays within 300 ms.
  assert.ok(Math.abs(prediction.at("x") - shown) < 0.1, `${prediction.at("x")} and ${shown}`);
  const until = performance.now() + 400;
  let last = shown;
  while (performance.now() < until) {
    await sleep(8);
    predictor.setInput({ x: 0, jump: false });
    const now = prediction.at("x");
    assert.ok(now >= last - 1e-6 && now < last + 0.5, `${last} to ${now}`);
    last = now;
  }
  assert.ok(Math.abs(last - prediction.state.x) < 1e-5);
});

test("an error of a step does not end the connection", async (context) => {
  const { client, predictor, server, player } = await Server.begin(context);
  context.mock.method(console, "error", () => {});
  predictor.predict(player, () => {
    throw new Error("of the program");
  });
  server.pong();
  predictor.setInput({ x: 1, jump: false });
  server.moves(1);
  assert.equal(client.state, "ready");
  assert.ok(console.error.mock.callCount() > 0);
});

test("a field of the owner is visible at once in a prediction", async (context) => {
  const { client, predictor, server, player } = await Server.begin(context);
  server.update(message(30, [1, 1]));
  const prediction = predictor.predict(player, () => {});
  server.pong();
  player.set("aim", 2);
  predictor.setInput({ x: 0, jump: false });
  assert.equal(prediction.state.aim, 2);
  for (let tick = 0; tick < 4; tick++) server.update();
  assert.deepEqual([prediction.state.aim, prediction.corrections], [2, 0]);
});

test("a view is behind the arrivals, and travels before commands and inputs", async (context) => {
  const { client, predictor, server } = await Server.begin(context);
  assert.equal(typeof client.showView(), "number");
  server.pong();
  for (const until = performance.now() + 700; performance.now() < until; await sleep(4)) {
    while (server.tick + 299 < Math.floor((server.now * RATE) / 1000)) server.update();
  }
  const tick = client.showView();
  assert.ok(tick < 299 + server.tick && tick > 299 + server.tick - 6, `${tick} at ${299 + server.tick}`);
  takeMessages(server.socket, true);
  predictor.setInput({ x: 1, jump: false });
  client.send("input", { x: 0, jump: true });
  await turn();
  const sent = takeMessages(server.socket, true);
  assert.deepEqual(sent.map((it) => it.slice(4, 8)), ["2900", "2700", "2900", "3000"]);
  const payload = bytes(sent[0].slice(8));
  const view = payload[0] === 249 ? 2288 + 256 * payload[1] + payload[2] : 240 + 256 * (payload[0] - 241) + payload[1];
  assert.equal(view, Math.round((tick - 299) * 256));
});

test("the packets of a tick are told together", async (context) => {
  const { client, server, player } = await Server.begin(context);
  const told = [];
  client.on("Player.x", ({ value, tick }) => told.push([tick, value]));
  client.on("tick", (tick, isComplete) => told.push([tick, isComplete]));
  const delta = (x) => message(22, [5, 1, ...f32(x)]);
  server.tick++;
  // Not the last packet of its tick.
  server.send([0x01, 1, ...delta(1)]);
  assert.equal(player.fields.x, 0);
  server.send([0x02, ...delta(2)]);
  const tick = 299 + server.tick;
  assert.deepEqual(told, [[tick, 1], [tick, 2], [tick, true]]);
  // The rest of a tick never comes.
  server.tick++;
  server.send([0x01, 1, ...delta(3)]);
  server.moves(4);
  assert.deepEqual(told.slice(3), [[tick + 1, 3], [tick + 1, false], [tick + 2, 4], [tick + 2, true]]);
  // Or it is late.
  server.tick++;
  server.send([0x01, 1, ...delta(5)]);
  await sleep(120);
  assert.equal(player.fields.x, 5);
});

test("the datagrams of a tick are applied by their index", async (context) => {
  const { client, server } = await Server.begin(context, "webtransport");
  const told = [];
  client.on("Player.x", ({ value, tick }) => told.push([tick, value]));
  client.on("tick", (tick, isComplete) => told.push([tick, isComplete]));
  let sequence = 0;
  // Channel 0, SEQ and PARTS.
  const datagram = async (tick, index, count, x) => {
    server.socket.incoming.enqueue(Uint8Array.from([0, 0x09, ...u16(++sequence), ...u16(tick), index, count, ...message(22, [5, 1, ...f32(x)])]));
    await turn();
  };
  const tick = server.tick + 1;
  await datagram(tick, 1, 2, 2);
  assert.deepEqual(told, []);
  await datagram(tick, 0, 2, 1);
  assert.deepEqual(told, [[299 + tick, 1], [299 + tick, 2], [299 + tick, true]]);
  // The first one of the next tick is lost.
  await datagram(tick + 1, 1, 2, 3);
  await datagram(tick + 2, 0, 1, 4);
  const rest = [[300 + tick, 3], [300 + tick, false], [301 + tick, 4], [301 + tick, true]];
  assert.deepEqual(told.slice(3), rest);
});

test("an unreadable object asks for its snapshot, and nothing else is lost", async (context) => {
  const { client, server, player } = await Server.begin(context);
  const unreadable = [];
  client.on("unreadable", (...values) => unreadable.push(values));
  const broken = message(22, [1, 8]);
  server.update([...broken, ...message(22, [5, 1, ...f32(9)])]);
  await turn();
  assert.equal(client.state, "ready");
  assert.match(unreadable.join(), /^1,unknown fields in the mask of Player$/);
  assert.deepEqual(takeMessages(server.socket, true), ["0100140001"]);
  // It waits for the snapshot, which is unreadable, too: the next update asks again.
  assert.equal(player.fields.x, 0);
  server.update(message(23, [2, 0, 1]));
  await turn();
  assert.deepEqual(takeMessages(server.socket, true), []);
  server.moves(4);
  server.moves(5);
  await turn();
  assert.deepEqual(takeMessages(server.socket, true), ["0100140001"]);
  const told = [];
  client.on("Player.x", ({ value }) => told.push(value));
  server.update(message(23, [7, 2, 0, ...f32(6), ...f32(0)]));
  server.moves(7);
  assert.deepEqual(told, [6, 7]);
  // An unreadable first snapshot, and its repetition.
  const spawned = [];
  client.on("spawn", ({ id }) => spawned.push(id));
  server.update(message(23, [10, 0, 0]));
  assert.deepEqual(spawned, []);
  server.update(message(23, [15, 2, 0, ...f32(6), ...f32(0)]));
  assert.deepEqual(spawned, [2]);
});
