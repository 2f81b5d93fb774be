// Events of a client, and its end on bad input.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../syncvar.js";
import { bytes, FakeSocket, hex, takeMessages, vectors } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

globalThis.WebSocket = FakeSocket;

const parts = vectors.collections.flatMap((step) => (step.server ? [step.server.map(([channel, packet]) => [channel, bytes(packet)])] : []));
const [described, accepted, burst] = parts;
const packets = parts.flat();

function receive(socket, all) {
  for (const [channel, packet] of all) socket.receive(channel, packet);
}

async function connect(listen = () => {}) {
  const client = new Client("http://test.invalid", { transport: "websocket" });
  const states = [];
  client.on("state", (state, reason) => states.push({ state, reason }));
  listen(client);
  await turn();
  const socket = FakeSocket.last;
  await turn();
  return { client, socket, states };
}

test("hooks receive the value before, the value and the operations", async () => {
  const changes = [];
  const { client, socket } = await connect((it) => it.on("Team.list", (change) => changes.push(change)));
  receive(socket, packets.slice(0, -2));
  assert.equal(changes.length, 5);
  const [filled, , spliced, , cleared] = changes;
  assert.deepEqual(filled.previous, []);
  assert.equal(filled.value.length, 20);
  assert.deepEqual(spliced.operations, [{ kind: "splice", index: 2, removed: 2, inserted: [5, 6, 7] }]);
  assert.equal(spliced.value.length, spliced.previous.length + 1);
  assert.deepEqual(cleared.value, []);
  assert.ok(cleared.tick > filled.tick);
  client.close();
});

test("an error of a listener does not end the connection", async (context) => {
  context.mock.method(console, "error", () => {});
  const { client, socket } = await connect((it) => it.on("spawn", () => {
    throw new Error("of the program");
  }));
  receive(socket, packets);
  assert.equal(client.state, "ready");
  assert.equal(console.error.mock.callCount(), 2);
  client.close();
});

test("every cut packet ends the connection with a reason or is whole", async () => {
  const total = packets.reduce((sum, [, packet]) => sum + Math.min(packet.length, 400), 0);
  let ends = 0;
  for (let cut = 0; cut < total; cut += 11) {
    const { client, socket, states } = await new Promise((done) => connect().then(done));
    let left = cut;
    for (const [channel, packet] of packets) {
      const length = Math.min(packet.length, 400);
      if (left < length) {
        if (left > 0) socket.receive(channel, packet.subarray(0, left));
        break;
      }
      left -= length;
      socket.receive(channel, packet);
    }
    const last = states.at(-1);
    if (last.state === "waiting") {
      ends++;
      assert.match(last.reason, /^unreadable packet: ./);
    }
    client.close();
  }
  assert.ok(ends > total / 40, `${ends} of ${total}`);
});

test("changed bytes never throw and never hang", async () => {
  let seed = 1;
  const random = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
  for (let round = 0; round < 120; round++) {
    const { client, socket } = await connect();
    const at = random(packets.length);
    for (const [index, [channel, packet]] of packets.entries()) {
      const changed = packet.slice();
      if (index === at) for (let left = 1 + random(4); left > 0; left--) changed[random(changed.length)] = random(256);
      socket.receive(channel, changed);
    }
    client.close();
    assert.equal(client.state, "closed");
  }
});

test("a client connects again after an end, and keeps the objects of the same run", async () => {
  const despawned = [];
  const { client, socket, states } = await connect((it) => it.on("despawn", (object) => despawned.push(object.id)));
  receive(socket, packets);
  assert.equal(client.state, "ready");
  socket.close();
  await turn();
  assert.equal(states.at(-1).state, "waiting");
  assert.equal(client.objects.size, 2);
  await sleep(300);
  const second = FakeSocket.last;
  assert.notEqual(second, socket);
  receive(second, [...described, ...accepted, ...burst]);
  // The burst of the first update has the tank alone.
  assert.deepEqual([...client.objects.keys()], [5]);
  assert.deepEqual(despawned, [6]);
  assert.equal(client.state, "ready");
  client.close();
  assert.equal(client.objects.size, 0);
});

test("a refusal of the server is the end", async () => {
  const { client, socket, states } = await connect();
  socket.receive(0, bytes("060021000402006e6f07"));
  assert.deepEqual(states.at(-1), { state: "closed", reason: "no" });
  assert.throws(() => client.send("chat", {}), /not connected/);
});

test("the token of a session returns to the server", async () => {
  const { client, socket } = await connect();
  receive(socket, described);
  await turn();
  const session = `13001300${"00"}${"0102030405060708090a0b0c0d0e0f10"}0001`;
  const [[channel, answer]] = accepted;
  socket.receive(channel, bytes(session + hex(answer)));
  assert.equal(client.state, "connecting");
  socket.close();
  await sleep(300);
  const second = FakeSocket.last;
  receive(second, described);
  await turn();
  const sent = takeMessages(second, false);
  assert.equal(sent[0], `11001300${"01"}${"0102030405060708090a0b0c0d0e0f10"}`);
  client.close();
});
