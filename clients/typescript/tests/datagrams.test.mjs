// Datagrams of WebTransport, written by hand around messages of a server: lost, late, repeated and early ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../syncvar.js";
import { Track } from "../track.js";
import * as written from "./support.mjs";
import { bytes, FakeTransport, message, vectors } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

const parts = vectors.movers.flatMap((step) => (step.server ? [step.server.map(([channel, packet]) => [channel, bytes(packet)])] : []));
const [described, accepted, burst, ...updates] = parts;

/** Messages of the updates on the unreliable channel. */
const changes = updates.map((packets) => {
  const [, packet] = packets.find(([channel]) => channel === 1);
  return packet.subarray(packet[0] & 1 ? 2 : 1);
});

/** Tick behind that of the burst. */
const TICK = 50;

async function connect() {
  globalThis.WebTransport = FakeTransport;
  globalThis.fetch = async () => ({ json: async () => ["00ff"] });
  const client = new Client("http://test.invalid:7777/");
  await turn();
  const transport = FakeTransport.last;
  assert.equal(transport.url, "https://test.invalid:7777/");
  assert.deepEqual(transport.options, { serverCertificateHashes: [{ algorithm: "sha-256", value: Uint8Array.of(0, 255) }] });
  for (const packets of [described, accepted, burst]) {
    transport.receive(packets);
    await turn();
  }
  assert.equal(client.state, "ready");
  assert.equal(client.transport, "webtransport");
  const [mover] = client.objects.get(1).behaviours;
  await sleep(80);
  transport.frames.length = 0;
  return { client, transport, mover };
}

const acknowledged = () => sleep(80);

test("the newest value of each field wins, and a missing datagram is named", async () => {
  const { client, transport, mover } = await connect();
  transport.datagram(1, TICK, changes[0]);
  transport.datagram(3, TICK + 2, changes[2]);
  await acknowledged();
  assert.deepEqual({ ...mover.fields }, { x: 3, y: 0, heading: 0 });
  assert.deepEqual(transport.takeAcks(), [{ newest: 3, mask: "01" }]);
  transport.datagram(2, TICK + 1, changes[1]);
  transport.datagram(3, TICK + 2, changes[2]);
  await acknowledged();
  // The late datagram has the only value of `y`.
  assert.deepEqual({ ...mover.fields }, { x: 3, y: 2, heading: 0 });
  assert.deepEqual(transport.takeAcks().at(-1), { newest: 3, mask: "" });
  client.close();
});

test("sixteen datagrams are acknowledged at once", async () => {
  const { client, transport } = await connect();
  for (let sequence = 1; sequence <= 16; sequence++) transport.datagram(sequence, TICK + sequence, changes[0]);
  await turn();
  assert.deepEqual(transport.takeAcks()[0], { newest: 16, mask: "" });
  client.close();
});

test("an early datagram changes present objects at once, and counts as applied behind the stream", async () => {
  const { client, transport, mover } = await connect();
  const handled = burst.length;
  transport.datagram(1, TICK + 10, changes[3], handled + 1);
  await acknowledged();
  assert.equal(mover.fields.x, 4);
  assert.deepEqual(transport.takeAcks(), []);
  // An empty packet, the last one of its update.
  transport.receive([[0, Uint8Array.of(2)]]);
  await acknowledged();
  assert.equal(mover.fields.x, 4);
  assert.deepEqual(transport.takeAcks().at(-1), { newest: 1, mask: "" });
  client.close();
});

test("a malformed header loses its datagram, a malformed message ends the connection", async () => {
  const { client, transport, mover } = await connect();
  transport.incoming.enqueue(Uint8Array.of(1, 0x80, 1, 2, 3));
  transport.incoming.enqueue(Uint8Array.of(1, 0x01, 1));
  transport.datagram(1, TICK, changes[0]);
  await turn();
  assert.equal(mover.fields.x, 1);
  assert.equal(client.state, "ready");
  const reasons = [];
  client.on("state", (state, reason) => reasons.push(reason));
  transport.datagram(2, TICK + 1, changes[0].subarray(0, 5));
  await turn();
  assert.match(reasons[0], /^unreadable packet: /);
  client.close();
});

