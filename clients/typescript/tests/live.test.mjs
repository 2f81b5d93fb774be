// The client against a server in Rust, by WebSocket. `ARENA` is the arena's binary, built with the feature `web`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { Client } from "../syncvar.js";

const skip = process.env.ARENA === undefined && "no ARENA";

async function until(check) {
  for (let left = 100; left > 0; left--) {
    if (await check()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`not within 5 s: ${check}`);
}

test("a client plays in the arena", { skip }, async () => {
  const server = spawn(process.env.ARENA, ["127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done) => server.stdout.once("data", (line) => done(String(line).trim())));
  const client = new Client(url, { transport: "websocket" });
  try {
    const told = [];
    client.on("Fighter.tell", (_, text) => told.push(text));
    const mine = () => [...client.objects.values()].find((object) => object.owned);
    const onServer = async () => (await (await fetch(new URL("/state.json", url))).json()).find(({ id }) => id === mine().id);
    await until(() => client.state === "ready" && mine());
    const fighter = mine().get("Fighter");
    assert.deepEqual(fighter.fields.pack, ["Potion", "Whetstone", "Potion"]);
    fighter.call("introduce", "Node");
    fighter.set("stance", "OnGuard");
    mine().get("Body").set("heading", { x: -1, y: 0 });
    await until(async () => {
      const { name, stance, position } = await onServer();
      return name === "Node" && stance === "OnGuard" && position.x === -12;
    });
    await until(() => fighter.fields.name === "Node" && mine().get("Body").fields.position.x === -12);
    fighter.call("use_item");
    await until(() => told.includes("the potion tastes of iron") && fighter.fields.pack.length === 2);
    assert.ok(client.ping > 0 && client.tick() > 0);
    assert.throws(() => fighter.set("health", 1), /no field that this client writes/);
    assert.throws(() => fighter.call("strike", -1), /no u32/);
  } finally {
    client.close();
    server.kill();
  }
});
