// The session of a page: payloads of its request, refusals, players, returns, repairs, and messages on channels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, codec } from "../syncvar.js";
import { accepted, described, FakeSocket, FakeTransport, message, takeMessages, withoutPings } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

const SCHEMA = `\
message chat = 49: Chat { text: String }
prefab door 5b882675757277b806e97060b8398901
  behaviour Door, channel 0
    class Door
      open: bool
      health: u8, written by the owner
      command push = CmdPush(force: u8)
`;

async function begin(context, options = { transport: "websocket" }) {
  Object.assign(globalThis, { WebSocket: FakeSocket, WebTransport: FakeTransport, fetch: async () => ({ json: async () => [] }) });
  const client = new Client("http://test.invalid", options);
  context.after(() => client.close());
  const heard = [];
  for (const event of ["state", "ready", "restored", "refused", "commandRefused", "unreadable"]) client.on(event, (...values) => heard.push([event, ...values]));
  await turn();
  const socket = options.transport === "websocket" ? FakeSocket.last : FakeTransport.last;
  await turn();
  const receive = (bytes) => (socket.receive.length > 1 ? socket.receive(0, Uint8Array.from(bytes)) : socket.receive([[0, Uint8Array.from(bytes)]]));
  return { client, heard, socket, receive };
}

/** A door of the client, in a burst. */
const burst = [...message(12, [0]), ...message(23, [3, 0, 0, 5]), ...message(15, [1, 1]), ...message(30, [1, 1]), ...message(12, [1])];

async function connect(context, options) {
  const session = await begin(context, options);
  session.receive([...described(SCHEMA), ...accepted()]);
  await turn();
  session.receive([3, 1, ...burst]);
  await turn();
  assert.equal(session.client.state, "ready");
  return { ...session, door: session.client.objects.get(1).get("Door") };
}

test("a payload travels with the request, and a refusal has one", async (context) => {
  const join = codec("Join { name: String, build: u32 }");
  const { client, heard, socket, receive } = await begin(context, { transport: "websocket", payload: join.encode({ name: "ann", build: 7 }) });
  assert.equal(takeMessages(socket, false)[0], "060013000003616e6e07");
  const denied = codec("Denied [Full = 0, WrongBuild = 1 { wanted: u32 }]");
  receive(message(33, [4, 2, 0, 0x6e, 0x6f, ...denied.encode({ WrongBuild: { wanted: 8 } })]));
  const [, state, reason, payload] = heard.at(-1);
  assert.deepEqual([state, reason, denied.decode(payload)], ["closed", "no", { WrongBuild: { wanted: 8 } }]);
  assert.equal(client.state, "closed");
});

test("a payload is checked like each value", () => {
  assert.throws(() => codec("{ name: String }").encode({ name: 1 }), { name: "TypeError", message: "value.name: 1 is no text" });
  assert.throws(() => codec("u8").decode(Uint8Array.of(1, 2)), /1 surplus bytes/);
  assert.throws(() => codec("{ name String }"), /line 1, column 7: expected `: `/);
  assert.throws(() => new Client("http://test.invalid", { payload: new Uint8Array(4097) }), { name: "RangeError", message: "payload: 4097 bytes, beyond 4096" });
});

test("an own object is the player of its number", async (context) => {
  const { client, receive } = await connect(context);
  assert.equal(client.player(3), undefined);
  receive([3, 1, ...message(4, [1, 3])]);
  assert.equal(client.player(3)?.id, 1);
  receive([3, 1, ...message(15, [1, 0])]);
  assert.equal(client.player(3), undefined);
});

test("ready tells a return to the session from a first connection", async (context) => {
  const { heard, socket, receive } = await begin(context);
  const session = (state) => message(19, [state, ...Array(16).fill(7), 0, 1]);
  receive([...described(SCHEMA), ...session(0), ...accepted()]);
  receive([3, 1, ...burst]);
  assert.deepEqual(heard.at(-1), ["ready", false]);
  socket.close();
  await sleep(300);
  FakeSocket.last.receive(0, Uint8Array.from([...session(2), ...accepted()]));
  FakeSocket.last.receive(0, Uint8Array.from([3, 1, ...burst]));
  assert.deepEqual(heard.at(-1), ["ready", true]);
});