test("writes of the owner travel in datagrams until one is acknowledged", async () => {
  const { client, transport, mover } = await connect();
  mover.set("heading", 7);
  await acknowledged();
  const [first, ...rest] = transport.takeSent();
  assert.deepEqual(rest, []);
  // Channel, flags, sequence 1, the tick, and OwnerWrite #1 with its permit: `heading` is 7.
  assert.match(first, /^01030100.{8}05001a00010100040e$/);
  await sleep(300);
  const [again] = transport.takeSent();
  assert.match(again, /^01030200.{8}05001a00010100040e$/);
  // The stream acknowledges sequence 2, and not 1.
  transport.receive([[0, Uint8Array.of(0x12, 2, 0, 0, 0, 1, 1)]]);
  await sleep(500);
  assert.deepEqual(transport.takeSent(), []);
  // A value of the server for a field of the owner changes nothing.
  assert.equal(mover.fields.heading, 7);
  client.close();
});

test("WebSocket takes over if WebTransport fails", async () => {
  globalThis.WebTransport = class {
    ready = Promise.reject(new Error("no UDP"));
    closed = this.ready;
  };
  let opened;
  globalThis.WebSocket = class {
    constructor(url) {
      opened = url;
      setTimeout(() => this.onclose({ code: 1006, reason: "refused" }), 0);
    }
  };
  globalThis.fetch = async () => ({ json: async () => [] });
  const client = new Client("http://test.invalid/");
  const states = [];
  client.on("state", (...values) => states.push(values));
  await turn();
  await turn();
  assert.equal(opened, "ws://test.invalid/");
  assert.deepEqual(states.at(-1), ["waiting", "the WebSocket has ended (1006: refused)", new Uint8Array()]);
  client.close();
});

const OWNED = `\
prefab door 5b882675757277b806e97060b8398901
  behaviour Door, channel 0
    class Door
      open: bool
      client_rpc slam = RpcSlam(), after the state
  behaviour Mover, channel 1
    class Mover
      x: u8
      secret: u8, read by the owner
`;

/** A door and a mover, owned by the client: snapshots of 0 in tick 1. */
async function own(context) {
  globalThis.WebTransport = FakeTransport;
  globalThis.fetch = async () => ({ json: async () => [] });
  const client = new Client("http://test.invalid:7777/");
  context.after(() => client.close());
  await turn();
  const transport = FakeTransport.last;
  const send = async (bytes) => {
    transport.receive([[0, Uint8Array.from(bytes)]]);
    await turn();
  };
  await send(written.described(OWNED));
  await send(written.accepted());
  // Of the mover the owner's role, and both fields.
  const spawn = message(23, [5, 0, 0, 1, 0, 5]);
  await send([3, 1, ...message(12, [0]), ...spawn, ...message(15, [1, 1]), ...message(30, [1, 1]), ...message(12, [1])]);
  assert.equal(client.state, "ready");
  const [door, mover] = client.objects.get(1).behaviours;
  assert.equal(mover.fields.secret, 5);
  return { client, transport, send, door, mover };
}

test("an owner who loses and regains an object in one tick reads its fields", async (context) => {
  const { send, mover } = await own(context);
  // OwnerState with the permit 2: `secret` is 6.
  await send([3, 1, ...message(15, [1, 0]), ...message(15, [1, 1]), ...message(30, [1, 2, 1, 2, 6])]);
  assert.equal(mover.fields.secret, 6);
});

test("an early datagram changes no field that depends on the owner", async (context) => {
  const { send, transport, mover } = await own(context);
  // Tick 2 behind 2 packets of the stream, of which the second is missing: `x` is 3 and `secret` is 9.
  transport.datagram(1, 2, message(22, [3, 3, 3, 9]), 2);
  await sleep(60);
  assert.deepEqual({ ...mover.fields }, { x: 3, secret: 5 });
  await send([3, 1]);
  assert.deepEqual({ ...mover.fields }, { x: 3, secret: 9 });
});

