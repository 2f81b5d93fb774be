// The duel: the rules of its page beside those of Rust (`tests/wire/typescript/duel.rs`), and a game by WebSocket. `DUEL` is the duel's binary,
// built with the feature `web`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hits, step } from "../../../examples/duel/web/rules.js";
import { Predictor } from "../prediction.js";
import { Client } from "../syncvar.js";

const vectors = JSON.parse(readFileSync(new URL("duel.json", import.meta.url), "utf8"));
const skip = process.env.DUEL === undefined && "no DUEL";
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Rounds the shortest decimal form of numbers of 32 bits. */
const floats = (row) => row.map((it) => (typeof it === "number" ? Math.fround(it) : it));

test("a path has the same bits in Rust and on the page", () => {
  const player = { position: { x: Math.fround(3.2), y: Math.fround(2.2) } };
  let pushes = 0;
  for (const [index, row] of vectors.path.entries()) {
    const [inputX, inputY, x, y] = floats(row);
    const before = player.position;
    step(player, { x: inputX, y: inputY });
    assert.deepEqual(player.position, { x, y }, `tick ${index + 1}`);
    if (Math.hypot(x - 4, y - 3) < 1.0001 && Math.hypot(before.x - x, before.y - y) > 0) pushes++;
  }
  assert.ok(pushes > 0, "a pillar pushes");
});

test("a shot hits alike in Rust and on the page", () => {
  for (const row of vectors.shots) {
    const [fromX, fromY, rayX, rayY, toX, toY, hit] = floats(row);
    assert.equal(hits({ x: fromX, y: fromY }, { x: rayX, y: rayY }, { x: toX, y: toY }), hit, String(row));
  }
  const count = vectors.shots.filter((row) => row[6]).length;
  assert.ok(count > 10 && count < vectors.shots.length - 10, `${count} hits`);
});

test("a client predicts its player, and its hits are confirmed", { skip }, async (context) => {
  const server = spawn(process.env.DUEL, ["127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  context.after(() => server.kill());
  const url = await new Promise((done) => server.stdout.once("data", (line) => done(String(line).trim())));
  const client = new Client(url, { transport: "websocket", payload: Uint8Array.of(4, ...Buffer.from("Node")) });
  context.after(() => client.close());
  const own = await new Promise((done) => client.on("owner", done));
  const player = own.get("Player");
  const predictor = new Predictor(client);
  const prediction = predictor.predict(player, step);
  assert.equal(own.get("Badge").fields.name, "Node");
  for (let frame = 0; frame < 150; frame++) {
    client.showView();
    predictor.setInput({ x: Math.cos(frame / 30), y: Math.sin(frame / 30) });
    const bot = [...client.objects.values()].find((it) => it.get("Player") && it !== own);
    if (bot && frame % 10 === 0) {
      const [at, to] = [prediction.state.position, bot.get("Player").fields.position];
      const distance = Math.hypot(to.x - at.x, to.y - at.y);
      const ray = { x: Math.fround((to.x - at.x) / distance), y: Math.fround((to.y - at.y) / distance) };
      player.call("fire", at, ray, hits(at, ray, to));
    }
    await sleep(16);
  }
  predictor.setInput({ x: 0, y: 0 });
  // The server's player stands still after the last input, and the prediction has ended there before.
  await sleep(500);
  assert.deepEqual(prediction.state.position, player.fields.position);
  const state = await (await fetch(new URL("/state.json", url))).json();
  const mine = state.find(({ id }) => id === own.id);
  assert.deepEqual(mine.position, { ...prediction.state.position });
  assert.ok(mine.claimed > 0 && mine.confirmed > 0, JSON.stringify(mine));
  assert.ok(mine.position.x !== 0 && prediction.replayed < 200, `${prediction.replayed} steps repeated`);
});
