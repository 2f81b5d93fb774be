// Values of a page: checked before they are sent, by type, range and limit of the wire. The own value is the one that travels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Predictor } from "../prediction.js";
import { Client, codec, register } from "../syncvar.js";
import { accepted, described, FakeSocket, message, takeMessages } from "./support.mjs";
import { sleep, turn } from "./time.mjs";

globalThis.WebSocket = FakeSocket;

/** Types of the fields, and the bytes of their first values. */
const FIELDS = {
  u8: ["u8", 1],
  i16: ["i16 as ZigZag", 1],
  bits: ["i32 as Bits<12>", 2],
  u64: ["u64", 1],
  i128: ["i128", 1],
  f32: ["f32", 4],
  half: ["f32 as Half", 2],
  step: ["f32 as Quantized<-10, 10, 10>", 1],
  bool: ["bool", 1],
  char: ["char", 1],
  text: ["String", 1],
  short: ["[FixedString; 4]", 1],
  bytes: ["[u8]", 1],
  place: ["Place { at: Vector2, name: String }", 9],
  pair: ["{ 0: u8, 1: bool }", 2],
  three: ["[u8; 3]", 3],
  list: ["[i8]", 1],
  map: ["[String: u8]", 1],
  set: ["{Gait [Walk = 2, Run = 1]}", 1],
  effect: ["Effect [None = 0, Burn = 1 { damage: u8 }]", 1],
  maybe: ["u8?", 1],
  items: ["SyncList<u16>", 1],
  scores: ["SyncDictionary<String, u8>", 1],
  tags: ["SyncHashSet<String>", 1],
  empty: ["[Nothing { }]", 1],
  ref: ["BehaviourRef<Door>", 1],
  uuid: ["Uuid", 16],
  price: ["Decimal", 16],
  span: ["Duration", 2],
};
const HEAD = "prefab door 5b882675757277b806e97060b8398901\n  behaviour Door, channel 0\n    class Door\n";
const SCHEMA = `\
message chat = 49: Chat { text: String }
message input = 48: [u8]
${HEAD}${Object.entries(FIELDS).map(([name, [type]]) => `      ${name}: ${type}, written by the owner\n`).join("")}      open: bool
      command push = CmdPush(name: String, force: u8)
`;

const varint = (value) => (value > 127 ? [(value % 128) + 128, ...varint(Math.floor(value / 128))] : [value]);

/** Returns object 1 of prefab 0 in a SpawnBatch. */
const spawn = (state) => message(23, [...(state.length < 6 ? [state.length + 1] : [7, ...varint(state.length - 6)]), 0, ...state]);

async function connect(context, schema = SCHEMA, state = Array(Object.values(FIELDS).reduce((sum, [, bytes]) => sum + bytes, 1)).fill(0)) {
  const client = new Client("http://test.invalid", { transport: "websocket" });
  const predictor = new Predictor(client);
  context.after(() => client.close());
  const states = [];
  client.on("state", (state, reason) => states.push(`${state} ${reason}`));
  await turn();
  const socket = FakeSocket.last;
  await turn();
  const receive = (bytes) => socket.receive(0, Uint8Array.from(bytes));
  receive(described(schema));
  receive(accepted());
  receive([3, 1, ...message(12, [0]), ...spawn(state), ...message(15, [1, 1]), ...message(30, [1, 1]), ...message(12, [1])]);
  await turn();
  assert.equal(states.at(-1), "ready ");
  socket.sent.length = 0;
  return { client, predictor, socket, states, door: client.objects.get(1).get("Door"), receive };
}

