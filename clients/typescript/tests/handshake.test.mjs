// The handshake: the schema of a server in parts, its text and its mistakes, and the return to a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as bench from "../bench/session.mjs";
import { Client } from "../syncvar.js";
import { accepted, described, FakeSocket, message, takeMessages } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

const SCHEMA = `\
message "ein Gruß" = 48: Chat { text: String }
prefab door 5b882675757277b806e97060b8398901
  behaviour Door, channel 0
    class Door
      open was is_open: bool
`;

/** Hash of a text, by definition. */
function hash(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(hash);
  return bytes.toString("hex");
}

/** Connect of a client without types that has a schema of this hash. */
const request = (hash) => `1400200007${hash}01${"00".repeat(8)}0000`;

async function connect(context) {
  globalThis.WebSocket = FakeSocket;
  const client = new Client("http://test.invalid", { transport: "websocket" });
  context.after(() => client.close());
  const states = [];
  client.on("state", (state, reason) => states.push({ state, reason }));
  await turn();
  const socket = FakeSocket.last;
  await turn();
  return { client, socket, states };
}

function receive(socket, bytes) {
  socket.receive(0, Uint8Array.from(bytes));
}

test("parts of a schema may divide a character", async (context) => {
  const { client, socket } = await connect(context);
  assert.deepEqual(takeMessages(socket, false), [request("00".repeat(8))]);
  const text = Buffer.from(SCHEMA);
  const at = text.indexOf("ß") + 1;
  receive(socket, [...message(21, [0, ...text.subarray(0, at)]), ...message(21, [1, ...text.subarray(at)])]);
  await turn();
  assert.deepEqual(takeMessages(socket, false), [request(hash(SCHEMA))]);
  receive(socket, accepted());
  await turn();
  client.send("ein Gruß", { text: "é" });
  await turn();
  assert.deepEqual(takeMessages(socket, true), ["00002300", "03003000" + "02c3a9"]);
});

test("a client returns with the hash of the last server, and learns another schema", async (context) => {
  const { client, socket } = await connect(context);
  receive(socket, described(SCHEMA));
  receive(socket, accepted());
  socket.close();
  await sleep(300);
  const second = FakeSocket.last;
  assert.notEqual(second, socket);
  assert.deepEqual(takeMessages(second, false), [request(hash(SCHEMA))]);
  const other = SCHEMA.replace("open was", "shut was");
  receive(second, described(other));
  await turn();
  assert.deepEqual(takeMessages(second, false), [request(hash(other))]);
  receive(second, accepted());
  receive(second, [3, 1, ...message(12, [0]), ...message(23, [2, 0, 1]), ...message(12, [1])]);
  assert.equal(client.objects.get(1)?.get("Door").fields.shut, true);
});

test("a server that grants no session forgets the former one", async (context) => {
  const { socket } = await connect(context);
  const token = Array(16).fill(7);
  receive(socket, [...described(SCHEMA), ...message(19, [0, ...token, 0, 1]), ...accepted()]);
  socket.close();
  await sleep(300);
  const second = FakeSocket.last;
  assert.deepEqual(takeMessages(second, false), [`11001300${"01"}${"07".repeat(16)}`, request(hash(SCHEMA))]);
  receive(second, accepted());
  second.close();
  await sleep(600);
  assert.deepEqual(takeMessages(FakeSocket.last, false), [request(hash(SCHEMA))]);
});

test("a server of another schema that repeats its schema is the end", async (context) => {
  const { states, socket } = await connect(context);
  receive(socket, described(SCHEMA));
  receive(socket, described(SCHEMA));
  assert.deepEqual(states.at(-1), { state: "waiting", reason: "unreadable packet: the message 21 in the handshake" });
});

test("a refusal because of the schema is final", async (context) => {
  const { states, socket } = await connect(context);
  receive(socket, message(33, [1, 0, 0]));
  assert.equal(states.at(-1).state, "closed");
});

const prefab = "prefab a 00000000000000000000000000000001\n";
const behaviour = `${prefab}  behaviour B, channel 0\n`;
const fields = Array.from({ length: 65 }, (_, at) => `      f${at}: u8\n`).join("");

const mistakes = {
  "object a": "line 1, column 1: expected `message` or `prefab`",
  "prefab a 12\n": "line 1, column 10: expected 32 hexadecimal digits",
  "message m = 70000: u8\n": "line 1, column 13: expected a number of this range",
  "message m = 48: u8 \n": "line 1, column 19: expected the end of the line",
  "message m = 48: [u8\n": "line 1, column 20: expected `]`",
  'message "m = 48: u8\n': "line 1, column 20: expected the end of a quoted name",
  'message "\\u{110000}" = 48: u8\n': "line 1, column 10: expected the end of a quoted name",
  "message m = 48: [u8; 65537]\n": "line 1, column 22: expected a number of this range",
  "message ß = 48: G [A = x]\n": "line 1, column 24: expected a number of this range",
  "  behaviour B, channel 0\n": "line 1, column 1: expected `message` or `prefab`",
  [`${prefab}  behaviour B, channel 300\n`]: "line 2, column 24: expected a number of this range",
  [`${behaviour}    class B\n      a: u8, read by me\n`]: "line 4, column 12: expected the end of the line",
  [`${behaviour}    class B\n      command a = CmdA(u8)\n`]: "line 4, column 26: expected `: `",
  [`${prefab}  behaviour B, channel 0, optional\n    class B\n`]: "line 4, column 1: expected the field `present` of an optional behaviour",
  [`${behaviour}    class B\n${fields}`]: "line 69, column 1: more than 64 fields in a behaviour",
  [prefab + "  behaviour B, channel 0\n".repeat(65)]: "line 66, column 13: more than 64 behaviours",
  [`message m = 48: ${"[".repeat(64)}u8${"]".repeat(64)}\n`]: "line 1, column 80: more than 64 nested types",
  [`message m = 48: u8${"?".repeat(64)}\n`]: "line 1, column 83: more than 64 nested types",
};

