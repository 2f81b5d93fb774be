// Builds that differ: the cases of `resolution.json`, which a test in Rust runs, too. WIRE.md, section 5.
//
// A case has the schemas of a server and a client, and their differences, in order. `state` are the bytes of an object of the first prefab by the
// schema of the server: `snapshot`, then each `delta`, with the fields of the client behind them, and the fields with a value that does not fit.
// `received` are the numbers and arguments of calls, and messages; `sent` are calls, writes of an owner and messages, with their bytes in
// the form of the server: those of a call behind the id, those of a write behind the position of the behaviour. Values are those of
// `vectors.json`; the value of the prefab is 0 here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { resolve } from "../resolution.js";
import { Predictor } from "../prediction.js";
import { Client } from "../syncvar.js";
import { accepted, bytes, described, FakeSocket, message, plain, takeMessages } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

const cases = JSON.parse(readFileSync(new URL("resolution.json", import.meta.url), "utf8"));

/** Returns a value of the vectors as the client has it. */
function value(it) {
  if (Array.isArray(it)) return it.map(value);
  return it?.$big === undefined ? it : BigInt(it.$big);
}

const low = (length) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7]);

/** Client of a case with a server that the test writes. */
class Session {
  heard = [];
  unfit = [];
  operations = [];
  states = [];

  static async begin(context, { client: schema, server }, options = {}) {
    globalThis.WebSocket = FakeSocket;
    const session = new Session();
    const client = (session.client = new Client("http://test.invalid", { transport: "websocket", build: { schema, resolve }, ...options }));
    context.after(() => client.close());
    client.on("state", (state, reason) => session.states.push({ state, reason }));
    client.on("unfit", (behaviour, field) => session.unfit.push(`${behaviour.name}.${field}`));
    client.on("change", ({ operations }) => (session.operations = operations));
    client.on("message", (...values) => session.heard.push(["message", ...values]));
    for (const call of ["Orc.reload", "Orc.quiet"]) client.on(call, (_, ...values) => session.heard.push([call, ...values]));
    await turn();
    session.socket = FakeSocket.last;
    await turn();
    session.first = takeMessages(session.socket, false);
    session.receive(described(server));
    return session;
  }

  receive(packet) {
    this.socket.receive(0, Uint8Array.from(packet));
  }

  /** Sends messages in a packet of the stream. */
  update(messages) {
    this.receive([3, 1, ...messages]);
  }

  /** Sends an entry of object 1 in a batch. */
  entry(kind, contents) {
    const length = contents.length < 7 ? [contents.length] : [7, ...low(contents.length - 7)];
    return message(kind, [...length, ...contents]);
  }

  fields() {
    return Object.fromEntries(this.client.objects.get(1).behaviours.map((it) => [it.name, plain(it.fields)]));
  }
}

/** Reads the state of an object, and compares its fields. */
function read(session, steps = [], name = "") {
  for (const { snapshot, delta, fields, unfit = [], operations } of steps) {
    if (snapshot !== undefined) session.update([...message(12, [0]), ...session.entry(23, [0, ...bytes(snapshot)]), ...message(15, [1, 1]), ...message(30, [1, 1]), ...message(12, [1])]);
    else session.update(session.entry(22, bytes(delta)));
    assert.equal(session.states.at(-1).reason, "", name);
    // The client shows fields of the server, too.
    for (const [behaviour, expected] of Object.entries(fields)) {
      const found = session.fields()[behaviour];
      for (const [field, value] of Object.entries(expected)) assert.deepEqual(found[field], value, `${name}: ${behaviour}.${field} behind ${snapshot ?? delta}`);
    }
    assert.deepEqual(session.unfit.splice(0), unfit, name);
    if (operations) assert.deepEqual(session.operations, operations, name);
  }
}

