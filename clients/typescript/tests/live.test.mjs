// The client against a server in Rust, by WebSocket. `ARENA` is the arena's binary, built with the feature `web`.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { resolve } from "../resolution.js";
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
    const refused = [];
    client.on("commandRefused", (behaviour, command, reason, calls) => refused.push([behaviour, command, reason, calls]));
    for (let left = 150; left > 0; left--) fighter.call("introduce", "Node");
    await until(() => refused.length);
    assert.deepEqual(refused[0].slice(0, 3), [fighter, "introduce", "tooOften"]);
    assert.ok(refused[0][3] <= 50, `${refused[0][3]}`);
    assert.ok(client.ping > 0 && client.tick() > 0);
    assert.throws(() => fighter.set("health", 1), /no field that this client writes/);
    assert.throws(() => fighter.call("strike", -1), /no u32/);
  } finally {
    client.close();
    server.kill();
  }
});

/** Schema of another build of the arena: other names, types, positions and parts. */
const OTHER = `\
prefab hero was fighter 457da4494c4ff78da52b5d9dfed635fa
  behaviour Body, channel 1
    class Body
      heading: DVec2, written by the owner
      position: DVec2
  behaviour Hero was Fighter, channel 0
    class Hero
      mana: u32
      title was name: String
      health: i64
      pack: [Item [Potion = 0, Other = 9 other]], read by the owner
      stance: Stance [Guarding was OnGuard = 0, Open = 1], written by the owner
      command meet was introduce = CmdMeet(greeting: String, name: String)
      command use_item = CmdUseItem()
      command dance = CmdDance()
      target_rpc tell = TargetTell(tone: u8, text: String)
`;

test("a page of another build plays in the arena", { skip }, async () => {
  const server = spawn(process.env.ARENA, ["127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done) => server.stdout.once("data", (line) => done(String(line).trim())));
  const client = new Client(url, { transport: "websocket", build: { schema: OTHER, resolve, name: "other" } });
  try {
    const told = [];
    client.on("Hero.tell", (_, ...values) => told.push(values));
    const mine = () => [...client.objects.values()].find((object) => object.owned);
    const onServer = async () => (await (await fetch(new URL("/state.json", url))).json()).find(({ id }) => id === mine().id);
    await until(() => client.state === "ready" && mine());
    assert.equal(mine().prefab.name, "hero");
    const [hero, body] = [mine().get("Hero"), mine().get("Body")];
    assert.deepEqual(hero.fields.pack, ["Potion", "Other", "Potion"]);
    assert.deepEqual([hero.fields.mana, typeof hero.fields.health], [0, "bigint"]);
    hero.call("meet", "hello", "Node");
    hero.set("stance", "Guarding");
    body.set("heading", { x: -1, y: 0 });
    await until(async () => {
      const { name, stance, position } = await onServer();
      return name === "Node" && stance === "OnGuard" && position.x === -12;
    });
    await until(() => hero.fields.title === "Node" && body.fields.position.x === -12 && hero.fields.stance === "Guarding");
    hero.call("use_item");
    await until(() => told.length && hero.fields.pack.length === 2);
    assert.deepEqual(told, [[0, "the potion tastes of iron"]]);
    assert.throws(() => hero.call("dance"), /Hero has no command dance/);
    assert.throws(() => hero.set("mana", 1), /no field that this client writes/);
    const kinds = client.resolution.map(({ kind }) => kind);
    assert.deepEqual([...new Set(kinds)].sort(), ["converted", "extra", "missing", "moved", "renamed"]);
  } finally {
    client.close();
    server.kill();
  }
});