test("a call after the state waits for the rest of its tick on the stream", async (context) => {
  const { client, send, transport, door } = await own(context);
  const heard = [];
  client.on("Door.slam", () => heard.push(door.fields.open));
  await send([1, 1, ...message(25, [1, 0])]);
  // A datagram of tick 3 overtakes the rest of tick 2.
  transport.datagram(1, 3, message(22, [2, 1, 3]), 3);
  await turn();
  assert.deepEqual(heard, []);
  await send([2, ...message(22, [2, 1, 1])]);
  await send([3, 1]);
  assert.deepEqual(heard, [true]);
});

test("a call after the state runs after a second at the latest", async (context) => {
  const { client, send, transport } = await own(context);
  let heard = 0;
  client.on("Door.slam", () => heard++);
  await send([1, 1, ...message(25, [1, 0])]);
  transport.datagram(1, 3, message(22, [2, 1, 3]), 3);
  await sleep(900);
  assert.equal(heard, 0);
  await sleep(200);
  assert.equal(heard, 1);
});

test("a call that waits for the state leaves with its object", async (context) => {
  const { client, send, transport } = await own(context);
  let heard = 0;
  client.on("Door.slam", () => heard++);
  await send([1, 1, ...message(25, [1, 0])]);
  transport.datagram(1, 3, message(22, [2, 1, 3]), 3);
  await send([2, ...message(13, [1])]);
  await sleep(1200);
  assert.equal(heard, 0);
});

test("a track bridges a lost sample, and keeps a rest", async (context) => {
  const { client, transport, send, mover } = await own(context);
  const track = new Track(1, client);
  client.on("Mover.x", ({ tick, value }) => track.add(tick, [value]));
  const moves = async (sequence, tick, x) => {
    transport.datagram(sequence, tick, message(22, [2, 1, x]), 1);
    await turn();
  };
  // The ticks of the headers begin at 300 of the network time.
  await moves(1, 2, 10);
  await moves(3, 4, 30);
  assert.deepEqual(track.at(302), [20]);
  // Tick 5 has no change.
  await send([3, 4]);
  await moves(4, 6, 50);
  assert.equal(mover.fields.x, 50);
  assert.deepEqual([304, 304.5].map((tick) => track.at(tick)), [[30], [40]]);
});

test("a tick whose changes the server has withheld is not complete", async (context) => {
  const { client, send } = await own(context);
  const ticks = [];
  client.on("tick", (...tick) => ticks.push(tick));
  await send([0x23, 1]);
  await send([3, 1]);
  assert.deepEqual(ticks, [[301, false], [302, true]]);
});

test("the view of a link that loses whole ticks is behind by a second interval", async (context) => {
  const delays = [];
  for (const lost of [0, 10]) {
    const { client, transport } = await own(context);
    let sequence = 0;
    for (let tick = 2; tick < 80; tick++) {
      await sleep(33);
      sequence++;
      // The only datagram of its tick.
      if (!lost || tick % lost) transport.datagram(sequence, tick, message(22, [2, 1, tick]), 1);
      client.showView();
    }
    await turn();
    delays.push(299 + 79 - client.showView());
    client.close();
  }
  const [whole, lossy] = delays;
  assert.ok(lossy - whole > 0.8 && lossy - whole < 1.4, String(delays));
});

test("a late packet of the stream does not move the view: its tick has arrived with its datagram", async (context) => {
  const { client, transport } = await own(context);
  let streamed = 1;
  for (let tick = 2; tick < 80; tick++) {
    await sleep(33);
    const isLate = tick % 10 === 0;
    if (isLate) streamed++;
    transport.datagram(tick - 1, tick, message(22, [2, 1, tick]), streamed);
    client.showView();
    // Sent with its datagram, it arrives behind that of the next tick.
    if (tick % 10 === 1 && tick > 10) {
      await sleep(7);
      transport.receive([[0, Uint8Array.from([3, 10])]]);
    }
  }
  await turn();
  const behind = 299 + 79 - client.showView();
  assert.ok(behind > 1.9 && behind < 2.3, `${behind} ticks: two intervals, and hardly a deviation`);
});