async function send(session, { call, write, message: sent, number, bytes: expected, error }) {
  await sleep(40);
  takeMessages(session.socket, true);
  const run = () => {
    const behaviour = (name) => session.client.objects.get(1).get(name);
    if (call) behaviour(call[0]).call(...value(call.slice(1)));
    else if (write) behaviour(write[0]).set(write[1], value(write[2]));
    else session.client.send(sent[0], value(sent[1]));
  };
  if (error) {
    assert.throws(run, RangeError);
    assert.deepEqual(takeMessages(session.socket, true), []);
    return;
  }
  run();
  await sleep(60);
  const head = call ? "01" : write ? "010100" : "";
  const payload = head + expected;
  const kind = (call ? 25 : write ? 26 : number).toString(16).padStart(2, "0");
  assert.deepEqual(takeMessages(session.socket, true), [`${(payload.length / 2).toString(16).padStart(2, "0")}00${kind}00${payload}`]);
}

const ORC = "prefab orc 00000000000000000000000000000001\n  behaviour Orc, channel 0\n    class Orc\n";

/** Hash and the rest of a Connect. */
const hashes = ([connect]) => ({ hash: connect.slice(10, 26), own: connect.slice(28, 44), name: Buffer.from(connect.slice(48), "hex").toString() });

test("a server of the same build needs no schema", async (context) => {
  const schema = `${ORC}      hp: u8\n`;
  const session = new Session();
  Object.assign(globalThis, { WebSocket: FakeSocket });
  const client = (session.client = new Client("http://test.invalid", { transport: "websocket", build: { schema, resolve, name: "page 7" } }));
  context.after(() => client.close());
  await turn();
  session.socket = FakeSocket.last;
  await turn();
  const { hash, own, name } = hashes(takeMessages(session.socket, false));
  assert.equal(hash, own);
  assert.equal(name, "page 7");
  session.receive(accepted());
  session.update([...message(12, [0]), ...session.entry(23, [0, 5]), ...message(12, [1])]);
  assert.deepEqual(session.fields(), { Orc: { hp: 5 } });
  assert.deepEqual(client.resolution, []);
});

test("a page returns to a server of another build by the hash of the server", async (context) => {
  const it = { server: `${ORC}      hp: u8\n`, client: `${ORC}      health was hp: u16\n` };
  const session = await Session.begin(context, it);
  session.receive(accepted());
  const first = hashes(session.first);
  session.socket.close();
  await sleep(300);
  session.socket = FakeSocket.last;
  const again = hashes(takeMessages(session.socket, false));
  assert.notEqual(again.hash, first.hash);
  assert.equal(again.own, first.own);
  session.receive(accepted());
  session.update([...message(12, [0]), ...session.entry(23, [0, 5]), ...message(12, [1])]);
  assert.deepEqual(session.fields(), { Orc: { health: 5 } });
  // The server has been replaced by one of the page's build.
  session.socket.close();
  await sleep(300);
  session.socket = FakeSocket.last;
  session.receive(described(it.client));
  session.receive(accepted());
  assert.deepEqual(session.client.resolution, []);
});

test("a page may accept its own build alone, and names each difference", async (context) => {
  const it = { server: `${ORC}      hp: u8\n`, client: `${ORC}      hp: u16\n      name: String\n` };
  const { states, socket } = await Session.begin(context, it, { builds: "exact" });
  const orc = "prefab `orc`, behaviour `Orc`, field";
  const reasons = [`${orc} \`hp\`: \`u8\` of the server is converted to \`u16\``, `${orc} \`name\`: only the client has it`];
  assert.deepEqual(states.at(-1), { state: "closed", reason: ["the server is of another build", ...reasons].join("\n") });
  // A Disconnect because of the schema.
  assert.match(takeMessages(socket, false).at(-1), /^....210001/);
});

test("a behaviour that the server lacks has the values of the prefab, here 0", async (context) => {
  const shield = "  behaviour Shield, channel 1\n    class Shield\n      strength: f32\n      command raise = CmdRaise()\n";
  const session = await Session.begin(context, { server: `${ORC}      hp: u8\n`, client: `${ORC}      hp: u8\n${shield}` });
  session.receive(accepted());
  session.update([...message(12, [0]), ...session.entry(23, [0, 5]), ...message(12, [1])]);
  session.update(session.entry(22, [1, 6]));
  assert.deepEqual(session.fields(), { Orc: { hp: 6 }, Shield: { strength: 0 } });
  assert.throws(() => session.client.objects.get(1).get("Shield").call("raise"), /Shield has no command raise/);
});