test("a value that does not fit is refused with its place, and nothing travels", async (context) => {
  const { door, socket, states, client } = await connect(context);
  const nested = { at: { x: 1, y: "2" }, name: "" };
  const refused = [
    ["u8", 256, RangeError, "Door.u8: 256 is no u8"],
    ["u8", 1.5, RangeError, "Door.u8: 1.5 is no u8"],
    ["u8", "1", TypeError, "Door.u8: 1 is no u8"],
    ["u8", undefined, TypeError, "Door.u8: undefined is no u8"],
    ["i16", -32769, RangeError, "Door.i16: -32769 is no i16"],
    ["bits", 2048, RangeError, "Door.bits: 2048 is no i32"],
    ["u64", -1n, RangeError, "Door.u64: -1 is no u64"],
    ["u64", 2 ** 60, RangeError, `Door.u64: ${2 ** 60} is no u64`],
    ["u64", "1", TypeError, "Door.u64: 1 is no u64"],
    ["i128", 2n ** 127n, RangeError, `Door.i128: ${2n ** 127n} is no i128`],
    ["f32", "1", TypeError, "Door.f32: 1 is no f32"],
    ["f32", 1e39, RangeError, "Door.f32: 1e+39 is no f32"],
    ["half", 1e5, RangeError, "Door.half: 100000 is no f32"],
    ["step", NaN, RangeError, "Door.step: NaN is no f32"],
    ["bool", 1, TypeError, "Door.bool: 1 is no bool"],
    ["char", "ab", RangeError, "Door.char: ab is no char"],
    ["char", "\ud800", RangeError, "Door.char: \ud800 is no char"],
    ["text", 5, TypeError, "Door.text: 5 is no text"],
    ["text", "x".repeat(32_768), RangeError, "Door.text: a text of 32768 bytes, beyond 32767"],
    ["short", "ééé", RangeError, "Door.short: a text of 6 bytes, beyond 4"],
    ["bytes", [1, 2], TypeError, "Door.bytes: [object Array] is no Uint8Array"],
    ["bytes", new Uint8Array(66_000), RangeError, "Door.bytes: a value of 66003 bytes, beyond 65000"],
    ["place", { name: "" }, TypeError, "Door.place.at: undefined is no struct"],
    ["place", nested, TypeError, "Door.place.at.y: 2 is no f32"],
    ["place", null, TypeError, "Door.place: null is no struct"],
    ["pair", [1], TypeError, "Door.pair[1]: undefined is no bool"],
    ["three", [1, 2], RangeError, "Door.three: 2 elements in the place of 3"],
    ["list", [1, 128], RangeError, "Door.list[1]: 128 is no i8"],
    ["map", { a: 1 }, TypeError, "Door.map: [object Object] is no Map"],
    ["map", new Map([["a", 300]]), RangeError, "Door.map[a]: 300 is no u8"],
    ["map", new Map([["a", 1], [5, 1]]), TypeError, "Door.map{5}: 5 is no text"],
    ["set", new Set(["Fly"]), RangeError, "Door.set{Fly}: Fly is no variant"],
    ["effect", "Burn", RangeError, "Door.effect: Burn is no variant"],
    ["effect", { Burn: { damage: -1 } }, RangeError, "Door.effect.Burn.damage: -1 is no u8"],
    ["effect", { None: {} }, RangeError, "Door.effect: None is no variant"],
    ["maybe", -1, RangeError, "Door.maybe: -1 is no u8"],
    ["items", new Set([1]), TypeError, "Door.items: [object Set] is no array"],
    ["scores", new Map([["a", -1]]), RangeError, "Door.scores[a]: -1 is no u8"],
    ["tags", new Set([1]), TypeError, "Door.tags{1}: 1 is no text"],
    ["empty", Array(1025).fill({}), RangeError, "Door.empty: 1025 elements without bytes, beyond 1024"],
    ["ref", { object: 1, behaviour: 64 }, RangeError, "Door.ref: 64 is no position of a behaviour"],
    ["uuid", "12", RangeError, "Door.uuid: 12 is no text of 16 bytes"],
    ["price", "1,5", RangeError, "Door.price: 1,5 is no decimal"],
    ["price", 1.5, TypeError, "Door.price: 1.5 is no decimal"],
    ["span", -1, RangeError, "Door.span: -1 is no duration"],
    ["open", true, RangeError, "Door.open is no field that this client writes"],
    ["__proto__", true, RangeError, "Door.__proto__ is no field that this client writes"],
  ];
  for (const [field, value, kind, text] of refused) {
    assert.throws(() => door.set(field, value), (error) => error instanceof kind && error.message === text && error.name === kind.name, text);
  }
  assert.throws(() => door.call("push", "x".repeat(40_000), 1), { name: "RangeError", message: "Door.push(name): a text of 40000 bytes, beyond 32767" });
  assert.throws(() => door.call("push", "x", "1"), { name: "TypeError", message: "Door.push(force): 1 is no u8" });
  assert.throws(() => door.call("push", "x"), { name: "RangeError", message: "push takes 2 arguments" });
  assert.throws(() => client.send("chat", { text: 1 }), { name: "TypeError", message: "chat.text: 1 is no text" });
  assert.throws(() => client.send("chat", { text: "x".repeat(40_000) }), { name: "RangeError", message: "chat.text: a text of 40000 bytes, beyond 32767" });
  await sleep(100);
  assert.deepEqual(takeMessages(socket, true), []);
  assert.equal(states.at(-1), "ready ");
});