test("mistakes of a schema are named with their place", async (context) => {
  for (const [text, place] of Object.entries(mistakes)) {
    const { client, states, socket } = await connect(context);
    receive(socket, described(text));
    assert.deepEqual(states.at(-1), { state: "waiting", reason: `unreadable packet: ${place}` }, text.slice(0, 100));
    client.close();
  }
});

test("a hostile server wastes neither time nor memory", async (context) => {
  const started = process.cpuUsage();
  const part = (isLast, text) => message(21, [isLast, ...Buffer.from(text)]);
  const long = Buffer.alloc(60_000, "[");
  const cases = [
    [[part(2, "")], "a boolean of 2"],
    [[part(0, "")], "an empty part of the schema"],
    [Array(18).fill(message(21, [0, ...long])), "a schema of more than 1048576 bytes"],
    // Arrays of arrays of nothing: many values without a byte.
    [
      [described(`message m = 48: ${"[".repeat(20)}N { }${"; 65536]".repeat(20)}\n`), accepted(), [3, 1, ...message(48, [])]],
      /^\d+ values in 6 bytes$/,
    ],
    [[described(`message m = 48: ${Array(1_500).fill("[u8; 65536]").join("? as Fixed\nmessage m = 48: ")}\n`)], undefined],
    [[described(SCHEMA), accepted(Array(65).fill(0))], "a server of 65 channels"],
    [[described(SCHEMA), accepted([])], "a server of 0 channels"],
    [[described(SCHEMA), accepted([0, 2])], "a boolean of 2"],
    [[accepted()], "an answer without a schema"],
  ];
  for (const [packets, reason] of cases) {
    const { client, states, socket } = await connect(context);
    for (const packet of packets) receive(socket, packet);
    if (!reason) assert.equal(states.at(-1).state, "connecting");
    else if (reason instanceof RegExp) assert.match(states.at(-1).reason.replace("unreadable packet: ", ""), reason);
    else assert.equal(states.at(-1).reason, `unreadable packet: ${reason}`);
    client.close();
  }
  // CPU time, with a wide margin: the work of a hang is unbounded.
  const { user } = process.cpuUsage(started);
  assert.ok(user < 20_000_000, `${user} us`);
});

test("a schema of 1 MiB with more parts than any game is refused before they are made", async (context) => {
  const asset = "5b882675757277b806e97060b8398901";
  const texts = [
    ["message m = 48: u8\n".repeat(50_000), "line 5462, column 17: more than 16384 names and types"],
    [`message m = 48: f32 as Quantized<${"1, ".repeat(300_000)}1>\n`, "line 1, column 49174: more than 16384 names and types"],
    [`prefab ${"x".repeat(1_000_000)} ${asset}\n`, "line 1, column 1008: expected ` `"],
    [`prefab ${"é".repeat(500_000)} ${asset}\n`, "line 1, column 1008: expected ` `"],
    [`prefab "${"\\u{1}".repeat(200_000)}" ${asset}\n`, "line 1, column 5009: expected the end of a quoted name"],
  ];
  for (const [text, reason] of texts) {
    const { states, socket } = await connect(context);
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += 60_000) {
      receive(socket, message(21, [from + 60_000 < bytes.length ? 0 : 1, ...bytes.subarray(from, from + 60_000)]));
    }
    assert.deepEqual(states.at(-1), { state: "waiting", reason: `unreadable packet: ${reason}` });
  }
});

test("names of all kinds and up to 1000 characters are read", async (context) => {
  const names = ["x".repeat(1000), "é".repeat(1000), "Réseau_2", "a.b/c-d", "日本語"];
  const quoted = '"of \\u{e9} \\"two\\" words"';
  const { client, socket } = await connect(context);
  const prefabs = [...names, quoted].map((name) => `prefab ${name} was ${name} 5b882675757277b806e97060b8398901\n`);
  receive(socket, [...described(prefabs.join("")), ...accepted()]);
  const read = client.schema.prefabs.map(({ name, was }) => [name, ...was]);
  assert.deepEqual(read, [...names, 'of é "two" words'].map((name) => [name, name]));
});

test("the session of the benches joins, and decodes its changes", async (context) => {
  const joining = bench.connect(Client, 100);
  await sleep(30);
  const { client, decode } = await joining;
  context.after(() => client.close());
  let changes = 0;
  client.on("Mover.x", () => changes++);
  const round = bench.positions(1, 100);
  decode(bench.tick(round));
  assert.equal(changes, round.length);
});