test("a refused write is told, and has the value of the server", async (context) => {
  const { heard, receive, door } = await connect(context);
  door.set("health", 9);
  await sleep(50);
  receive([3, 1, ...message(30, [1, 2, 0, 2, 5])]);
  assert.deepEqual(heard.at(-1), ["refused", door.object]);
  assert.equal(door.fields.health, 5);
});

test("refused commands are told with their reason and number", async (context) => {
  const { heard, receive, door } = await connect(context);
  receive([3, 1, ...message(43, [1, 0, 3, 2])]);
  assert.deepEqual(heard.at(-1), ["commandRefused", door, "push", "tooOften", 2]);
  // An object that has left, a call that it does not have, and a reason of a later version.
  const before = heard.length;
  receive([3, 1, ...message(43, [2, 0, 3, 2]), ...message(43, [1, 1, 3, 2]), ...message(43, [1, 0, 9, 2])]);
  assert.equal(heard.length, before);
});

test("an object that a snapshot has repaired is told", async (context) => {
  const { heard, receive, door } = await connect(context);
  receive([3, 1, ...message(22, [2, 1, 7])]);
  assert.deepEqual(heard.at(-1), ["unreadable", 1, "a boolean of 7"]);
  receive([3, 1, ...message(23, [3, 0, 1, 5])]);
  assert.deepEqual(heard.at(-1), ["restored", door.object]);
  assert.equal(door.fields.open, true);
});

test("on an unreliable channel messages and commands are datagrams", async (context) => {
  const { client, socket, door } = await connect(context, { transport: "webtransport" });
  socket.takeSent();
  client.sendOn(1, "chat", { text: "a" });
  door.callUnreliably("push", 3);
  await turn();
  // Channel 1, flags, sequence, tick, then the message or the call.
  assert.deepEqual(socket.takeSent().map((it) => it.replace(/^0103(....)......../, "$1 ")), ["0100 02003100" + "0161", "0200 03001900" + "010003"]);
  assert.throws(() => client.sendOn(1, "chat", { text: "a".repeat(2000) }), { name: "RangeError", message: /^a datagram of \d+ bytes, beyond \d+$/ });
  assert.throws(() => client.sendOn(7, "chat", { text: "a" }), { name: "RangeError", message: "the server knows no channel 7" });
});

test("without datagrams an unreliable channel takes the stream, each in its packets", async (context) => {
  const { client, socket, door } = await connect(context);
  await sleep(50);
  socket.sent.length = 0;
  client.send("chat", { text: "a" });
  client.sendOn(1, "chat", { text: "b" });
  door.callUnreliably("push", 3);
  client.send("chat", { text: "c" });
  await turn();
  const sent = socket.sent.map((packet) => [packet[0], withoutPings(packet.subarray(packet[1] & 1 ? 3 : 2)).join("")]);
  assert.deepEqual(sent.filter(([, bytes]) => bytes !== ""), [
    [0, "02003100" + "0161"],
    [1, "02003100" + "0162" + "03001900" + "010003"],
    [0, "02003100" + "0163"],
  ]);
});

test("a page that calls without end gets an error, and keeps its session", async (context) => {
  const { client, door } = await connect(context);
  let sent = 0;
  assert.throws(() => {
    for (; sent < 100_000; sent++) door.call("push", 1);
  }, { name: "RangeError", message: "too many calls" });
  assert.equal(sent, 8000);
  await sleep(100);
  for (let more = 0; more < 90; more++) client.send("chat", { text: "a" });
  assert.throws(() => {
    for (let more = 0; more < 100; more++) client.send("chat", { text: "a" });
  }, RangeError);
  assert.equal(client.state, "ready");
});