test("an input beyond the limit of a server is refused", async (context) => {
  const { predictor } = await connect(context);
  assert.throws(() => predictor.setInput(new Uint8Array(300)), { name: "RangeError", message: "input: 302 bytes, beyond 256" });
  assert.throws(() => predictor.setInput(5), { name: "TypeError", message: "input: 5 is no Uint8Array" });
});

test("the own value is the one that travels", async (context) => {
  const { door } = await connect(context);
  const cases = [
    ["f32", 0.1, Math.fround(0.1)],
    ["half", 0.1, 0.0999755859375],
    ["step", 3.14159, Math.fround(3.1)],
    ["step", 99, 10],
    ["u64", 7, 7n],
    ["i128", -7, -7n],
    ["text", "a\ud800b", "a\ufffdb"],
    ["maybe", undefined, null],
    ["place", { at: { x: 0.1, y: 2, z: 9 }, name: "n" }, { at: { x: Math.fround(0.1), y: 2 }, name: "n" }],
    ["uuid", "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeeff"],
    ["price", "-01.50", "-1.50"],
    ["items", [3], [3]],
  ];
  for (const [field, value, own] of cases) {
    door.set(field, value);
    assert.deepEqual(door.fields[field], own, field);
  }
});

test("a collection is not changed in its place, and the page's own one stays its own", async (context) => {
  const { door, socket } = await connect(context);
  const items = [1, 2];
  door.set("items", items);
  items.push(3);
  assert.deepEqual(door.fields.items, [1, 2]);
  door.set("items", items);
  await sleep(50);
  // A whole list: no operations, 3 elements.
  assert.match(takeMessages(socket, true)[0], /0003010203$/);
  const refused = (name) => ({ name: "TypeError", message: `Door.${name} is not changed in its place: set a changed copy` });
  assert.throws(() => door.fields.items.push(4), TypeError);
  assert.throws(() => door.fields.scores.set("a", 1), refused("scores"));
  assert.throws(() => door.fields.scores.clear(), refused("scores"));
  assert.throws(() => door.fields.tags.add("a"), refused("tags"));
  assert.throws(() => door.fields.tags.delete("a"), refused("tags"));
  door.set("scores", new Map(door.fields.scores).set("a", 1));
  assert.deepEqual(door.fields.scores, new Map([["a", 1]]));
  // Other values may be changed: the change is seen at the next `set`.
  door.fields.three[0] = 9;
  door.set("three", door.fields.three);
  await sleep(50);
  assert.match(takeMessages(socket, true)[0], /0900000001016101$/);
});

test("keys of a map and elements of a set ascend, as a server expects", async (context) => {
  const { door, socket } = await connect(context);
  // U+1F600 is above U+FFFD, and its first half is below.
  door.set("map", new Map([["\u{1F600}", 1], ["b", 2], ["\ufffd", 3], ["ab", 4]]));
  door.set("set", new Set(["Walk", "Run"]));
  await sleep(50);
  const [write] = takeMessages(socket, true);
  // 4 keys, each of its length; then 2 variants, Run = 1 before Walk = 2, as zigzag.
  assert.ok(write.endsWith(["04", "02616204", "016202", "03efbfbd03", "04f09f988001", "020204"].join("")), write);
});

test("long values of several fields travel in messages of their own", async (context) => {
  const { door, socket, states } = await connect(context);
  door.set("text", "a".repeat(32_767));
  door.set("bytes", new Uint8Array(60_000));
  await sleep(50);
  const sent = takeMessages(socket, true);
  assert.deepEqual(sent.map((it) => it.slice(4, 8)), ["1a00", "1a00"]);
  assert.ok(sent.every((it) => it.length / 2 < 65_536));
  assert.equal(states.at(-1), "ready ");
});