test("a prediction has the values of the page", async (context) => {
  const it = { server: `message input = 48: i8\n${ORC}      x: i32\n`, client: `message input = 48: i32\n${ORC}      x: i64\n` };
  const session = await Session.begin(context, it);
  session.receive(accepted());
  session.update([...message(12, [0]), ...session.entry(23, [0, 8]), ...message(12, [1])]);
  const predictor = new Predictor(session.client);
  const prediction = predictor.predict(session.client.objects.get(1).get("Orc"), (state, input) => (state.x += BigInt(input)));
  prediction.group.advance({ tick: 1, value: 3 });
  assert.equal(prediction.state.x, 7n);
  predictor.setInput(3);
  assert.throws(() => predictor.setInput(300), RangeError);
});

test("a message that does not fit is told by its name", async (context) => {
  const it = { server: `message chat = 48: u16\n${ORC}      hp: u8\n`, client: `message talk was chat = 50: u8\n${ORC}      hp: u8\n` };
  const session = await Session.begin(context, it);
  const heard = [];
  for (const event of ["message", "unfitMessage"]) session.client.on(event, (...values) => heard.push([event, ...values]));
  session.receive(accepted());
  session.update(message(48, [172, 2]));
  session.update(message(48, [7]));
  assert.deepEqual(heard, [["unfitMessage", "talk"], ["message", "talk", 7]]);
});

test("a hostile schema costs bounded work", async (context) => {
  const started = process.cpuUsage();
  const nested = `${"[".repeat(12)}u8${"; 65536]".repeat(12)}`;
  const members = Array.from({ length: 5_000 }, (_, at) => `m${at}: u8`).join(", ");
  const servers = [
    `${ORC}      list: SyncList<A { x: u8, y: ${nested} }>\n      command go = CmdGo(at: ${nested})\n`,
    `${ORC}      list: SyncList<A { ${members} }>\n`,
    `${ORC}      command go = CmdGo(${Array.from({ length: 2_000 }, (_, at) => `m${at}: [u8; 60000]`).join(", ")})\n`,
    Array.from({ length: 1_900 }, (_, at) => `message m${at} was n${at} = ${at}: u8\n`).join(""),
  ];
  const client = `${ORC}      list: SyncList<A { x: u8 }>\n      command go = CmdGo()\n`;
  for (const server of servers) {
    const session = await Session.begin(context, { server, client });
    assert.ok(session.client.resolution.length > 0);
    session.client.close();
  }
  // CPU time, with a wide margin: the work of a hang is unbounded.
  const { user } = process.cpuUsage(started);
  assert.ok(user < 20_000_000, `${user} us`);
});

for (const it of cases) {
  test(it.name, async (context) => {
    const session = await Session.begin(context, it);
    const { client } = session;
    assert.deepEqual(client.resolution.map(({ place, text }) => `${place}: ${text}`), it.differences);
    if (it.refused) {
      const reasons = it.differences.filter((text) => text.includes(": refused: "));
      assert.deepEqual(session.states.at(-1), { state: "closed", reason: ["the server is of another build", ...reasons].join("\n") });
      return;
    }
    session.receive(accepted());
    await turn();
    takeMessages(session.socket, false);
    read(session, it.state, it.name);
    for (const received of it.received ?? []) {
      if (received.call) session.update(message(25, [1, ...bytes(received.call)]));
      else session.update(message(received.message[0], bytes(received.message[1])));
      assert.deepEqual(plain(session.heard.shift()), received.hears);
    }
    for (const sent of it.sent ?? []) await send(session, sent);
    assert.deepEqual(session.heard, []);
  });
}