test("a byte order mark is a part of a text, a key and an element", async (context) => {
  const schema = `${HEAD}      text: String\n      scores: SyncDictionary<String, u8>\n      tags: SyncHashSet<String>\n`;
  const [plain, marked] = [[1, 0x61], [4, 0xef, 0xbb, 0xbf, 0x61]];
  const { door } = await connect(context, schema, [...marked, 2, ...plain, 1, ...marked, 2, 2, ...plain, ...marked]);
  assert.equal(door.fields.text, "\ufeffa");
  assert.deepEqual([...door.fields.scores], [["a", 1], ["\ufeffa", 2]]);
  assert.deepEqual([...door.fields.tags], ["a", "\ufeffa"]);
});

test("names of all objects are names like any other", async (context) => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const type = `Odd { ${names.map((name) => `${name}: u8`).join(", ")} }`;
  const schema = `${HEAD}${names.map((name) => `      ${name}: u8, written by the owner\n`).join("")}      odd: ${type}\n      valueOf: Kind [constructor = 0, __proto__ = 1 { __proto__: u8 }]\n`;
  const { door } = await connect(context, schema, [1, 2, 3, 4, 5, 6, 7, 8, 1, 9]);
  assert.deepEqual(names.map((name) => door.fields[name]), [1, 2, 3, 4]);
  assert.deepEqual(Object.keys(door.fields), [...names, "odd", "valueOf"]);
  assert.deepEqual(names.map((name) => Object.entries(door.fields.odd).find(([it]) => it === name)[1]), [5, 6, 7, 8]);
  assert.deepEqual(Object.entries(door.fields.valueOf).map(([name, { ["__proto__"]: value }]) => [name, value]), [["__proto__", 9]]);
  door.set("__proto__", 7);
  assert.equal(door.fields["__proto__"], 7);
});

test("types named like members of all objects are unknown types", async (context) => {
  const schema = `${HEAD}      text: String\n      odd: constructor\n      other: toString<u8>\n`;
  const { door } = await connect(context, schema, [1, 0x61, 0, 0, 0, 0]);
  assert.deepEqual({ ...door.fields }, { text: "a", odd: undefined, other: undefined });
});

test("a list of bytes has them as they are, and its operations have numbers", async (context) => {
  const { door, receive } = await connect(context, `${HEAD}      list: SyncList<u8>\n`, [3, 200, 7, 255]);
  assert.deepEqual(door.fields.list, [200, 7, 255]);
  const update = (bytes) => receive([3, 1, ...message(22, [bytes.length < 7 ? bytes.length : 7, ...(bytes.length < 7 ? [] : [bytes.length - 7]), ...bytes])]);
  update([1, 1, 0, ...varint(201)]);
  update([1, 1, 6 + 8, 1, 2, 128, 129]);
  assert.deepEqual(door.fields.list, [200, 128, 129, 255, 201]);
});

test("the fields of an optional behaviour that leaves are unknown", async (context) => {
  const schema = `${HEAD.replace("channel 0", "channel 0, optional")}      weight: u8\n      name: String\n    class present\n      present: bool\n`;
  const { door, receive } = await connect(context, schema, [1, 7, 1, 0x61]);
  assert.deepEqual({ ...door.fields }, { weight: 7, name: "a", present: true });
  receive([3, 1, ...message(22, [2, 4, 0])]);
  assert.deepEqual({ ...door.fields }, { weight: undefined, name: undefined, present: false });
  receive([3, 1, ...message(22, [6, 7, 1, 3, 9, 1, 0x62])]);
  assert.deepEqual({ ...door.fields }, { weight: 9, name: "b", present: true });
});

test("a runtime without a transport is told so, once", async () => {
  const { WebSocket, WebTransport } = globalThis;
  Object.assign(globalThis, { WebSocket: undefined, WebTransport: undefined });
  const client = new Client("http://test.invalid");
  const states = [];
  client.on("state", (...state) => states.push(state));
  await sleep(1000);
  Object.assign(globalThis, { WebSocket, WebTransport });
  assert.deepEqual(states.map(([state]) => state), ["connecting", "closed"]);
  assert.match(states[1][1], /^this runtime has no WebSocket/);
});

test("operations of a hostile server on large collections have a limit", async (context) => {
  const schema = `${HEAD}      list: SyncList<u8>\n      keys: SyncDictionary<Key { a: u16 }, u8>\n`;
  const count = 200_000;
  const { client, door, receive } = await connect(context, schema, [0, 0]);
  const unreadable = [];
  client.on("unreadable", (id, reason) => unreadable.push(reason));
  const long = (kind, payload) => [6, 0, 24, 0, payload.length & 255, (payload.length >> 8) & 255, (payload.length >> 16) & 255, 0, kind, 0, ...payload];
  const update = (contents) => long(22, [7, ...varint(contents.length - 7), ...contents]);
  receive([3, 1, ...update([1, 0, ...varint(count), ...Array(count).fill(7)])]);
  assert.equal(door.fields.list.length, count);
  // A few insertions at the front are usual.
  receive([3, 1, ...update([1, 100, ...Array(100).fill([2, 1]).flat()])]);
  assert.deepEqual([door.fields.list.length, unreadable], [count + 100, []]);
  const started = process.cpuUsage();
  receive([3, 1, ...update([1, ...varint(60_000), ...Array(60_000).fill([2, 1]).flat()])]);
  assert.match(unreadable[0], /^\d+ values in \d+ bytes$/);
  assert.equal(door.fields.list.length, count + 100);
  // Keys that are objects are found without a search: 20 000 of them.
  receive([3, 1, ...spawn([0, 0])]);
  const puts = Array.from({ length: 20_000 }, (_, at) => [0, ...varint(at), 1]);
  receive([3, 1, ...update([2, ...varint(puts.length), ...puts.flat()])]);
  receive([3, 1, ...update([2, ...varint(puts.length), ...puts.flat()])]);
  assert.equal(door.fields.keys.size, 20_000);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 2_000_000, `${user} us`);
});

test("random values of random types travel as they are, and their cut bytes never throw another error", () => {
  let seed = 7;
  const random = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
  const pick = (...all) => all[random(all.length)];
  const integer = (name, low, high) => () => [name, pick(low, high, 0, 1, Math.trunc(low / 3), Math.trunc(high / 7))];
  const big = (name, low, high) => () => [name, pick(low, high, 0n, 1n, high / 3n, low / 5n)];
  const texts = ["", "a", "\ufeffb", "é\u{1F600}", "x".repeat(40), "\u0000"];
  const leaves = [
    integer("u8", 0, 255), integer("i8", -128, 127), integer("u16 as Fixed", 0, 65535), integer("i32", -(2 ** 31), 2 ** 31 - 1), integer("u32", 0, 2 ** 32 - 1), integer("i16 as Bits<12>", -2048, 2047),
    big("u64", 0n, 2n ** 64n - 1n), big("i64", -(2n ** 63n), 2n ** 63n - 1n), big("i128", -(2n ** 127n), 2n ** 127n - 1n), big("u64 as Fixed", 0n, 2n ** 64n - 1n),
    () => ["f32", pick(0, -0, 1.5, NaN, Infinity, -Infinity, Math.fround(1e-40))], () => ["f64", pick(0.1, -0, NaN, 1e300)], () => ["f32 as Half", pick(0, 0.5, -2, 65504)],
    () => ["bool", pick(true, false)], () => ["char", pick("a", "é", "\u{1F600}")], () => ["String", pick(...texts)], () => ["[FixedString; 40]", pick(...texts)],
    () => ["Decimal", pick("0", "-1.10", "79228162514264337593543950335")], () => ["Duration", pick(0, 1.5, 4000000000)], () => ["BehaviourRef<A>", pick(null, { object: 3, behaviour: 2 })],
  ];
  const make = (depth) => {
    const inner = () => make(depth - 1);
    const shapes = depth <= 0 ? [] : [
      () => { const [type, value] = inner(); return [`[${type}]`, type === "u8" ? Uint8Array.of(value, 1) : [value, value]]; },
      () => { const [type, value] = inner(); return [`${type}?`, type.endsWith("?") || type.startsWith("BehaviourRef") ? null : pick(value, null)]; },
      () => { const [[a, x], [b, y]] = [inner(), inner()]; return [`S { a: ${a}, "odd name": ${b} }`, { a: x, "odd name": y }]; },
      () => { const [[a, x], [b, y]] = [inner(), inner()]; return [`{ 0: ${a}, 1: ${b} }`, [x, y]]; },
      () => { const [a, x] = inner(); return [`E [None = 0, Some = 1 { of: ${a} }]`, pick("None", { Some: { of: x } })]; },
      () => { const [a, x] = inner(); return [`[${a}; 2]`, [x, x]]; },
      () => { const [a, x] = inner(); return [`[String: ${a}]`, new Map([["", x], ["b", x]])]; },
      () => ["{String}", new Set(["", "z", "\ufffd", "\u{1F600}"])],
      () => { const [a, x] = inner(); return [`SyncList<${a}>`, [x, x, x]]; },
      () => { const [a, x] = inner(); return [`SyncDictionary<u16, ${a}>`, new Map([[1, x], [300, x]])]; },
    ];
    return pick(...shapes, ...leaves)();
  };
  for (let round = 0; round < 2000; round++) {
    const [type, value] = make(4);
    const form = codec(type);
    const bytes = form.encode(value);
    assert.deepEqual(form.decode(bytes), value, type);
    assert.deepEqual(form.encode(form.decode(bytes)), bytes, type);
    const cut = bytes.subarray(0, random(bytes.length + 1));
    if (cut.length === bytes.length) continue;
    try {
      form.decode(cut);
    } catch (error) {
      assert.equal(error.name, "Error", `${type}: ${error.stack}`);
    }
  }
});

test("a page knows the types and encodings that the program writes by hand", async (context) => {
  register("Percent", { read: (reader) => reader.u8() / 100, write: (writer, value) => writer.u8(Math.round(value * 100)) });
  register("Shout", { read: (reader) => reader.text(reader.u8()).toUpperCase(), write: () => {} });
  const schema = `${HEAD}      share: Percent, written by the owner\n      other: Percent measured\n      text: String as Shout\n      behind: u8\n`;
  const { door } = await connect(context, schema, [50, 25, 2, 0x61, 0x62, 7]);
  assert.deepEqual({ ...door.fields }, { share: 0.5, other: 0.25, text: "AB", behind: 7 });
  door.set("share", 0.123);
  assert.equal(door.fields.share, 0.12);
});

/** Variable-length integer of up to 64 bits. */
const wide = (value) => (value > 127n ? [Number(value & 127n) | 128, ...wide(value >> 7n)] : [Number(value)]);

test("each of 64 fields has its bit, in each class of a behaviour", async (context) => {
  const field = (at) => `      f${at}: u8, written by the owner\n`;
  const all = Array.from({ length: 64 }, (_, at) => at);
  const schema = `${HEAD}${all.slice(0, 40).map(field).join("")}    class Gate\n${all.slice(40).map(field).join("")}`;
  const { door, receive, socket, states } = await connect(context, schema, Array(64).fill(0));
  const values = () => all.filter((at) => door.fields[`f${at}`] > 0);
  receive([3, 1, ...message(15, [1, 0])]);
  let tick = 0;
  for (const changed of [[0], [31], [32], [39, 40], [63], [0, 31, 32, 39, 40, 63], all, []]) {
    const mask = wide(changed.reduce((sum, at) => sum | (1n << BigInt(at)), 0n));
    const of = (from, to) => changed.filter((at) => at >= from && at < to).map(() => tick);
    tick++;
    const contents = [...mask, ...of(0, 40), ...mask, ...of(40, 64)];
    const before = Object.values(door.fields);
    receive([3, 1, ...message(22, contents.length < 7 ? [contents.length, ...contents] : [7, ...varint(contents.length - 7), ...contents])]);
    assert.deepEqual(Object.values(door.fields), before.map((value, at) => (changed.includes(at) ? tick : value)), String(changed));
  }
  assert.equal(values().length, 64);
  // The own writes have the same masks.
  receive([3, 1, ...message(15, [1, 1]), ...message(30, [1, 2])]);
  socket.sent.length = 0;
  for (const at of [31, 32, 63]) door.set(`f${at}`, 200);
  await sleep(50);
  const mask = wide((1n << 31n) | (1n << 32n) | (1n << 63n));
  assert.equal(takeMessages(socket, true)[0].slice(8), Buffer.from([1, 2, 0, ...mask, 200, 1, 200, 1, ...mask, 200, 1]).toString("hex"));
  assert.equal(states.at(-1), "ready ");
});
